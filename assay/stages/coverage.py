"""Is there enough to go by? A run with too few verdicts fails, whatever its rates say."""

from __future__ import annotations

from assay.errors import JudgeError
from assay.reporting import talk
from assay.schema import PolicySpec, ValidationReport


def coverage_exit(policy: PolicySpec, report: ValidationReport) -> int:
    """Exit code of a finished run.

    Args:
        policy: Its `min_coverage` decides.
        report: The run's report.

    Returns:
        0, or 4 when a judge decided too small a share of the labelled items.
    """
    code = 0
    for judge in report.judges:
        decided = sum(d.n_decided for d in judge.dimensions)
        labelled = sum(d.n for d in judge.dimensions)
        if labelled and decided / labelled < policy.min_coverage:
            talk(
                f"{judge.judge}: {decided} of {labelled} decided, below the policy's "
                f"{policy.min_coverage:.0%}; exit code {JudgeError.exit_code}."
            )
            code = JudgeError.exit_code
    return code
