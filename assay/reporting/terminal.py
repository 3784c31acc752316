"""A report for the person at the terminal: what was counted, what it means, what to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import IO, TYPE_CHECKING

from assay.reporting.grid import show
from assay.reporting.numbers import figure_text
from assay.reporting.report_grids import (
    Layouts,
    agent_grids,
    dimension_grids,
    judge_grids,
    member_grids,
)
from assay.reporting.streams import open_console
from assay.reporting.text import printable
from assay.reporting.words import (
    POSITIVE_CLASS,
    SIMULATED,
    SYNTHETIC,
    all_warnings,
    bars_line,
    gate_lines,
    label_line,
    named,
    no_verdict_lines,
    pairwise_lines,
    panel_members,
    self_enhancement_lines,
    sentence,
    title_line,
    undefined_lines,
)
from assay.schema import DimensionMetrics, JudgeReport, ValidationReport

if TYPE_CHECKING:
    from rich.console import Console


def print_report(
    report: ValidationReport, *, console: Console | None = None, file: IO[str] | None = None
) -> None:
    """Print a report: header, tables, warnings, and the overall verdict last.

    Args:
        report: What was found. Pass is the positive class.
        console: Console to print to.
        file: Stream to print to when no console is given; None is stdout.
    """
    console = console or open_console(file)
    _print_header(console, report)
    members = panel_members(report)
    others = [j for j in report.judges if j not in members]
    if len(others) > 1:
        _print_judges(console, report, others)
    else:
        _print_one(console, report, report.headline)
    if members:
        _table(console, "Members of the panel", member_grids(members, level=report.level))
        rows = [(j, m) for j in members for m in j.dimensions]
        _lines(console, undefined_lines((j.judge, m) for j, m in rows))
        _lines(console, [t for j, m in rows for t in no_verdict_lines([m], judge=j.judge)])
    _section(console, "Pairs, asked in both orders", pairwise_lines(report))
    _section(console, "Own family", self_enhancement_lines(report.self_enhancement))
    _section(console, "Warnings", all_warnings(report), style="yellow")
    console.print()
    _say(console, sentence(f"Overall: {report.overall_verdict}"), style="bold")


def _print_header(console: Console, report: ValidationReport) -> None:
    _say(console, title_line(report), style="bold")
    if report.simulated:
        _say(console, SIMULATED, style="bold yellow")
    if report.labels.synthetic:
        _say(console, SYNTHETIC, style="yellow")
    _say(console, POSITIVE_CLASS)
    _say(console, label_line(report.labels))
    _say(console, bars_line(report))


def _print_one(console: Console, report: ValidationReport, judge: JudgeReport) -> None:
    _table(console, f"{named(judge)}, per dimension", dimension_grids(judge, level=report.level))
    _lines(console, undefined_lines((None, m) for m in judge.dimensions))
    _lines(console, no_verdict_lines(judge.dimensions))
    _section(console, "What decides each gate", gate_lines(judge.dimensions))
    _say(
        console,
        f"Lowest TPR {figure_text(judge.min_tpr)}; lowest TNR {figure_text(judge.min_tnr)}; "
        f"balanced accuracy {figure_text(judge.balanced_accuracy)}.",
    )
    _say(console, sentence(f"Kappa with people: {_kappas(judge.dimensions)}"))
    if judge.agents:
        _table(console, f"{named(judge)}, per agent", agent_grids(judge, level=report.level))
        _lines(console, undefined_lines((None, m) for m in judge.agents))


def _print_judges(
    console: Console, report: ValidationReport, judges: Sequence[JudgeReport]
) -> None:
    _table(console, "Judges, dimensions and agents", judge_grids(judges, level=report.level))
    rows = [(j, m) for j in judges for m in (*j.dimensions, *j.agents)]
    _lines(console, undefined_lines((j.judge, m) for j, m in rows))
    overall = [(j, m) for j in judges for m in j.dimensions]
    _lines(console, [t for j, m in overall for t in no_verdict_lines([m], judge=j.judge)])
    _section(
        console,
        "What decides each gate",
        [f"{j.judge}, {line}" for j, m in overall for line in gate_lines([m])],
    )
    for j in judges:
        _say(console, sentence(f"Kappa with people, {j.judge}: {_kappas(j.dimensions)}"))


def _kappas(metrics: Iterable[DimensionMetrics]) -> str:
    return "; ".join(f"{m.dimension} {figure_text(m.kappa)}" for m in metrics)


def _table(console: Console, title: str, layouts: Layouts) -> None:
    console.print()
    _say(console, title, style="bold")
    show(console, *layouts)


def _section(console: Console, title: str, lines: Sequence[str], *, style: str = "") -> None:
    if not lines:
        return
    console.print()
    _say(console, title, style=f"bold {style}".strip())
    _lines(console, lines)


def _lines(console: Console, lines: Iterable[str]) -> None:
    for line in lines:
        _say(console, line, indent=2)


def _say(console: Console, text: str, *, style: str = "", indent: int = 0) -> None:
    from rich.padding import Padding
    from rich.text import Text

    shown = Text(printable(text), style=style, overflow="fold")
    console.print(Padding(shown, (0, 0, 0, indent), expand=False) if indent else shown)
