"""Collect faults while reading on, so that one reading reports all of them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from assay.errors import LabelFileError

SHOWN = 20
"""Faults printed at most; the rest is counted."""


class Faults:
    """Faults of one file, in the order they were met."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._found: list[str] = []

    def add(self, line: int | None, what: str, *, record: int | None = None) -> None:
        """Note a fault at a physical line, and at a record where lines and records differ."""
        place = self.name if line is None else f"{self.name}:{line}"
        where = f"{place}: record {record}" if record is not None else place
        self._found.append(f"{where}: {what}")

    def __len__(self) -> int:
        return len(self._found)

    @property
    def sentences(self) -> list[str]:
        """The first 20 faults in words, and the count of the rest."""
        shown = self._found[:SHOWN]
        if more := len(self._found) - len(shown):
            shown.append(f"{self.name}: and {more} more faults.")
        return shown

    def raise_any(self) -> None:
        """Raise all that was found, if anything was.

        Raises:
            LabelFileError: With up to 20 faults in words and the count of the rest.
        """
        if self._found:
            raise LabelFileError(self.sentences)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that a misspelt one most likely means."""
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.75)
    return close[0] if close else None
