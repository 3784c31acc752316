from __future__ import annotations

from collections import Counter

import pytest

from assay.errors import InputError, LeakageError, TooFewLabels
from assay.protocol import choose_anchors, split_sessions
from assay.schema import FewShotSpec, HumanLabel, LabelSet, SplitSpec
from tests.labelled_worlds import bench_like, sessions_of


def _train(rows: dict[str, str]) -> LabelSet:
    """session -> one letter per dimension a, b, c: P or F."""
    return LabelSet(
        tuple(
            HumanLabel(session_id=s, dimension=d, result="Pass" if r == "P" else "Fail")
            for s, word in rows.items()
            for d, r in zip("abc", word, strict=True)
        ),
        source="labels.train.jsonl",
    )


ROWS = {"s1": "PPP", "s2": "FFF", "s3": "FPP", "s4": "PFF", "s5": "PFP", "s6": "FPF"}


def test_classes_are_balanced_in_every_dimension() -> None:
    train = _train(ROWS)
    anchors = choose_anchors(train, sessions_of(train), spec=FewShotSpec(per_class=2), judged=())
    assert list(anchors) == ["a", "b", "c"]
    for dimension, chosen in anchors.items():
        assert Counter(x.label.result for x in chosen) == {"Pass": 2, "Fail": 2}
        assert all(x.label.dimension == dimension for x in chosen)
        assert all(x.session.session_id == x.label.session_id for x in chosen)
        assert len({x.session.session_id for x in chosen}) == 4


def test_near_misses_come_first() -> None:
    # On a: s3 fails but passes b and c; s4 passes but fails b and c. s1 and s2 are plain cases.
    train = _train(ROWS)
    for seed in range(10):
        spec = FewShotSpec(per_class=1, seed=seed)
        anchors = choose_anchors(train, sessions_of(train), spec=spec, judged=())
        assert [x.session.session_id for x in anchors["a"]] == ["s3", "s4"]


def test_agents_take_turns_among_equally_near_sessions() -> None:
    rows = [(f"s{i}", "a" if i < 6 else "b", "Pass" if i % 2 else "Fail") for i in range(12)]
    train = LabelSet(
        tuple(HumanLabel(session_id=s, dimension="d", result=r) for s, _, r in rows),  # type: ignore[arg-type]
        agents={s: agent for s, agent, _ in rows},
    )
    anchors = choose_anchors(train, sessions_of(train), spec=FewShotSpec(per_class=2), judged=())
    assert Counter(x.session.agent for x in anchors["d"]) == {"a": 2, "b": 2}


def test_the_choice_is_a_function_of_the_seed_and_not_of_row_order() -> None:
    world = bench_like(0)
    sessions = sessions_of(world)
    turned = LabelSet(tuple(reversed(world.labels)), agents=world.agents)
    spec = FewShotSpec(per_class=3, seed=5)
    one = choose_anchors(world, sessions, spec=spec, judged=())
    assert one == choose_anchors(turned, sessions, spec=spec, judged=())
    other = choose_anchors(world, sessions, spec=FewShotSpec(per_class=3, seed=6), judged=())
    assert one != other


def test_no_examples_asked_for_gives_none() -> None:
    assert choose_anchors(LabelSet(()), {}, spec=FewShotSpec(), judged=()) == {}


def test_r28_examples_come_from_train_and_are_never_judged() -> None:
    world = bench_like(1)
    sessions = sessions_of(world)
    plan = split_sessions(world, spec=SplitSpec(small_strata="merge"))
    judged = [sessions[i] for i in plan.manifest.dev.session_ids]
    anchors = choose_anchors(
        plan.parts["train"], sessions, spec=FewShotSpec(per_class=1), judged=judged
    )
    shown = {x.session.session_id for chosen in anchors.values() for x in chosen}
    assert shown <= set(plan.manifest.train.session_ids)


def test_r28_a_train_session_that_is_judged_is_a_leak() -> None:
    train = _train(ROWS)
    sessions = sessions_of(train)
    with pytest.raises(LeakageError, match=r"1 train sessions are judged too \(s5\)"):
        choose_anchors(train, sessions, spec=FewShotSpec(per_class=1), judged=[sessions["s5"]])


def test_r28_equal_work_under_another_id_is_a_leak() -> None:
    train = _train(ROWS)
    sessions = sessions_of(train)
    twin = sessions["s2"].model_copy(
        update={"session_id": "d9", "final_message": "  DONE!", "task_id": "other"}
    )
    with pytest.raises(LeakageError, match=r"train session s2 shows the same work as judged .* d9"):
        choose_anchors(train, sessions, spec=FewShotSpec(per_class=1), judged=[twin])


def test_too_few_of_a_class_are_all_named_with_counts_and_the_way_out() -> None:
    train = _train({"s1": "PPP", "s2": "PPF", "s3": "PFF"})
    with pytest.raises(TooFewLabels) as refusal:
        choose_anchors(train, sessions_of(train), spec=FewShotSpec(per_class=2), judged=())
    message = str(refusal.value)
    assert message.startswith("few-shot: labels.train.jsonl has fewer than 2")
    assert [line.strip() for line in message.splitlines()[1:4]] == [
        "a Fail: 0",
        "b Fail: 1",
        "c Pass: 1",
    ]
    assert "judge.few_shot.per_class=0" in message


def test_r28_an_empty_train_part_is_refused() -> None:
    with pytest.raises(TooFewLabels, match=r"has no label; set judge\.few_shot\.per_class=0"):
        choose_anchors(LabelSet(()), {}, spec=FewShotSpec(per_class=2), judged=())


def test_a_labelled_session_that_is_not_there_is_named() -> None:
    train = _train(ROWS)
    sessions = sessions_of(train)
    del sessions["s4"]
    with pytest.raises(InputError, match=r"1 labelled train sessions .*\(s4\)"):
        choose_anchors(train, sessions, spec=FewShotSpec(per_class=1), judged=())
