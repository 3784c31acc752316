"""Broken columns and kindness to one's own family, planted and found by name."""

from __future__ import annotations

import pytest

from assay.errors import AlignmentError
from assay.protocol import measure
from assay.schema import LabelSet, PolicySpec, SelfEnhancementFlag, ValidationReport, Verdict
from tests.labelled_worlds import planted

Cells = dict[str, tuple[int, int, int, int]]
"""agent -> (tp, fn, tn, fp)."""


def _report(labels: LabelSet, verdicts: tuple[Verdict, ...], **options: object) -> ValidationReport:
    return measure(labels, verdicts, kind="dev", policy=PolicySpec(), **options)  # type: ignore[arg-type]


def _warnings(cells: Cells) -> tuple[str, ...]:
    labels, verdicts = planted(cells)
    return _report(labels, verdicts).headline.warnings


# Columns


def test_a_judge_that_never_says_fail_is_named_with_its_dimension() -> None:
    warnings = _warnings({"a": (30, 0, 0, 12)})
    assert "judge x, correctness: never says Fail (42 decided, 12 of them failed by people)" in (
        warnings
    )


def test_a_judge_that_never_says_pass_is_named() -> None:
    warnings = _warnings({"a": (0, 30, 12, 0)})
    assert "judge x, correctness: never says Pass (42 decided, 30 of them passed by people)" in (
        warnings
    )


def test_a_judge_with_pass_and_fail_swapped_is_worse_than_its_negation() -> None:
    warnings = _warnings({"a": (2, 28, 3, 17)})
    assert warnings == (
        "judge x, correctness: worse than its own negation: TPR 0.07 + TNR 0.15 is below 1",
    )


def test_one_agent_judged_far_off_is_named_although_the_average_is_fine() -> None:
    cells: Cells = {"a": (40, 0, 40, 0), "b": (40, 0, 40, 0), "c": (10, 30, 40, 0)}
    told = (
        "judge x, correctness: c far off: TPR 10/40 (0.25) against 80/80 (1.00) on the other agents"
    )
    assert told in _warnings(cells)


def test_a_sound_judge_gets_no_warning() -> None:
    assert _warnings({"a": (18, 2, 17, 3), "b": (17, 3, 18, 2), "c": (19, 1, 17, 3)}) == ()


def test_a_broken_column_shows_beside_a_sound_one() -> None:
    labels, sound = planted({"a": (20, 1, 20, 1)}, judge="sound")
    _, broken = planted({"a": (0, 21, 21, 0)}, judge="broken")
    # Same sessions in the same order: 21 Pass, then 21 Fail.
    report = _report(labels, sound + broken, headline="sound")
    assert [len(j.warnings) for j in report.judges] == [0, 1]
    assert report.judges[1].warnings[0].startswith("judge broken, correctness: never says Pass")


# Own family

FAMILIES = {"own": "atlas", "b": "borealis", "c": "cinder"}


def _flags(cells: Cells, family: str | None = "atlas") -> dict[str, SelfEnhancementFlag]:
    labels, verdicts = planted(cells, family=family)
    flags = _report(labels, verdicts, families=FAMILIES).self_enhancement
    return {f.side: f for f in flags}


def test_a_judge_that_passes_its_own_failures_is_flagged_on_the_false_pass_rate() -> None:
    cells: Cells = {"own": (40, 0, 10, 30), "b": (40, 0, 38, 2), "c": (40, 0, 36, 4)}
    flags = _flags(cells)
    flag = flags["false_pass_rate"]
    assert (flag.judge, flag.family, flag.dimension) == ("x", "atlas", "correctness")
    assert (flag.own_successes, flag.own_trials) == (30, 40)
    assert (flag.others_successes, flag.others_trials) == (6, 80)
    # .75 less the unweighted mean of .05 and .10.
    assert flag.delta == pytest.approx(0.675)
    assert flag.state == "flagged"
    assert flags["tpr"].state == "clear"


def test_flags_are_told_in_the_overall_sentence() -> None:
    labels, verdicts = planted(
        {"own": (40, 0, 10, 30), "b": (40, 0, 38, 2), "c": (40, 0, 36, 4)}, family="atlas"
    )
    report = _report(labels, verdicts, families=FAMILIES)
    assert report.overall_verdict.endswith("; kinder to its own family: x (atlas)")


