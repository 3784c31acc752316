"""Which variant of a sweep leads, and is the lead more than luck?

The rule: first by the worst gate state over dimensions, then by the lowest of
the gates' lower bounds, then by balanced accuracy, then by name. A lead is
called clear only where the 95% intervals of the lowest TPR or of the lowest TNR
do not overlap. The variants were judged on the same items, so this is a cautious
reading: a paired test may find a difference where it says "no clear difference".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from assay.metrics import Figure, GateState, Rate
from assay.metrics import rate as rate_of
from assay.metrics.gates import worst
from assay.reporting.numbers import gate_words
from assay.schema import DimensionMetrics, ValidationReport


@dataclass(frozen=True)
class LeaderRow:
    """One variant of a sweep: its headline judge at its weakest."""

    variant: str
    panel: str
    simulated: bool
    min_tpr: Rate
    """TPR of the dimension where it is lowest; an undefined one counts as lowest."""
    min_tpr_dimension: str
    min_tnr: Rate
    min_tnr_dimension: str
    balanced_accuracy: Figure
    worst_gate: GateState
    lower_bound: float | None
    """Lowest one-sided bound of TPR and TNR over dimensions; None when one is undefined."""
    coverage: Rate
    """Over all dimensions together."""
    overrides: tuple[str, ...] = ()
    remark: str = ""
    """Set by `rank`: how this row stands to the leading one."""


@dataclass(frozen=True)
class FailedJob:
    """A job of a sweep that came to no result."""

    overrides: tuple[str, ...]
    error: str
    """Where, what, and what to do, as printed."""


def leader_row(
    report: ValidationReport,
    *,
    overrides: Sequence[str] = (),
    variant: str | None = None,
    panel: str | None = None,
) -> LeaderRow:
    """The row of one job.

    Args:
        report: What the job found.
        overrides: The job's overrides.
        variant: Name of the prompt variant; None takes it from `judge=NAME` in the
            overrides, or shows the overrides.
        panel: Name of the panel; None is the headline judge.

    Returns:
        The row, without a remark.
    """
    metrics = report.headline.dimensions
    low_tpr = min(metrics, key=lambda m: _order(m.tpr))
    low_tnr = min(metrics, key=lambda m: _order(m.tnr))
    bounds = [b for m in metrics for b in (m.gate.tpr_lower, m.gate.tnr_lower)]
    known = [b for b in bounds if b is not None]
    return LeaderRow(
        variant=variant or _variant(overrides),
        panel=panel or report.headline_judge,
        simulated=report.simulated,
        min_tpr=low_tpr.tpr,
        min_tpr_dimension=low_tpr.dimension,
        min_tnr=low_tnr.tnr,
        min_tnr_dimension=low_tnr.dimension,
        balanced_accuracy=report.headline.balanced_accuracy,
        worst_gate=worst([m.gate.state for m in metrics]),
        lower_bound=min(known) if len(known) == len(bounds) and known else None,
        coverage=_coverage(metrics, level=report.level),
        overrides=tuple(overrides),
    )


def rank(rows: Iterable[LeaderRow]) -> tuple[LeaderRow, ...]:
    """Order the rows, best first, and say of each whether it differs clearly from the first.

    Args:
        rows: One per variant, in any order.

    Returns:
        Rows with their remarks; the order does not depend on the input's.
    """
    ordered = sorted(rows, key=_rank_key)
    if not ordered:
        return ()
    first = ordered[0]
    marked = [replace(first, remark="leads")]
    marked += [replace(row, remark=_remark(first, row)) for row in ordered[1:]]
    return tuple(marked)


def which_to_trust(rows: Iterable[LeaderRow]) -> tuple[str, ...]:
    """Sentences a person can act on, for the foot of the leader table.

    Args:
        rows: One per variant, in any order.

    Returns:
        Whether any variant is confirmed, who leads and how clearly, and a warning
        that the best of several looks better than it is.
    """
    ranked = rank(rows)
    if not ranked:
        return ("No variant came to a result.",)
    first = ranked[0]
    confirmed = [r for r in ranked if r.worst_gate in {"confirmed_target", "confirmed_minimum"}]
    said: list[str] = []
    simulated = "SIMULATED: " if any(r.simulated for r in ranked) else ""
    if confirmed:
        names = ", ".join(f"{r.variant} ({gate_words(r.worst_gate)})" for r in confirmed)
        said.append(f"{simulated}To trust on these labels: {names}.")
    else:
        said.append(f"{simulated}These labels confirm no variant: trust none of them yet.")
    if len(ranked) == 1:
        return tuple(said)
    said.append(_lead(first, ranked[1:]))
    said.append(
        f"The best of {len(ranked)} on the same items looks better than it is; "
        f"its figures will fall on new ones."
    )
    return tuple(said)


def _lead(first: LeaderRow, others: Sequence[LeaderRow]) -> str:
    def named(word: str) -> str:
        return ", ".join(r.variant for r in others if word in r.remark)

    if alike := named("no clear difference"):
        return f"{first.variant} leads, but there is no clear difference at this n from {alike}."
    if better := named("clearly higher"):
        return (
            f"{first.variant} leads by its weaker side; {better} does clearly better on the other: "
            f"weigh false passes against false fails."
        )
    if named("not comparable"):
        return f"{first.variant} leads, but not every variant could be compared with it."
    return f"{first.variant} leads clearly."


def _variant(overrides: Sequence[str]) -> str:
    for override in overrides:
        key, _, value = override.partition("=")
        if key.lstrip("+") == "judge" and value:
            return value
    return " ".join(overrides) or "as configured"


def _order(rate: Rate) -> float:
    return -1.0 if rate.value is None else rate.value


def _coverage(metrics: Sequence[DimensionMetrics], *, level: float) -> Rate:
    decided, labelled = sum(m.n_decided for m in metrics), sum(m.n for m in metrics)
    return rate_of(decided, labelled, undefined="no labelled item", level=level)


def _rank_key(row: LeaderRow) -> tuple[int, float, float, str, str]:
    return (
        -_height(row.worst_gate),
        -(row.lower_bound if row.lower_bound is not None else -1.0),
        -(row.balanced_accuracy.value if row.balanced_accuracy.value is not None else -1.0),
        row.variant,
        row.panel,
    )


def _height(state: GateState) -> int:
    """How many of the states are worse than this one."""
    states: tuple[GateState, ...] = (
        "undefined", "fails_minimum", "below_minimum", "provisional_minimum",
        "provisional_target", "confirmed_minimum", "confirmed_target",
    )  # fmt: skip
    return sum(worst([state, other]) == other and other != state for other in states)


def _remark(first: LeaderRow, row: LeaderRow) -> str:
    apart: list[str] = []
    lacking: list[str] = []
    for side, best, own in (
        ("TPR", first.min_tpr, row.min_tpr),
        ("TNR", first.min_tnr, row.min_tnr),
    ):
        if own.high is None or own.low is None or best.high is None or best.low is None:
            lacking.append(side)
        elif own.high < best.low:
            apart.append(f"lowest {side} clearly lower")
        elif own.low > best.high:
            apart.append(f"lowest {side} clearly higher")
    if lacking:
        return f"not comparable: {' and '.join(lacking)} undefined"
    if apart:
        return "; ".join(apart)
    sizes = sorted({own.trials for own in (row.min_tpr, row.min_tnr)})
    return f"no clear difference at n={'/'.join(str(n) for n in sizes)}"
