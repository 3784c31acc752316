"""The run's description in MLflow: the verdict first, then the numbers, short enough to show."""

from __future__ import annotations

from collections.abc import Sequence

from assay.metrics import Rate
from assay.reporting.numbers import gate_words, rate_counts, rate_text
from assay.reporting.text import in_markdown, printable, shortened
from assay.reporting.words import (
    POSITIVE_CLASS,
    SIMULATED,
    SYNTHETIC,
    all_warnings,
    bars_line,
    gate_lines,
    label_line,
    pairwise_lines,
    self_enhancement_lines,
    sentence,
    title_line,
)
from assay.schema import DimensionMetrics, ValidationReport

LONGEST = 6_900
"""Characters; MLflow keeps tags of up to 8,000 on every store, its note among them."""
_LONGEST_VERDICT = 900
_POINTER = "see report.html"


def summary_markdown(report: ValidationReport, *, commands: Sequence[str] = ()) -> str:
    """A report as a short Markdown text.

    Args:
        report: Any report.
        commands: Exact commands that give this report again.

    Returns:
        Markdown of at most 6,900 characters; whole rows and lines are left out, with a
        pointer to the page that has them, never parts of a number.
    """
    text = _Budget(LONGEST)
    verdict = shortened(report.overall_verdict, _LONGEST_VERDICT, pointer="see report.json")
    text.add(f"**{in_markdown(sentence(verdict))}**\n")
    if report.simulated:
        text.add(f"\n**{SIMULATED}**\n")
    if report.labels.synthetic:
        text.add(f"\n{SYNTHETIC}\n")
    text.add(f"\n{in_markdown(shortened(title_line(report), 200, pointer=_POINTER))}. ")
    text.add(f"{POSITIVE_CLASS}\n")
    level = f"{report.level:.0%} Wilson"
    head = (
        f"| dimension | TPR [{level}] | TNR [{level}] | coverage | gate |\n|---|---|---|---|---|\n"
    )
    text.add_rows(head, [_row(m) for m in report.headline.dimensions])
    text.add_rows("**Warnings**\n\n", _items(all_warnings(report)))
    text.add_rows("**Own family**\n\n", _items(self_enhancement_lines(report.self_enhancement)))
    text.add_rows("**What decides each gate**\n\n", _items(gate_lines(report.headline.dimensions)))
    text.add_rows("**Pairs**\n\n", _items(pairwise_lines(report)))
    text.add_rows("", [f"{in_markdown(label_line(report.labels))}\n"])
    text.add_rows("", [f"{in_markdown(bars_line(report))}\n"])
    if commands:
        text.add_rows("**To get this report again**\n\n", [_fenced(commands)])
    return text.whole()


class _Budget:
    """Text that takes whole lines while they fit."""

    def __init__(self, limit: int) -> None:
        self._left = limit
        self._parts: list[str] = []

    def add(self, part: str) -> None:
        self._parts.append(part)
        self._left -= len(part)

    def add_rows(self, head: str, rows: Sequence[str]) -> None:
        """Add a headed block; rows that do not fit are counted and pointed at."""
        spare = len(head) + 80
        if not rows or spare > self._left:
            return
        self.add(f"\n{head}")
        kept = 0
        for row in rows:
            if len(row) + 80 > self._left:
                break
            self.add(row)
            kept += 1
        if kept < len(rows):
            self.add(f"\n{len(rows) - kept} more; {_POINTER}.\n")

    def whole(self) -> str:
        return "".join(self._parts)


def _row(m: DimensionMetrics) -> str:
    coverage = rate_counts(m.coverage) if m.coverage.value is not None else _rate(m.coverage)
    cells = (in_markdown(m.dimension), _rate(m.tpr), _rate(m.tnr), coverage)
    return f"| {' | '.join(cells)} | {gate_words(m.gate.state)} |\n"


def _rate(rate: Rate) -> str:
    # Our own brackets make no link; a reason comes from a record and might.
    return rate_text(rate) if rate.value is not None else in_markdown(rate_text(rate))


def _items(lines: Sequence[str]) -> list[str]:
    return [f"- {in_markdown(line)}\n" for line in lines]


def _fenced(commands: Sequence[str]) -> str:
    lines = "\n".join(printable(command) for command in commands)
    fence = "```"
    while fence in lines:
        fence += "`"
    return f"{fence}sh\n{lines}\n{fence}\n"