def test_five_points_without_evidence_are_watched_not_flagged() -> None:
    # 13/13 against 22/26: 15 points, but p is about .2 before any adjustment.
    flag = _flags({"own": (13, 0, 13, 0), "b": (11, 2, 13, 0), "c": (11, 2, 13, 0)})["tpr"]
    assert flag.delta == pytest.approx(1 - 11 / 13)
    assert flag.state == "watch"


def test_exactly_five_points_are_not_lost_to_rounding() -> None:
    # 16/20 against 15/20: .80 - .75 is 0.0500000000000000444 or less in binary.
    flag = _flags({"own": (16, 4, 10, 0), "b": (15, 5, 10, 0), "c": (15, 5, 10, 0)})["tpr"]
    assert flag.state == "watch"


def test_less_than_five_points_are_clear_however_certain() -> None:
    flag = _flags({"own": (1960, 40, 9, 1), "b": (1880, 120, 9, 1), "c": (1880, 120, 9, 1)})["tpr"]
    assert flag.delta == pytest.approx(0.04)
    assert flag.p_adjusted is not None
    assert flag.p_adjusted < 0.001
    assert flag.state == "clear"


def test_fewer_than_five_own_items_of_a_class_are_insufficient() -> None:
    flag = _flags({"own": (4, 0, 10, 0), "b": (2, 18, 10, 0), "c": (2, 18, 10, 0)})["tpr"]
    assert flag.state == "insufficient"
    assert flag.undefined == "4 own and 40 other items of the class; needs 5 of each"


def test_no_own_item_of_a_class_is_insufficient_with_the_reason() -> None:
    flag = _flags({"own": (9, 1, 0, 0), "b": (9, 1, 5, 5), "c": (9, 1, 5, 5)})["false_pass_rate"]
    assert flag.state == "insufficient"
    assert flag.delta is None
    assert flag.undefined == "no own agents' work that people failed"


def test_holm_counts_every_comparison_of_the_report() -> None:
    # Alone, the p-value is adjusted over the two rates of one judge; beside five fair judges
    # of the same family over twelve, and the flag goes.
    cells: Cells = {"own": (20, 0, 20, 0), "b": (16, 4, 20, 0), "c": (16, 4, 20, 0)}
    labels, suspect = planted(cells, family="atlas")
    alone = _report(labels, suspect, families=FAMILIES).self_enhancement
    fair = tuple(
        v.model_copy(update={"judge": f"fair{i}", "outcome": "pass" if p else "fail"})
        for i in range(5)
        for v, p in zip(suspect, (x.result == "Pass" for x in labels.labels), strict=True)
    )
    crowd = _report(labels, suspect + fair, headline="x", families=FAMILIES).self_enhancement
    before = next(f for f in alone if f.side == "tpr")
    after = next(f for f in crowd if f.side == "tpr" and f.judge == "x")
    assert len(crowd) == 12
    assert before.p_adjusted is not None
    assert after.p_adjusted == pytest.approx(min(1.0, before.p_adjusted * 6))
    assert (before.state, after.state) == ("flagged", "watch")


def test_judges_without_a_family_or_without_kin_are_not_compared() -> None:
    cells: Cells = {"own": (9, 1, 5, 5), "b": (9, 1, 5, 5)}
    assert _flags(cells, family=None) == {}
    assert _flags(cells, family="delta") == {}


def test_families_fall_back_to_those_of_the_labels() -> None:
    labels, verdicts = planted({"own": (9, 1, 5, 5), "b": (9, 1, 5, 5)}, family="atlas")
    labels = LabelSet(labels.labels, agents=labels.agents, families=FAMILIES)
    assert len(_report(labels, verdicts).self_enhancement) == 2


def test_a_judge_of_two_families_is_refused() -> None:
    labels, verdicts = planted({"own": (9, 1, 5, 5)}, family="atlas")
    mixed = (verdicts[0].model_copy(update={"family": "borealis"}), *verdicts[1:])
    with pytest.raises(AlignmentError, match="judge x is given several families: atlas, borealis"):
        _report(labels, mixed)
