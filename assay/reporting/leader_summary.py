"""A sweep's leader table for MLflow: columns for its table view, Markdown for the run's page."""

from __future__ import annotations

from collections.abc import Sequence

from assay.reporting.leaders import FailedJob, LeaderRow, rank, which_to_trust
from assay.reporting.numbers import figure_text, gate_words, rate_text
from assay.reporting.text import in_markdown
from assay.reporting.words import POSITIVE_CLASS, SIMULATED


def leader_columns(
    rows: Sequence[LeaderRow], failed: Sequence[FailedJob]
) -> dict[str, list[object]]:
    """Column -> values; the leader first, failed jobs last with their errors."""
    columns: dict[str, list[object]] = {
        name: []
        for name in (
            "variant", "panel", "lowest TPR", "lowest TNR", "balanced accuracy",
            "worst gate", "coverage", "simulated", "remark",
        )
    }  # fmt: skip
    for row in rank(rows):
        cells = (
            row.variant,
            row.panel,
            f"{rate_text(row.min_tpr)} ({row.min_tpr_dimension})",
            f"{rate_text(row.min_tnr)} ({row.min_tnr_dimension})",
            figure_text(row.balanced_accuracy),
            gate_words(row.worst_gate),
            rate_text(row.coverage),
            row.simulated,
            row.remark,
        )
        for column, cell in zip(columns.values(), cells, strict=True):
            column.append(cell)
    for job in failed:
        for column in columns.values():
            column.append(None)
        columns["variant"][-1] = " ".join(job.overrides)
        columns["remark"][-1] = f"failed: {job.error}"
    return columns


def leaders_markdown(rows: Sequence[LeaderRow], failed: Sequence[FailedJob]) -> str:
    """The same as Markdown: which to trust first, then the table, then what failed."""
    lines = [f"**{in_markdown(sentence)}**" for sentence in which_to_trust(rows)]
    if any(row.simulated for row in rows):
        lines.append(f"**{SIMULATED}**")
    lines += [POSITIVE_CLASS, ""]
    columns = leader_columns(rows, ())
    lines.append(f"| {' | '.join(columns)} |")
    lines.append("|" + "---|" * len(columns))
    for cells in zip(*columns.values(), strict=True):
        lines.append(f"| {' | '.join(in_markdown(str(c)) for c in cells)} |")
    for job in failed:
        lines.append(f"\nFailed: {in_markdown(' '.join(job.overrides))}: {in_markdown(job.error)}")
    return "\n".join(lines)
