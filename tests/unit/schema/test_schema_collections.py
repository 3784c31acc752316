from __future__ import annotations

from assay.schema import HumanLabel, LabelSet, Verdict, VerdictSet


def label(session: str, result="Pass", dimension="d", **values) -> HumanLabel:
    return HumanLabel(session_id=session, dimension=dimension, result=result, **values)


def verdict(session: str, outcome="pass", **values) -> Verdict:
    return Verdict(session_id=session, dimension="d", judge="j", outcome=outcome, **values)


def test_the_digest_of_labels_does_not_depend_on_their_order_or_notes():
    one = LabelSet((label("a"), label("b", "Fail")))
    other = LabelSet((label("b", "Fail", notes="late"), label("a")), source="elsewhere.csv")
    assert one.digest == other.digest


def test_the_digest_of_labels_changes_with_any_answer():
    assert LabelSet((label("a"),)).digest != LabelSet((label("a", "Fail"),)).digest
    assert LabelSet((label("a"),)).digest != LabelSet((label("a", dimension="e"),)).digest
    assert LabelSet((label("a"),)).digest != LabelSet(()).digest


def test_dimensions_and_judges_come_in_order_of_first_appearance():
    labels = LabelSet(
        (label("a", dimension="z"), label("a", dimension="b"), label("c", dimension="z"))
    )
    assert labels.dimensions == ("z", "b")
    assert VerdictSet((verdict("a"), verdict("b"))).judges == ("j",)


def test_one_generated_label_makes_the_set_synthetic():
    assert not LabelSet((label("a"),)).synthetic
    assert LabelSet((label("a"), label("b", synthetic=True))).synthetic


def test_the_digest_of_verdicts_sees_what_was_said_and_not_in_which_order():
    one, other = verdict("a"), verdict("b", "errored", reason="timeout")
    assert VerdictSet((one, other)).digest == VerdictSet((other, one)).digest
    changed = verdict("b", "errored", reason="quota")
    assert VerdictSet((one, other)).digest != VerdictSet((one, changed)).digest
    assert VerdictSet((one,)).digest != VerdictSet((verdict("a", repeat=1),)).digest
