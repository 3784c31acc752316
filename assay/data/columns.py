"""Which column or key is which: our names, the names other files use, and misspellings.

A name that looks like a misspelling of a field that the file does not have
otherwise is a fault: leaving it out would drop data in silence. Every other
unknown name is left out and named in a notice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assay.data.faults import Faults, nearest
from assay.data.table import Row, Table
from assay.errors import InputError

ALIASES: Mapping[str, tuple[str, ...]] = {
    "session_id": ("session_id", "id", "item_id", "trace_id", "example_id"),
    "dimension": ("dimension", "criterion"),
    "result": ("result", "label", "human", "human_label"),
    "verdict": ("verdict", "outcome", "judge_label", "judge_verdict"),
    "judge": ("judge", "judge_name"),
    "annotator": ("annotator", "labeler", "labeller", "rater"),
    "agent": ("agent", "group", "system"),
    "task_id": ("task_id", "question_id"),
    "notes": ("notes", "note", "comment"),
    "rationale": ("rationale", "explanation"),
}
"""Names that mean a field, the preferred one first; a field not listed has its own name only."""

_ANSWERS = frozenset({"result", "verdict"})
"""Fields of which a wrong choice between two columns would be a wrong measurement."""

_MISSING = object()


class Columns:
    """Resolves the fields of one file to the names it uses for them."""

    def __init__(
        self,
        table: Table,
        fields: Iterable[str],
        faults: Faults,
        *,
        chosen: Mapping[str, str] | None = None,
        ignore: Iterable[str] = (),
        claimed: Iterable[str] = (),
    ) -> None:
        """Decide the names once, from the header or from all keys that are used.

        Args:
            table: Rows of the file.
            fields: Our names that may appear.
            faults: Collects unknown columns.
            chosen: field -> column, where the user says so.
            ignore: Columns that the user says to leave out.
            claimed: Columns that mean something else (one per annotator or judge).

        Raises:
            InputError: If the user names a field or a column that is not there.
        """
        self.table = table
        self.names = table.names
        self.of: dict[str, str] = {}
        self.notices: list[str] = []
        self.left_out: list[str] = []
        self._fields = tuple(fields)
        self._claimed = tuple(claimed)
        self._known = set(ignore) | set(self._claimed)
        self._choose(dict(chosen or {}))
        taken = set(self.of.values()) | self._known
        for field in self._fields:
            if field not in self.of:
                self._find(field, taken, faults)
        self._sort_out_unknown(faults)

    def _choose(self, chosen: dict[str, str]) -> None:
        there = ", ".join(self.names)
        for field, name in chosen.items():
            if field not in self._fields:
                close = nearest(field, self._fields)
                hint = f"did you mean {close}?" if close else f"fields: {', '.join(self._fields)}."
                message = f"{self.table.name}: columns: no field {field!r}; {hint}"
                raise InputError(message)
            if name not in self.names:
                message = f"{self.table.name}: no column {name!r}; there are: {there}."
                raise InputError(message)
            self.of[field] = name
        for name in self._claimed:
            if name not in self.names:
                message = f"{self.table.name}: no column {name!r}; there are: {there}."
                raise InputError(message)

    def _find(self, field: str, taken: set[str], faults: Faults) -> None:
        found = [
            name
            for alias in ALIASES.get(field, (field,))
            for name in self.names
            if name.casefold() == alias and name not in taken
        ]
        if not found:
            return
        # Our own name goes before another's; of two others, or of two answers, neither does.
        own = found[0].casefold() == field and field not in _ANSWERS
        if len(found) > 1 and (not own or found[1].casefold() == field):
            word = "columns" if self.table.delimited else "keys"
            faults.add(
                self._line(found[1]),
                f"{word} {' and '.join(map(repr, found))} could all be {field}; keep one.",
            )
        self.of[field] = found[0]

    def _sort_out_unknown(self, faults: Faults) -> None:
        owner = {alias: f for f in self._fields for alias in ALIASES.get(f, (f,))}
        used = set(self.of.values()) | self._known
        word = "column" if self.table.delimited else "key"
        for name in self.names:
            if name in used:
                continue
            close = nearest(name.casefold(), owner)
            if close is not None and name.casefold() not in owner:
                row = self._first_without(name, self.of.get(owner[close]))
                if row is not None:
                    line = self.table.header_line if self.table.delimited else row.line
                    faults.add(line, f"unknown {word} {name!r}; did you mean {close!r}?")
                    continue
            self.left_out.append(name)
        if self.left_out:
            listed = ", ".join(self.left_out)
            self.notices.append(f"{self.table.name}: left out, not used here: {listed}")

    def _first_without(self, name: str, real: str | None) -> Row | None:
        """The first record that has a name and lacks the one it may be meant for."""
        for row in self.table.rows:
            if name in row.values and (real is None or real not in row.values):
                return row
        return None

    def _line(self, name: str) -> int:
        if self.table.delimited:
            return self.table.header_line
        return next(row.line for row in self.table.rows if name in row.values)

    def require(self, field: str, faults: Faults, *, or_else: str = "") -> None:
        """Note a fault when no column or key is the field."""
        if field in self.of:
            return
        word = "columns" if self.table.delimited else "keys"
        line = self.table.header_line if self.table.delimited else self.table.rows[0].line
        expected = ", ".join(ALIASES.get(field, (field,)))
        what = {"session_id": "id", "result": "label"}.get(field, field)
        there = ", ".join(self.names)
        faults.add(
            line, f"no {what}: expected {expected}{or_else} among the {word}; there are: {there}."
        )

    def get(self, values: Mapping[str, Any], field: str) -> Any:  # noqa: ANN401
        """A row's value of a field; None where the file or the row has none."""
        name = self.of.get(field)
        return None if name is None else values.get(name)

    def needed(self, values: Mapping[str, Any], field: str) -> Any:  # noqa: ANN401
        """A row's value of a field that every record must have, null or not.

        Raises:
            ValueError: If the record lacks the key.
        """
        name = self.of[field]
        value = values.get(name, _MISSING)
        if value is _MISSING:
            mend = "" if field == "session_id" else "; write null if there is none"
            message = f"{name} is missing{mend}."
            raise ValueError(message)
        return value
