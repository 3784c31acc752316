"""Tables that stay readable when the terminal is narrow.

Numbers are never cut. A table that does not fit is replaced by the next of its
layouts, and at last by one block of lines per row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.reporting.text import printable

if TYPE_CHECKING:
    from rich.console import Console

_GAP = 2
"""Spaces between columns."""
_NARROWEST = 14
"""Columns of text are folded down to this width, not further."""
_STYLES = (
    ("target confirmed", "green"),
    ("minimum confirmed", "green"),
    ("fails minimum", "bold red"),
    ("below, unsettled", "red"),
    ("target unconfirmed", "yellow"),
    ("minimum unconfirmed", "yellow"),
    ("undefined", "magenta"),
)
"""Colour repeats what the words say; nothing is told by colour alone."""


@dataclass(frozen=True)
class Column:
    """One column's heading and behaviour."""

    heading: str
    folds: bool = False
    """Whether text may run over several lines; numbers never do."""
    right: bool = False
    """Aligned to the right, for counts."""


@dataclass(frozen=True)
class Grid:
    """One table, as text."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    keys: int = 1
    """How many leading columns name the row."""
    sections: frozenset[int] = frozenset()
    """Rows before which a blank line stands."""


def show(console: Console, *layouts: Sequence[Grid]) -> None:
    """Print the first layout that fits the console's width.

    Args:
        console: Where to.
        *layouts: Grids that say the same, widest layout first. When none fits, the
            first grids are printed row by row, one line per column.
    """
    for layout in layouts:
        widths = [_widths(grid, console.width) for grid in layout]
        if all(widths):
            for number, (grid, fitted) in enumerate(zip(layout, widths, strict=True)):
                if number:
                    console.print()
                _print_table(console, grid, fitted)
            return
    for grid in layouts[0]:
        _print_stacked(console, grid)


def _widths(grid: Grid, available: int) -> list[int]:
    """Width of each column, or nothing when the grid does not fit."""
    widths = [
        max(_longest_line(c.heading), *(_longest_line(row[i]) for row in grid.rows), 1)
        for i, c in enumerate(grid.columns)
    ]
    room = available - _GAP * (len(widths) - 1)
    while sum(widths) > room:
        foldable = [
            i for i, c in enumerate(grid.columns) if c.folds and widths[i] > _floor(c, widths[i])
        ]
        if not foldable:
            return []
        widest = max(foldable, key=lambda i: widths[i])
        widths[widest] -= 1
    return widths


def _floor(column: Column, width: int) -> int:
    return max(_longest_line(column.heading), min(width, _NARROWEST))


def _longest_line(text: str) -> int:
    from rich.cells import cell_len

    return max(cell_len(printable(line)) for line in text.split("\n"))


def _print_table(console: Console, grid: Grid, widths: Sequence[int]) -> None:
    from rich.box import Box
    from rich.table import Table
    from rich.text import Text

    rule = "-" if not console.is_terminal or not _can_draw(console) else "─"
    box = Box(f"    \n    \n {rule}  \n    \n    \n    \n    \n    \n")
    table = Table(
        box=box,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        header_style="bold",
    )
    for column, width in zip(grid.columns, widths, strict=True):
        table.add_column(
            Text(column.heading),
            justify="right" if column.right else "left",
            width=width,
            no_wrap=not column.folds,
            overflow="fold",
        )
    for number, row in enumerate(grid.rows):
        if number in grid.sections:
            table.add_section()
        table.add_row(*(Text(_lines(cell), style=_style(cell)) for cell in row))
    console.print(table)


def _print_stacked(console: Console, grid: Grid) -> None:
    from rich.text import Text

    label = max(_longest_line(c.heading) for c in grid.columns[grid.keys :])
    for row in grid.rows:
        name = ", ".join(printable(cell) for cell in row[: grid.keys])
        console.print(Text(name, style="bold"), overflow="fold")
        for column, cell in zip(grid.columns[grid.keys :], row[grid.keys :], strict=True):
            heading = " ".join(column.heading.split("\n"))
            value = " ".join(_lines(cell).split("\n"))
            line = Text(f"  {heading.ljust(label)}  ")
            console.print(line + Text(value, style=_style(cell)), overflow="fold")


def _lines(cell: str) -> str:
    return "\n".join(printable(line) for line in cell.split("\n"))


def _style(cell: str) -> str:
    return next((style for words, style in _STYLES if cell.startswith(words)), "")


def _can_draw(console: Console) -> bool:
    return console.encoding.lower().replace("-", "") == "utf8"
