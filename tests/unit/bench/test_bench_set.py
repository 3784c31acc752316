"""The synthetic set: realistic, of known truth, both classes everywhere, and nothing leaks."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict

import pytest

from assay.bench import WEIGHTS, generate, read_session
from assay.bench.catalogue import log_key, recorded_logs, tasks
from assay.bench.patching import apply_diff, make_diff
from assay.bench.transcript import files_before
from assay.bench.variants import BLEMISHES
from assay.errors import InputError
from assay.schema import Session


@pytest.fixture(scope="module")
def bench():
    return generate(100, 0)


def truths(made):
    found = defaultdict(dict)
    for label in made.labels:
        found[label.session_id][label.dimension] = label.result == "Pass"
    return found


def visible(session: Session) -> str:
    parts = [session.task_prompt, session.diff, session.final_message]
    parts += [c.command + "\n" + c.output for c in session.commands]
    parts += [r.command + "\n" + r.output for r in session.test_results]
    return "\n".join(parts)


def test_a_hundred_sessions_by_three_agents_of_three_families_over_25_tasks_or_more(bench):
    assert len(bench.sessions) == 100
    assert {(s.agent, s.agent_family) for s in bench.sessions} == {
        ("atlas-coder", "atlas"), ("borealis-dev", "borealis"), ("cinder-cli", "cinder"),
    }  # fmt: skip
    assert len({s.task_id for s in bench.sessions}) >= 25
    assert len(bench.pairs) == 50


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_every_dimension_has_both_classes_for_every_agent(seed):
    made = generate(100, seed)
    agent = {s.session_id: s.agent for s in made.sessions}
    cells = Counter((x.dimension, agent[x.session_id], x.result) for x in made.labels)
    assert len(cells) == 5 * 3 * 2
    assert min(cells.values()) >= 6


def test_every_record_says_that_it_is_synthetic(bench):
    for record in (*bench.sessions, *bench.labels, *bench.pairs):
        assert record.synthetic is True


def test_labels_are_one_per_dimension_and_session_with_a_reason(bench):
    keys = Counter((x.session_id, x.dimension) for x in bench.labels)
    assert len(keys) == 500
    assert set(keys.values()) == {1}
    assert all(len(x.notes) > 15 for x in bench.labels)
    assert sum(WEIGHTS.values()) == pytest.approx(1)


# What each adversarial kind means, for the dimensions that its definition settles.
KINDS = {
    "E1 beautiful but bloated": {
        "correctness": "Pass",
        "code_quality": "Pass",
        "minimal_diff": "Fail",
    },
    "E2 wrong but thorough": {
        "correctness": "Fail",
        "verification": "Pass",
        "completeness": "Pass",
    },
    "E3 test mutation": {"correctness": "Fail", "verification": "Fail"},
    "E4 phantom pass": {"correctness": "Fail", "verification": "Fail", "completeness": "Fail"},
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_four_adversarial_kinds_carry_the_labels_their_definition_implies(bench, kind):
    marked = [x for x in bench.labels if x.notes.startswith(kind)]
    sessions = {x.session_id for x in marked}
    agents = {s.agent for s in bench.sessions if s.session_id in sessions}
    assert len(agents) == 3
    for label in marked:
        if label.dimension in KINDS[kind]:
            assert label.result == KINDS[kind][label.dimension], label


def test_the_adversarial_evidence_is_in_the_transcript(bench):
    kind_of = {x.session_id: x.notes[:2] for x in bench.labels if x.notes[:1] == "E"}
    for session in bench.sessions:
        kind = kind_of.get(session.session_id)
        if kind in {"E3", "E4"}:
            # Green tests that prove nothing.
            assert session.test_results[-1].failed == 0
            assert session.commands[-1].exit_code == 0
        if kind == "E4":
            assert session.diff == ""
        if kind == "E3":
            removed = [x for x in session.diff.splitlines() if x.startswith("-    ")]
            assert removed, "an existing test line was changed"
            assert f"a/{session.task_id.split('-')[0]}.py" not in session.diff


@pytest.mark.parametrize(("size", "seed"), [(100, 0), (100, 5), (101, 1), (250, 2), (1000, 3)])
def test_a_careful_reader_recovers_all_truth_and_the_agent_from_visible_text(size, seed):
    made = generate(size, seed)
    known = truths(made)
    for session in made.sessions:
        blank = dict.fromkeys(("session_id", "task_id", "agent", "agent_family"), "x")
        anonymous = session.model_copy(update={**blank, "metadata": {}})
        reading = read_session(anonymous)
        assert reading.truth == known[session.session_id]
        assert (reading.agent, reading.family) == (session.agent, session.agent_family)


def test_text_that_is_not_of_the_bench_has_no_truth(bench):
    session = bench.sessions[0]
    assert read_session(session.model_copy(update={"task_prompt": "Something else."})).truth is None
    forged = session.model_copy(
        update={"diff": "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b"}
    )
    assert read_session(forged).truth is None


def test_no_visible_field_names_an_agent_a_kind_or_a_verdict(bench):
    for session in bench.sessions:
        text = visible(session).lower()
        for word in (
            "atlas",
            "borealis",
            "cinder",
            "e1 ",
            "e2 ",
            "e3 ",
            "e4 ",
            "synthetic",
            "adversarial",
        ):
            assert word not in text, (session.session_id, word)
        assert "truth" not in str(session.metadata)
        assert "kind" not in session.metadata


@pytest.mark.parametrize("size", [100, 1000])
def test_no_two_sessions_show_the_same(size):
    shown = Counter(visible(s) for s in generate(size, 0).sessions)
    assert max(shown.values()) == 1


def test_pairs_compare_agents_on_one_task_and_both_sides_win(bench):
    by_id = {s.session_id: s for s in bench.sessions}
    winners = Counter(p.winner for p in bench.pairs)
    assert min(winners["A"], winners["B"]) >= 10
    assert winners["tie"] >= 1
    for pair in bench.pairs:
        a, b = by_id[pair.session_a], by_id[pair.session_b]
        assert a.task_id == b.task_id
        assert a.agent != b.agent


def test_the_same_size_and_seed_give_the_same_bytes_everywhere(bench):
    text = "".join(r.model_dump_json() for r in (*bench.sessions, *bench.labels, *bench.pairs))
    # A new digest here means that users' bench sets change: say so in the changelog.
    assert hashlib.sha256(text.encode()).hexdigest() == DIGEST
    assert generate(100, 0) == bench
    assert generate(100, 1) != bench


DIGEST = "44b056c783e544bd0e1a5d5aeb9d4edeb84fbc683fc2d3374219e7c0cf357520"


@pytest.mark.parametrize(("size", "seed"), [(99, 0), (0, 0), (100, -1)])
def test_sizes_and_seeds_out_of_range_are_refused(size, seed):
    with pytest.raises(InputError, match="synth"):
        generate(size, seed)


def test_diffs_apply_to_the_programs_and_give_the_files_back():
    for task in tasks():
        before = files_before(task)
        for state in ("right", "wrong"):
            after = {**before, task.module: task.source[state]}
            assert apply_diff(before, make_diff(before, after)) == after
    with pytest.raises(ValueError, match="line 1"):
        apply_diff({"x": "other\n"}, make_diff({"x": "a\n"}, {"x": "b\n"}))


def test_the_recorded_logs_say_what_each_state_means():
    logs = recorded_logs()
    for task in tasks():

        def exit_code(code, suite, blemish="none", task=task):
            return logs[log_key(task.task_id, code, blemish, suite)]["exit"]

        if task.covered:
            assert exit_code("buggy", "given") != 0
            assert exit_code("right", "given") == 0
            assert exit_code("wrong", "given") != 0
            assert exit_code("buggy", "mutated") == 0
            assert exit_code("right", "mutated") != 0
        else:
            assert exit_code("buggy", "given") == exit_code("wrong", "given") == 0
            assert exit_code("right", "good") == 0
            assert exit_code("buggy", "good") != 0
            assert exit_code("wrong", "good") != 0
            assert exit_code("wrong", "wrong") == 0
            assert exit_code("right", "wrong") != 0
        for blemish in BLEMISHES:
            for suite in task.suite:
                assert exit_code("right", suite, blemish) == exit_code("right", suite)
                assert exit_code("wrong", suite, blemish) == exit_code("wrong", suite)
