"""What must hold for every label set, not only for the ones we thought of."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assay.errors import TooFewLabels
from assay.protocol import choose_anchors, measure, outlook, split_sessions
from assay.schema import (
    DimensionMetrics,
    FewShotSpec,
    HumanLabel,
    LabelSet,
    PolicySpec,
    SplitSpec,
    ValidationReport,
    Verdict,
)
from tests.labelled_worlds import bench_like, ids, sessions_of, verdict

PARTS = ("train", "dev", "test")
OTHER = {"Pass": "Fail", "Fail": "Pass", "pass": "fail", "fail": "pass"}
SAID = ("pass", "fail", "abstained", "errored", None)


@st.composite
def worlds(draw: st.DrawFn) -> LabelSet:
    """Bench-like sets of many shapes, some labels missing."""
    seed = draw(st.integers(0, 10_000))
    n, tasks = draw(st.integers(12, 90)), draw(st.integers(4, 40))
    world = bench_like(seed, n=n, tasks=tasks)
    gaps = draw(st.sampled_from([0.0, 0.0, 0.2]))
    rng = random.Random(seed)
    kept = tuple(x for x in world.labels if rng.random() >= gaps)
    assume(kept)
    return replace(world, labels=kept)


@st.composite
def judged_worlds(draw: st.DrawFn) -> tuple[LabelSet, tuple[Verdict, ...]]:
    """A few labelled sessions, and two judges that say anything or nothing about them."""
    n = draw(st.integers(1, 12))
    names = [f"s{i}" for i in range(n)]
    labels = tuple(
        HumanLabel(session_id=s, dimension=d, result=draw(st.sampled_from(["Pass", "Fail"])))
        for s in names
        for d in ("a", "b")
    )
    verdicts = tuple(
        verdict(x.session_id, x.dimension, said, judge=judge, family=family)
        for judge, family in (("one", "atlas"), ("two", None))
        for x in labels
        if (said := draw(st.sampled_from(SAID))) is not None
    )
    assume({v.judge for v in verdicts} == {"one", "two"})
    agents = {s: draw(st.sampled_from(["p", "q", "r"])) for s in names}
    families = {"p": "atlas", "q": "borealis", "r": "cinder"}
    return LabelSet(labels, agents=agents, families=families), verdicts


def _measure(labels: LabelSet, verdicts: tuple[Verdict, ...]) -> ValidationReport:
    return measure(labels, verdicts, kind="validate", policy=PolicySpec(), headline="one")


def _counts(m: DimensionMetrics) -> tuple[int, ...]:
    return (m.tp, m.fp, m.tn, m.fn, m.n, m.n_decided, m.n_abstained, m.n_errored, m.n_missing)


def _all_metrics(report: ValidationReport) -> list[DimensionMetrics]:
    return [m for j in report.judges for m in (*j.dimensions, *j.agents)]


@settings(max_examples=40, deadline=None)
@given(worlds(), st.integers(-3, 3), st.booleans())
def test_a_split_partitions_the_ids_and_keeps_tasks_whole(
    world: LabelSet, seed: int, grouped: bool
) -> None:
    spec = SplitSpec(seed=seed, group_by_task=grouped, small_strata="merge")
    try:
        plan = split_sessions(world, spec=spec)
    except TooFewLabels:
        # Refused by name, never placed badly; the unit tests hold the wording.
        return
    parts = [set(getattr(plan.manifest, p).session_ids) for p in PARTS]
    assert set().union(*parts) == ids(world.labels)
    assert sum(map(len, parts)) == len(ids(world.labels))
    if grouped:
        tasks = [{world.groups[i] for i in part} for part in parts]
        assert not tasks[0] & tasks[1]
        assert not tasks[0] & tasks[2]
        assert not tasks[1] & tasks[2]
    for p in PARTS:
        for d in world.dimensions:
            here = {x.result for x in plan.parts[p].labels if x.dimension == d}
            assert here == {"Pass", "Fail"}


@settings(max_examples=20, deadline=None)
@given(worlds(), st.randoms(use_true_random=False))
def test_r27_row_order_plays_no_part_in_a_split(world: LabelSet, rng: random.Random) -> None:
    def shuffled(facts: object) -> list[object]:
        rows = list(facts)  # type: ignore[call-overload]
        rng.shuffle(rows)
        return rows

    turned = LabelSet(
        tuple(shuffled(world.labels)),  # type: ignore[arg-type]
        agents=dict(shuffled(world.agents.items())),  # type: ignore[arg-type]
        families=world.families,
        groups=dict(shuffled(world.groups.items())),  # type: ignore[arg-type]
        source=world.source,
    )
    texts = {i: f"work {n // 2}" for n, i in enumerate(sorted(ids(world.labels)))}
    outcomes: list[object] = []
    for labels in (world, turned):
        try:
            outcomes.append(
                split_sessions(
                    labels,
                    spec=SplitSpec(group_by_task=False, small_strata="merge"),
                    texts=dict(shuffled(texts.items())),  # type: ignore[arg-type]
                )
            )
        except TooFewLabels as refusal:
            outcomes.append(str(refusal))
    assert outcomes[0] == outcomes[1]


@settings(max_examples=60, deadline=None)
@given(judged_worlds(), st.randoms(use_true_random=False))
def test_row_order_plays_no_part_in_measurement(
    world: tuple[LabelSet, tuple[Verdict, ...]], rng: random.Random
) -> None:
    labels, verdicts = world
    rows, said = list(labels.labels), list(verdicts)
    rng.shuffle(rows)
    rng.shuffle(said)
    turned = replace(labels, labels=tuple(rows))
    assert _measure(labels, verdicts) == _measure(turned, tuple(said))


@settings(max_examples=60, deadline=None)
@given(judged_worlds())
def test_every_label_is_in_exactly_one_state_for_every_judge(
    world: tuple[LabelSet, tuple[Verdict, ...]],
) -> None:
    labels, verdicts = world
    for m in _all_metrics(_measure(labels, verdicts)):
        assert m.tp + m.fp + m.tn + m.fn == m.n_decided
        assert m.n_decided + m.n_abstained + m.n_errored + m.n_missing == m.n
        assert sum(m.reasons.values()) == m.n_abstained + m.n_errored


@settings(max_examples=60, deadline=None)
@given(judged_worlds())
def test_doubling_every_session_doubles_every_count_and_keeps_every_rate(
    world: tuple[LabelSet, tuple[Verdict, ...]],
) -> None:
    labels, verdicts = world

    def twin(x: HumanLabel | Verdict) -> HumanLabel | Verdict:
        return x.model_copy(update={"session_id": f"{x.session_id}-twin"})

    doubled = replace(
        labels,
        labels=labels.labels + tuple(map(twin, labels.labels)),  # type: ignore[arg-type]
        agents={**labels.agents, **{f"{s}-twin": a for s, a in labels.agents.items()}},
    )
    once = _all_metrics(_measure(labels, verdicts))
    twice = _all_metrics(_measure(doubled, verdicts + tuple(map(twin, verdicts))))  # type: ignore[arg-type]
    for one, two in zip(once, twice, strict=True):
        assert _counts(two) == tuple(2 * n for n in _counts(one))
        assert two.tpr.value == pytest.approx(one.tpr.value)
        assert two.kappa.value == pytest.approx(one.kappa.value)


@settings(max_examples=60, deadline=None)
@given(judged_worlds())
def test_swapping_pass_and_fail_exchanges_tpr_and_tnr(
    world: tuple[LabelSet, tuple[Verdict, ...]],
) -> None:
    labels, verdicts = world
    swapped = replace(
        labels,
        labels=tuple(x.model_copy(update={"result": OTHER[x.result]}) for x in labels.labels),
    )
    said = tuple(
        v.model_copy(update={"outcome": OTHER.get(v.outcome, v.outcome)}) for v in verdicts
    )
    before, after = _all_metrics(_measure(labels, verdicts)), _all_metrics(_measure(swapped, said))
    for one, two in zip(before, after, strict=True):
        assert (two.tp, two.tn, two.fp, two.fn) == (one.tn, one.tp, one.fn, one.fp)
        assert two.tpr.value == one.tnr.value
        assert two.tnr.value == one.tpr.value
        assert two.conservative_tpr.value == one.conservative_tnr.value
        assert two.balanced_accuracy.value == pytest.approx(one.balanced_accuracy.value)
        assert two.gate.state == one.gate.state


@settings(max_examples=25, deadline=None)
@given(worlds(), st.integers(0, 3), st.integers(0, 50))
def test_r28_examples_never_come_from_outside_train(
    world: LabelSet, per_class: int, seed: int
) -> None:
    sessions = sessions_of(world)
    try:
        plan = split_sessions(world, spec=SplitSpec(small_strata="merge"))
        anchors = choose_anchors(
            plan.parts["train"],
            sessions,
            spec=FewShotSpec(per_class=per_class, seed=seed),
            judged=[sessions[i] for p in ("dev", "test") for i in plan.parts[p].agents],
        )
    except TooFewLabels:
        return
    shown = {x.session.session_id for chosen in anchors.values() for x in chosen}
    assert shown <= set(plan.manifest.train.session_ids)
    for chosen in anchors.values():
        passed = sum(x.label.result == "Pass" for x in chosen)
        assert (passed, len(chosen)) == (per_class, 2 * per_class)


@settings(max_examples=10, deadline=None)
@given(worlds())
def test_the_outlook_depends_on_counts_only(world: LabelSet) -> None:
    renamed = replace(
        world,
        labels=tuple(
            x.model_copy(update={"session_id": f"other-{x.session_id}"})
            for x in reversed(world.labels)
        ),
    )
    policy = PolicySpec()
    assert outlook({"test": world}, policy=policy) == outlook({"test": renamed}, policy=policy)
