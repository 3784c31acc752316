"""Sentences that every output shares, so that terminal, page and MLflow say the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.metrics import Rate
from assay.reporting.numbers import (
    figure_text,
    number,
    p_text,
    rate_counts,
    rate_text,
    signed,
    undefined_text,
)
from assay.schema import (
    DimensionMetrics,
    JudgeReport,
    LabelSummary,
    SelfEnhancementFlag,
    ValidationReport,
)

POSITIVE_CLASS = (
    "Pass is the positive class; FP = false pass, too lenient; FN = false fail, too strict."
)
SIMULATED = "SIMULATED: no real model gave these verdicts."
SYNTHETIC = "SYNTHETIC labels: they follow from how the sessions were made; no person gave them."


def named(judge: JudgeReport) -> str:
    """Role and name, such as "panel poll"; a member is called a judge."""
    return f"panel {judge.judge}" if judge.role == "panel" else f"judge {judge.judge}"


def where(metrics: DimensionMetrics, *, judge: str | None = None) -> str:
    """Judge, dimension and agent, as far as given, such as "correctness, atlas-coder"."""
    parts = [judge, metrics.dimension, metrics.agent]
    return ", ".join(part for part in parts if part is not None)


def title_line(report: ValidationReport) -> str:
    """What this report is about, such as "assay dev: panel poll and 3 more judges"."""
    others = len(report.judges) - 1
    more = f" and {others} more judge{'s' if others > 1 else ''}" if others else ""
    return f"assay {report.kind}: {named(report.headline)}{more}"


def label_line(labels: LabelSummary) -> str:
    """What the judges were measured against, and what was left out of it."""
    people = "annotator agreement: " + (
        f"kappa {figure_text(labels.annotator_agreement)} on {labels.n_doubly_labelled} items"
        if labels.annotator_agreement.value is not None
        else figure_text(labels.annotator_agreement)
    )
    return (
        f"Labels: {labels.n_labels} on {labels.n_sessions} sessions ({labels.aggregation}); "
        f"{labels.n_unlabelled} unlabelled, {labels.n_undecided} undecided; {people}."
    )


def bars_line(report: ValidationReport) -> str:
    """The bars, and how the gate reads them."""
    return (
        f"Bars: target {number(report.target)}, minimum {number(report.minimum)}. TPR and TNR "
        f"are over decided items, with {report.level:.0%} intervals. The gate takes the one-sided "
        f"{report.level:.0%} bound and counts a missing verdict against the judge: confirmed = the "
        f"bound clears the bar; unconfirmed = only the rate does; below, unsettled = the rate is "
        f"below the minimum; fails = so is the upper bound."
    )


def gate_lines(metrics: Iterable[DimensionMetrics]) -> list[str]:
    """One line per dimension: which side decided its gate and what it needs."""
    return [f"{where(m)}: {m.gate.reason}" for m in metrics]


def no_verdict_lines(metrics: Iterable[DimensionMetrics], *, judge: str | None = None) -> list[str]:
    """Why items have no verdict; for one judge alone, also the rates with these held against it.

    Args:
        metrics: Of one judge.
        judge: Its name where several judges are shown; the lines are then kept short.

    Returns:
        One line per row that lacks a verdict.
    """
    lines: list[str] = []
    for m in metrics:
        if m.n_decided == m.n:
            continue
        reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(m.reasons.items()))
        missing = f"no record {m.n_missing}" if m.n_missing else ""
        told = ", ".join(part for part in (reasons, missing) if part)
        line = f"{where(m, judge=judge)}: {m.n - m.n_decided} of {m.n} without a verdict ({told})"
        if judge is None:
            line += (
                f"; held against the judge: TPR {rate_text(m.conservative_tpr)}, "
                f"TNR {rate_text(m.conservative_tnr)}"
            )
        lines.append(line)
    return lines


def undefined_lines(rows: Iterable[tuple[str | None, DimensionMetrics]]) -> list[str]:
    """Why rates are undefined, one line per reason.

    Args:
        rows: (judge to name or None, metrics).

    Returns:
        Lines such as "TNR of safety: undefined (no item that people failed)".
    """
    found: dict[tuple[str, str], list[str]] = {}
    over_all_agents: set[tuple[str, str, str | None, str]] = set()
    for judge, m in rows:
        for side, rate in (("TPR", m.tpr), ("TNR", m.tnr)):
            if rate.value is not None:
                continue
            text = undefined_text(rate.undefined)
            place = (side, text, judge, m.dimension)
            # What holds over all agents holds for each; once is enough.
            if place not in over_all_agents:
                found.setdefault((side, text), []).append(where(m, judge=judge))
            if m.agent is None:
                over_all_agents.add(place)
    return [f"{side} of {'; '.join(places)}: {text}" for (side, text), places in found.items()]


def panel_members(report: ValidationReport) -> tuple[JudgeReport, ...]:
    """The members' own reports, when the headline judge is a panel; else none."""
    if report.headline.role != "panel":
        return ()
    return tuple(j for j in report.judges[1:] if j.role == "member")


