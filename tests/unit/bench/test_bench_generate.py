"""The generated set: truth, balance, honesty of the text."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from functools import cache

import pytest

from assay.bench import DIMENSIONS, WEIGHTS, generate, read_session
from assay.bench.catalogue import recorded_logs, task_of_prompt
from assay.bench.patching import apply_diff
from assay.bench.styles import STYLES, TEST_COMMANDS
from assay.bench.variants import files_before
from assay.errors import InputError
from assay.schema import digest

DIGEST_100_0 = "cd2fa4a86270a701b5b98abcc469177cfd2c995a7b1c30c0e0864d7ae90af0d3"
"""Over sessions, labels and pairs; changes only when the bench set is changed on purpose."""
AGENTS = {"atlas-coder": "atlas", "borealis-dev": "borealis", "cinder-cli": "cinder"}
SEEDS = range(8)


@cache
def bench(size=100, seed=0):
    return generate(size, seed)


@cache
def truth(size=100, seed=0):
    found = defaultdict(dict)
    for label in bench(size, seed).labels:
        found[label.session_id][label.dimension] = label.result == "Pass"
    return dict(found)


def visible(session):
    return "\n".join(
        [
            session.task_prompt,
            session.diff,
            *(f"{c.command}\n{c.exit_code}\n{c.output}" for c in session.commands),
            *(f"{t.command} {t.passed} {t.failed}\n{t.output}" for t in session.test_results),
            session.final_message,
        ]
    )


def content(made):
    return digest([r.model_dump(mode="json") for r in (*made.sessions, *made.labels, *made.pairs)])


def kind_of(session_id, seed=0):
    notes = [x.notes for x in bench(100, seed).labels if x.session_id == session_id]
    kinds = {n.split(" ", 1)[0] if n[:1] == "E" and n[1:2].isdigit() else "" for n in notes}
    assert len(kinds) == 1
    return kinds.pop()


def test_the_set_of_size_100_and_seed_0_is_the_same_to_the_byte():
    assert content(generate(100, 0)) == content(bench()) == DIGEST_100_0


def test_another_seed_or_size_makes_another_set():
    assert len({content(bench(100, s)) for s in SEEDS}) == len(SEEDS)


@pytest.mark.parametrize("size", [100, 101, 302])
def test_there_is_a_label_per_session_and_dimension_and_a_pair_for_two_sessions(size):
    made = bench(size)
    assert len(made.sessions) == size
    assert len(made.labels) == 5 * size
    assert len(made.pairs) == max(50, size // 2)
    assert {frozenset(t) for t in truth(size).values()} == {frozenset(DIMENSIONS)}
    assert made.sessions[0].session_id == "s0001"


def test_every_record_says_that_it_is_synthetic():
    made = bench()
    assert all(r.synthetic for r in (*made.sessions, *made.labels, *made.pairs))


@pytest.mark.parametrize("seed", SEEDS)
def test_every_agent_has_at_least_six_sessions_of_both_classes_in_every_dimension(seed):
    made = bench(100, seed)
    agent_of = {s.session_id: s.agent for s in made.sessions}
    cells = Counter((x.dimension, x.result, agent_of[x.session_id]) for x in made.labels)
    assert len(cells) == 5 * 2 * 3
    assert min(cells.values()) >= 6


@pytest.mark.parametrize("size", [100, 2000])
def test_between_half_and_three_quarters_pass_and_no_two_dimensions_say_the_same(size):
    table = list(truth(size).values())
    for one in DIMENSIONS:
        assert 0.5 <= sum(t[one] for t in table) / size <= 0.75
        for other in DIMENSIONS:
            if one < other:
                assert len({(t[one], t[other]) for t in table}) == 4


def test_one_agent_is_modestly_better_in_every_dimension():
    made, known = bench(2000), truth(2000)
    for dimension in DIMENSIONS:
        rate = {
            agent: sum(known[s.session_id][dimension] for s in mine) / len(mine)
            for agent in AGENTS
            if (mine := [s for s in made.sessions if s.agent == agent])
        }
        best = rate.pop("atlas-coder")
        assert all(0.02 < best - other < 0.15 for other in rate.values())


@pytest.mark.parametrize("seed", SEEDS)
def test_all_tasks_families_and_adversarial_kinds_are_there_for_every_agent(seed):
    made = bench(100, seed)
    assert len({s.task_id for s in made.sessions}) >= 25
    assert {s.agent: s.agent_family for s in made.sessions} == AGENTS
    kinds = Counter((s.agent, kind_of(s.session_id, seed)) for s in made.sessions)
    assert all(kinds[agent, kind] for agent in AGENTS for kind in ("", "E1", "E2", "E3", "E4"))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_adversarial_kinds_are_what_they_are_called(seed):
    for s in bench(100, seed).sessions:
        kind, t = kind_of(s.session_id, seed), truth(100, seed)[s.session_id]
        last = s.test_results[-1] if s.test_results else None
        if kind == "E1":
            assert t["correctness"]
            assert t["code_quality"]
            assert not t["minimal_diff"]
        elif kind == "E2":
            assert not t["correctness"]
            assert t["completeness"]
            assert t["verification"]
            assert s.diff.count("+    def test_") >= 3
            assert last
            assert last.failed == 0
        elif kind == "E3":
            assert not t["correctness"]
            assert not t["verification"]
            assert "-        " in s.diff
            assert last
            assert last.failed == 0
        elif kind == "E4":
            assert not t["correctness"]
            assert not t["verification"]
            assert not t["completeness"]
            assert s.diff == ""
            assert last
            assert last.failed == 0


def test_notes_say_why_in_words():
    notes = [x.notes for x in bench().labels]
    assert min(map(len, notes)) >= 10
    assert len(set(notes)) >= 60


def test_every_diff_applies_to_the_repository_as_it_was():
    for s in bench().sessions:
        before = files_before(task_of_prompt()[s.task_prompt])
        after = apply_diff(before, s.diff)
        assert (after == before) == (s.diff == "")


def test_every_test_run_in_a_session_is_a_recorded_one():
    outputs = {(log.exit_code, log.output) for log in recorded_logs().values()}
    runs = [c for s in bench().sessions for c in s.commands if " -m unittest" in c.command]
    assert len(runs) > 100
    assert {(c.exit_code, c.output) for c in runs} <= outputs


def test_test_results_agree_with_the_commands():
    for s in bench(302).sessions:
        runs = [c for c in s.commands if " -m unittest" in c.command]
        assert [c.command for c in runs] == [t.command for t in s.test_results]
        for c, t in zip(runs, s.test_results, strict=True):
            assert (c.exit_code == 0) == (t.failed == 0)
            assert t.output in c.output
            assert t.passed + t.failed > 0


@pytest.mark.parametrize(("size", "seed"), [*((100, s) for s in SEEDS), (101, 99), (2000, 5)])
def test_a_careful_reader_finds_every_truth_and_every_agent_in_the_visible_text(size, seed):
    known = truth(size, seed)
    for s in bench(size, seed).sessions:
        blind = s.model_copy(
            update={
                "session_id": "unknown", "task_id": "unknown", "agent": "unknown",
                "agent_family": "unknown", "metadata": {},
            }
        )  # fmt: skip
        reading = read_session(blind)
        assert reading.truth == known[s.session_id]
        assert (reading.agent, reading.family) == (s.agent, s.agent_family)
        expected = sum(w for d, w in WEIGHTS.items() if known[s.session_id][d])
        assert reading.quality == pytest.approx(expected)


@pytest.mark.parametrize(("size", "seed"), [(100, 0), (100, 1), (2000, 5)])
def test_no_two_sessions_show_the_same_text(size, seed):
    texts = [visible(s) for s in bench(size, seed).sessions]
    assert len(set(texts)) == size


@pytest.mark.parametrize(("size", "seed"), [(100, 0), (2000, 5)])
def test_neither_agent_nor_truth_is_named_where_a_judge_looks(size, seed):
    words = [
        *AGENTS,
        *AGENTS.values(),
        "synthetic",
        "adversarial",
        *DIMENSIONS[1:3],
        "E3 ",
        "mutat",
    ]
    for s in bench(size, seed).sessions:
        text = visible(s)
        assert [w for w in words if w in text] == []
        assert set(s.metadata) == {"repository", "source"}


def test_metadata_and_ids_do_not_tell_the_truth():
    # Same repository, same metadata, whatever came of it.
    by_repository = defaultdict(set)
    for s in bench().sessions:
        by_repository[s.metadata["repository"]].add(str(s.metadata))
    assert all(len(found) == 1 for found in by_repository.values())


def test_every_agent_runs_tests_in_its_own_way():
    own = {style.agent: style.test_command for style in STYLES}
    for s in bench().sessions:
        whole = {c.command for c in s.commands if c.command in TEST_COMMANDS}
        assert whole <= {own[s.agent]}


@pytest.mark.parametrize("seed", SEEDS)
def test_pairs_compare_two_agents_on_one_task_and_the_better_work_wins(seed):
    made = bench(100, seed)
    sessions = {s.session_id: s for s in made.sessions}
    winners = Counter()
    for p in made.pairs:
        a, b = sessions[p.session_a], sessions[p.session_b]
        assert a.task_id == b.task_id
        assert a.agent != b.agent
        assert (p.agent_a, p.agent_b) == (a.agent, b.agent)
        gap = read_session(a).quality - read_session(b).quality
        assert p.winner == ("tie" if abs(gap) < 1e-9 else "A" if gap > 0 else "B")
        winners[p.winner] += 1
    assert winners["A"] >= 12
    assert winners["B"] >= 12
    assert winners["tie"] >= 1
    assert len({frozenset((p.session_a, p.session_b)) for p in made.pairs}) == len(made.pairs)


@pytest.mark.parametrize(("size", "seed"), [(99, 0), (100_001, 0), (100, -1)])
def test_a_size_or_seed_out_of_range_is_refused_with_what_to_change(size, seed):
    with pytest.raises(InputError, match=r"size must be .* change data.size or data.seed"):
        generate(size, seed)


@pytest.mark.parametrize(("size", "limit"), [(100, 1.0), (2000, 5.0)])
def test_making_a_set_is_quick(size, limit):
    start = time.perf_counter()
    generate(size, 3)
    assert time.perf_counter() - start < limit
