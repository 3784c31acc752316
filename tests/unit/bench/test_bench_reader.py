"""What the reader makes of sessions that were tampered with, or are none of its own."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from assay.bench import generate, read_session
from assay.bench.styles import TEST_COMMANDS, is_edit
from assay.schema import Session

MADE = generate(100, 0)


def first(**wanted):
    """The first session whose truth is as wanted, with a diff and a test run."""
    for s in MADE.sessions:
        found = read_session(s).truth
        if all(found[k] == v for k, v in wanted.items()) and s.diff and s.test_results:
            return s
    raise AssertionError(wanted)


def test_text_of_another_origin_has_no_truth():
    other = Session(
        session_id="x", task_id="t", agent="a", agent_family="f", task_prompt="Make it faster."
    )
    reading = read_session(other)
    assert (reading.truth, reading.agent, reading.family, reading.quality) == (
        None,
        None,
        None,
        0.0,
    )


def test_a_diff_that_does_not_apply_has_no_truth():
    s = first(correctness=True)
    assert read_session(s.model_copy(update={"diff": s.diff.replace("\n ", "\n  ")})).truth is None


def test_code_it_does_not_know_has_no_truth():
    s = first(correctness=True)
    diff = s.diff.replace("\n+", "\n+# strange\n+", 1)
    assert read_session(s.model_copy(update={"diff": diff})).truth is None


def test_a_reading_cannot_be_changed():
    reading = read_session(MADE.sessions[0])
    with pytest.raises(FrozenInstanceError):
        reading.quality = 1.0
    with pytest.raises(TypeError):
        reading.truth["correctness"] = True


def test_without_the_run_after_the_last_edit_nothing_is_verified_and_nothing_else_changes():
    s = first(correctness=True, verification=True, completeness=True)
    last = max(i for i, c in enumerate(s.commands) if is_edit(c.command))
    kept = tuple(c for i, c in enumerate(s.commands) if i <= last or c.command not in TEST_COMMANDS)
    before, after = (
        read_session(s).truth,
        read_session(s.model_copy(update={"commands": kept})).truth,
    )
    assert not after["verification"]
    assert {k: v for k, v in after.items() if k != "verification"} == {
        k: v for k, v in before.items() if k != "verification"
    }


def test_a_run_without_an_exit_code_verifies_nothing():
    s = first(verification=True)
    blind = tuple(c.model_copy(update={"exit_code": None}) for c in s.commands)
    assert not read_session(s.model_copy(update={"commands": blind})).truth["verification"]


def test_an_emptied_diff_fixes_and_completes_nothing():
    s = first(correctness=True, completeness=True)
    truth = read_session(s.model_copy(update={"diff": ""})).truth
    assert not truth["correctness"]
    assert not truth["completeness"]