def pairwise_lines(report: ValidationReport) -> list[str]:
    """How steady each judge's choice is when the order of two candidates is swapped."""
    return [
        f"judge {p.judge} on {p.n} pairs: same choice in both orders {rate_text(p.concordance)}; "
        f"first shown chosen {rate_text(p.first_position_rate)}; {p.n_undecided} undecided"
        for p in report.pairwise
    ]


def self_enhancement_lines(flags: Sequence[SelfEnhancementFlag]) -> list[str]:
    """Which judges are kinder to their own family, and what could not be told.

    Args:
        flags: All comparisons of a report.

    Returns:
        A line per comparison that is flagged or worth watching, then counts of the others.
    """
    lines = [_own_family(f) for f in flags if f.state == "flagged"]
    lines += [_own_family(f) for f in flags if f.state == "watch"]
    clear = sum(f.state == "clear" for f in flags)
    if clear:
        lines.append(f"clear: {clear} of {len(flags)} comparisons of own family with others")
    thin = [f for f in flags if f.state == "insufficient"]
    if thin:
        lines.append(
            f"insufficient: {len(thin)} of {len(flags)} comparisons, such as {thin[0].judge} on "
            f"{thin[0].dimension}, {_side(thin[0])}: {undefined_text(thin[0].undefined)}"
        )
    return lines


def all_warnings(report: ValidationReport) -> list[str]:
    """The report's warnings and those of its judges, headline first, each once."""
    judges = (warning for judge in report.judges for warning in judge.warnings)
    return list(dict.fromkeys((*report.warnings, *judges)))


def sentence(text: str) -> str:
    """Text that ends in a full stop."""
    return text if text.endswith((".", "!", "?")) else f"{text}."


def counts_and_rate(rate: Rate) -> str:
    """A rate with its counts in front, such as "19/20 = 0.95 [0.76, 0.99] n=20"."""
    if rate.value is None:
        return rate_text(rate)
    return f"{rate_counts(rate)} = {rate_text(rate)}"


def _own_family(flag: SelfEnhancementFlag) -> str:
    gap = signed(flag.delta) if flag.delta is not None else undefined_text(flag.undefined)
    return (
        f"{flag.state}: judge {flag.judge} on its own family ({flag.family}), {flag.dimension}: "
        f"{_side(flag)} {flag.own_successes}/{flag.own_trials} on own work against "
        f"{flag.others_successes}/{flag.others_trials} on others', {gap} over the mean of the "
        f"other agents, {p_text(flag.p_adjusted, undefined=flag.undefined)} (Holm)"
    )


def _side(flag: SelfEnhancementFlag) -> str:
    return "TPR" if flag.side == "tpr" else "false-pass rate"
