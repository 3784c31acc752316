"""One sentence that a person can act on: does this judge deserve trust?"""

from __future__ import annotations

from collections.abc import Sequence

from assay.metrics.gates import worst
from assay.schema import DimensionMetrics, JudgeReport, PolicySpec, SelfEnhancementFlag


def overall_verdict(
    report: JudgeReport,
    flags: Sequence[SelfEnhancementFlag],
    *,
    policy: PolicySpec,
    simulated: bool,
) -> str:
    """Sum up the headline judge.

    Args:
        report: The headline judge's report.
        flags: Self-enhancement comparisons of all judges.
        policy: Bars and level.
        simulated: Whether any verdict came from a simulated judge.

    Returns:
        One sentence without a full stop, starting with "SIMULATED: " if simulated.
    """
    name = f"panel {report.judge}" if report.role == "panel" else f"judge {report.judge}"
    parts = [f"{name}: {_finding(report, policy)}"]
    thin = [
        m
        for m in report.dimensions
        if m.coverage.value is not None and m.coverage.value < policy.min_coverage
    ]
    if thin:
        least = min(thin, key=lambda m: m.coverage.value or 0.0)
        parts.append(
            f"lowest coverage {least.coverage.successes}/{least.coverage.trials} "
            f"on {least.dimension}"
        )
    if kinder := sorted({f"{f.judge} ({f.family})" for f in flags if f.state == "flagged"}):
        parts.append(f"kinder to its own family: {', '.join(kinder)}")
    return ("SIMULATED: " if simulated else "") + "; ".join(parts)


def _finding(report: JudgeReport, policy: PolicySpec) -> str:
    metrics = list(report.dimensions)
    state = worst([m.gate.state for m in metrics])
    over = f"on all {len(metrics)} dimensions" if len(metrics) > 1 else f"on {metrics[0].dimension}"
    if state == "confirmed_target":
        return f"meets the target {policy.target:.2f} {over} with {policy.level:.0%} confidence"
    if state == "confirmed_minimum":
        return f"meets the minimum {policy.minimum:.2f} {over} with {policy.level:.0%} confidence"
    weakest = min((m for m in metrics if m.gate.state == state), key=_clearance)
    detail = f"worst: {weakest.dimension} ({weakest.gate.reason})"
    if state == "undefined":
        return f"cannot be assessed; {detail}"
    if state == "fails_minimum":
        return f"not trustworthy; {detail}"
    if state == "below_minimum":
        return f"not yet trustworthy; {detail}"
    return f"promising {over}, but not yet confirmed; {detail}"


def _clearance(metrics: DimensionMetrics) -> tuple[float, str]:
    bounds = [b for b in (metrics.gate.tpr_lower, metrics.gate.tnr_lower) if b is not None]
    return min(bounds, default=0.0), metrics.dimension
