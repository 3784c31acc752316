"""Rows that know their place, whatever kind of file they came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Row:
    """One record of a file."""

    values: dict[str, Any]
    line: int
    """Physical line on which the record starts, from 1."""
    record: int | None
    """Record number from 1 where it can differ from the line; None in JSON Lines."""

    @property
    def place(self) -> str:
        """The place in words, for a message about another record."""
        return (
            f"line {self.line}"
            if self.record is None
            else f"record {self.record}, line {self.line}"
        )


@dataclass(frozen=True)
class Table:
    """All rows of a file."""

    name: str
    rows: tuple[Row, ...]
    columns: tuple[str, ...] = ()
    """Header of a delimited file; empty for JSON."""
    header_line: int = 1
    notices: tuple[str, ...] = ()
    """What was left out while reading, one sentence each."""

    @property
    def delimited(self) -> bool:
        """Whether cells are text under a header."""
        return bool(self.columns)

    @property
    def names(self) -> tuple[str, ...]:
        """The header, or all keys that any record uses, in order of first appearance."""
        if self.columns:
            return self.columns
        found: dict[str, None] = {}
        for row in self.rows:
            if not row.values.keys() <= found.keys():
                found |= dict.fromkeys(row.values)
        return tuple(found)
