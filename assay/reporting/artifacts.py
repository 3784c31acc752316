"""The files of one run: the same few names whatever the number of items."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from assay.reporting.disagreements import (
    disagreement_rows,
    disagreements_csv,
    disagreements_html,
)
from assay.reporting.figures import try_figures
from assay.reporting.html import confusion_html, report_html
from assay.reporting.markdown import summary_markdown
from assay.reporting.strict_json import report_json, strict_json
from assay.schema import LabelSet, Session, ValidationReport, Verdict

ARTIFACTS = (
    "report.json",
    "report.html",
    "confusion.html",
    "confusion.png",
    "rates.png",
    "agents.png",
    "summary.md",
    "verdicts.jsonl",
    "disagreements.csv",
    "disagreements.html",
    "prompts.jsonl",
    "config.yaml",
    "overrides.txt",
)
"""Every name that `write_artifacts` may write; the last three only if given."""


def write_artifacts(
    report: ValidationReport,
    folder: Path,
    *,
    labels: LabelSet,
    verdicts: Iterable[Verdict],
    sessions: Iterable[Session] | None = None,
    prompts: Sequence[object] | None = None,
    config_yaml: str | None = None,
    overrides: Sequence[str] | None = None,
    commands: Sequence[str] = (),
) -> list[str]:
    """Write a run's results into its own folder.

    Args:
        report: What was found.
        folder: The run's folder; made if missing. Files of these names are replaced.
        labels: What people said, for the disagreement table.
        verdicts: All verdicts, of members and panel.
        sessions: Sessions judged, for agents that the labels do not know.
        prompts: What was asked, one record per session and dimension.
        config_yaml: The composed configuration as text.
        overrides: What was changed on the command line, one per line of the file.
        commands: Exact commands that give this report again.

    Returns:
        Warnings: figures that could not be drawn.

    Raises:
        OSError: If the folder cannot be written.
    """
    given = tuple(verdicts)
    rows = disagreement_rows(labels, given, judge=report.headline_judge, sessions=sessions or ())
    texts = {
        "report.json": report_json(report) + "\n",
        "report.html": report_html(report, commands=commands),
        "confusion.html": confusion_html(report),
        "summary.md": summary_markdown(report, commands=commands),
        "verdicts.jsonl": "".join(v.model_dump_json() + "\n" for v in given),
        "disagreements.csv": disagreements_csv(rows),
        "disagreements.html": disagreements_html(report, rows),
    }
    if prompts is not None:
        lines = (strict_json(prompt, indent=None) + "\n" for prompt in prompts)
        texts["prompts.jsonl"] = "".join(lines)
    if config_yaml is not None:
        texts["config.yaml"] = config_yaml
    if overrides is not None:
        texts["overrides.txt"] = "".join(f"{override}\n" for override in overrides)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        # A lone surrogate in a prompt is escaped, not a crash after all the judging.
        (folder / name).write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
    return try_figures(report, folder)
