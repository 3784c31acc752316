"""From rows to labels: each cell read, each second label told apart from a second vote."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from assay.data.cells import flag, identifier, optional_text, plain_text, share
from assay.data.columns import Columns
from assay.data.facts import Facts
from assay.data.faults import Faults
from assay.data.records_in import describe
from assay.data.spellings import Spellings
from assay.data.table import Row
from assay.schema import HumanLabel

DEFAULT_DIMENSION = "overall"


class LabelRows:
    """Collects labels, facts and counts while the rows of one file go by."""

    def __init__(
        self,
        columns: Columns,
        spellings: Spellings,
        faults: Faults,
        *,
        dimension: str | None,
        annotator_columns: tuple[str, ...],
        dimension_columns: tuple[str, ...],
    ) -> None:
        self.labels: list[HumanLabel] = []
        self.facts = Facts()
        self.unlabelled = 0
        self.ids_as_numbers = 0
        self._columns = columns
        self._spellings = spellings
        self._faults = faults
        self._dimension = dimension
        self._annotator_columns = annotator_columns
        self._dimension_columns = dimension_columns
        self._seen: dict[tuple[str, str, str | None], tuple[Row, str]] = {}
        self._items: dict[tuple[str, str], tuple[Row, bool]] = {}
        self._with_facts = bool({"agent", "agent_family", "task_id"} & columns.of.keys())

    def read(self, row: Row) -> None:
        """Take in one row; its faults are noted, each with the row's place."""
        try:
            session_id = self._id(row)
            shared = self._shared(row)
        except ValueError as error:
            self._fault(row, str(error))
            return
        if self._with_facts:
            self._note_facts(session_id, row)
        for annotator, dimension, name in self._cells(row):
            try:
                raw = row.values.get(name) if name else self._columns.needed(row.values, "result")
                meaning = self._spellings.read(raw)
            except ValueError as error:
                where = f"{name}: " if name else ""
                self._fault(row, where + str(error))
                continue
            if meaning == "unlabelled":
                self.unlabelled += 1
                continue
            try:
                label = HumanLabel(
                    session_id=session_id,
                    dimension=dimension,
                    result=meaning,  # type: ignore[arg-type]  # only Pass and Fail are left
                    annotator=annotator,
                    **shared,
                )
            except ValidationError as error:
                for one in error.errors():
                    self._fault(row, describe(one, HumanLabel))
                continue
            if self._is_new(label, row):
                self.labels.append(label)

    def _id(self, row: Row) -> str:
        raw = self._columns.needed(row.values, "session_id")
        if type(raw) is int:
            self.ids_as_numbers += 1
        return identifier(raw)

    def _shared(self, row: Row) -> dict[str, Any]:
        # Fields that the file does not have keep their defaults, at no cost per row.
        of, values = self._columns.of, row.values
        shared: dict[str, Any] = {}
        if "confidence" in of:
            shared["confidence"] = share(values.get(of["confidence"]), "confidence")
        if "notes" in of:
            shared["notes"] = plain_text(values.get(of["notes"]), "notes")
        if "synthetic" in of:
            shared["synthetic"] = flag(values.get(of["synthetic"]), "synthetic")
        return shared

    def _cells(self, row: Row) -> Iterator[tuple[str | None, str, str | None]]:
        """Annotator, dimension, and in the wide form the column, of each label of a row."""
        get = self._columns.get
        try:
            annotator = optional_text(get(row.values, "annotator"), "annotator")
            if self._dimension_columns:
                for name in self._dimension_columns:
                    yield annotator, name, name
                return
            dimension = self._dimension or dimension_of(row, self._columns)
        except ValueError as error:
            self._fault(row, str(error))
            return
        if self._annotator_columns:
            for name in self._annotator_columns:
                yield name, dimension, name
        else:
            yield annotator, dimension, None

    def _note_facts(self, session_id: str, row: Row) -> None:
        get = self._columns.get
        try:
            problems = self.facts.note(
                session_id,
                agent=optional_text(get(row.values, "agent"), "agent"),
                family=optional_text(get(row.values, "agent_family"), "agent_family"),
                task=optional_text(get(row.values, "task_id"), "task_id"),
            )
        except ValueError as error:
            problems = [str(error)]
        for problem in problems:
            self._fault(row, problem)

    def _is_new(self, label: HumanLabel, row: Row) -> bool:
        key = (label.session_id, label.dimension, label.annotator)
        before = self._seen.setdefault(key, (row, label.result))
        if before[0] is not row:
            who = f" by {label.annotator}" if label.annotator else ""
            kind = "a second label" if before[1] == label.result else "a conflicting label"
            self._fault(
                row,
                f"{kind} for {label.session_id!r}, {label.dimension}{who}: {label.result}, "
                f"{before[0].place} says {before[1]}; keep one, or name the annotators.",
            )
            return False
        named = label.annotator is not None
        first, first_named = self._items.setdefault(
            (label.session_id, label.dimension), (row, named)
        )
        if first is not row and not (named and first_named):
            self._fault(
                row,
                f"several labels for {label.session_id!r}, {label.dimension}, and one names no "
                f"annotator (see {first.place}); name the annotator of each.",
            )
            return False
        return True

    def _fault(self, row: Row, what: str) -> None:
        self._faults.add(row.line, what, record=row.record)


def dimension_of(row: Row, columns: Columns) -> str:
    """The dimension that a row is about; "overall" where the file has no such column.

    Raises:
        ValueError: If the file has dimensions and this row has none.
    """
    dimension = optional_text(columns.get(row.values, "dimension"), "dimension")
    if dimension is None and "dimension" in columns.of:
        message = "the dimension is blank or missing; name the criterion that was asked about."
        raise ValueError(message)
    return dimension or DEFAULT_DIMENSION
