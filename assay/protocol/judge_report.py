"""One judge against people: its rates, gates and warnings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from assay.metrics import Figure, broken_columns, gate
from assay.metrics.gates import worst
from assay.protocol.alignment import Alignment, Cell
from assay.schema import DimensionMetrics, JudgeReport, PolicySpec

Role = Literal["panel", "member", "judge"]
_SHOWN = 3


def report_on_judge(
    judge: str,
    counts: Alignment,
    *,
    policy: PolicySpec,
    weights: Mapping[str, float],
    role: Role = "judge",
    family: str | None = None,
    simulated: bool = False,
) -> JudgeReport:
    """Rates, gates and warnings of one judge.

    Args:
        judge: One of the judges counted.
        counts: Counts per judge, dimension and agent. Pass is the positive class.
        policy: Bars, confidence level and least coverage.
        weights: Weight of each dimension, adding up to 1.
        role: Whether it is a panel, a member of one, or a judge by itself.
        family: Its declared model family.
        simulated: Whether any of its verdicts came from no real model.

    Returns:
        The report.
    """
    overall = tuple(_metrics(counts.totals[judge, d], d, None, policy) for d in counts.dimensions)
    per_agent = tuple(
        _metrics(counts.by_agent[judge, d, a], d, a, policy)
        for d in counts.dimensions
        for a in counts.agents
        if (judge, d, a) in counts.by_agent
    )
    return JudgeReport(
        judge=judge,
        family=family,
        role=role,
        simulated=simulated,
        dimensions=overall,
        agents=per_agent,
        warnings=_warnings(judge, counts, policy),
        n_unmatched=len(counts.unmatched[judge]),
        min_tpr=_lowest(overall, "tpr"),
        min_tnr=_lowest(overall, "tnr"),
        balanced_accuracy=_weighted_accuracy(overall, weights),
        state=worst([m.gate.state for m in overall]),
    )


def _metrics(cell: Cell, dimension: str, agent: str | None, policy: PolicySpec) -> DimensionMetrics:
    m, level = cell.matrix, policy.level
    tpr = m.tpr(level=level)
    return DimensionMetrics(
        dimension=dimension,
        agent=agent,
        tp=m.tp,
        fp=m.fp,
        tn=m.tn,
        fn=m.fn,
        n=m.labelled,
        n_decided=m.decided,
        n_abstained=cell.n_abstained,
        n_errored=cell.n_errored,
        n_missing=cell.n_missing,
        reasons=dict(cell.reasons),
        tpr=tpr,
        tnr=m.tnr(level=level),
        precision=m.precision(level=level),
        recall=tpr,
        coverage=m.coverage(level=level),
        conservative_tpr=m.conservative_tpr(level=level),
        conservative_tnr=m.conservative_tnr(level=level),
        balanced_accuracy=m.balanced_accuracy(),
        kappa=m.kappa(),
        gate=gate(m, target=policy.target, minimum=policy.minimum, level=level),
    )


def _warnings(judge: str, counts: Alignment, policy: PolicySpec) -> tuple[str, ...]:
    found: list[str] = []
    for d in counts.dimensions:
        where, cell = f"judge {judge}, {d}: ", counts.totals[judge, d]
        by_agent = {
            a: counts.by_agent[judge, d, a].matrix
            for a in counts.agents
            if (judge, d, a) in counts.by_agent
        }
        found += [where + w.message for w in broken_columns(cell.matrix, by_agent)]
        if text := _coverage_warning(cell, policy.min_coverage):
            found.append(where + text)
    if strangers := counts.unmatched[judge]:
        some = ", ".join(f"{session} ({dimension})" for session, dimension in strangers[:_SHOWN])
        more = ", ..." if len(strangers) > _SHOWN else ""
        found.append(
            f"judge {judge}: {len(strangers)} verdicts meet no label and are not counted: "
            f"{some}{more}"
        )
    return tuple(found)


def _coverage_warning(cell: Cell, least: float) -> str | None:
    decided, labelled = cell.matrix.decided, cell.matrix.labelled
    if labelled == 0 or decided / labelled >= least:
        return None
    return (
        f"only {decided} of {labelled} labelled items have a Pass or Fail verdict "
        f"({cell.n_abstained} abstained, {cell.n_errored} errored, {cell.n_missing} missing); "
        f"the policy asks for {least:.0%}"
    )


def _lowest(metrics: Sequence[DimensionMetrics], side: Literal["tpr", "tnr"]) -> Figure:
    values: list[float] = []
    for m in metrics:
        rate = m.tpr if side == "tpr" else m.tnr
        if rate.value is None:
            # The lowest of some and an unknown is unknown.
            return Figure(None, f"{m.dimension}: {rate.undefined}")
        values.append(rate.value)
    return Figure(min(values))


def _weighted_accuracy(metrics: Sequence[DimensionMetrics], weights: Mapping[str, float]) -> Figure:
    total = 0.0
    for m in metrics:
        if m.balanced_accuracy.value is None:
            return Figure(None, f"{m.dimension}: {m.balanced_accuracy.undefined}")
        total += weights[m.dimension] * m.balanced_accuracy.value
    return Figure(total)
