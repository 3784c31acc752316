"""Collect faults while reading on, so that one reading reports all of them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from assay.errors import LabelFileError

SHOWN = 20
"""Faults printed at most; the rest is counted."""


class Faults:
    """Faults of one file."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._found: list[tuple[int, str]] = []

    def add(self, line: int | None, what: str, *, record: int | None = None) -> None:
        """Note a fault at a physical line, and at a record where lines and records differ."""
        place = self.name if line is None else f"{self.name}:{line}"
        where = f"{place}: record {record}" if record is not None else place
        self._found.append((line or 0, f"{where}: {what}"))

    def __len__(self) -> int:
        return len(self._found)

    @property
    def sentences(self) -> list[str]:
        """The first 20 faults in words, in the order of their lines, and the count of the rest."""
        in_order = sorted(self._found, key=lambda fault: fault[0])
        shown = [sentence for _, sentence in in_order[:SHOWN]]
        if more := len(self._found) - len(shown):
            shown.append(f"{self.name}: and {more} more fault{'s' if more > 1 else ''}.")
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
    words = list(known)
    # Two letters in the wrong order: `lable` is `label`, though `labeler` shares more of it.
    swapped = [w for w in words if sorted(w) == sorted(word)]
    close = swapped or difflib.get_close_matches(word, words, n=1, cutoff=0.75)
    # `question` and `label_2` are words of their own, not `question_id` and `label` misspelt.
    # So are `annotator1` and `annotator2`.
    if not close or close[0].startswith(f"{word}_") or word.startswith(f"{close[0]}_"):
        return None
    return close[0] if word.rstrip("0123456789") != close[0] else None
