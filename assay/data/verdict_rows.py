"""From rows to verdicts: what was said, by whom, and why nothing was said."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, get_args

from pydantic import ValidationError

from assay.data.cells import amount, count, flag, identifier, json_of, optional_text
from assay.data.columns import Columns
from assay.data.faults import Faults, nearest
from assay.data.label_rows import dimension_of
from assay.data.records_in import describe
from assay.data.spellings import Meaning, Spellings
from assay.data.table import Row
from assay.schema import ABSTAINED_REASONS, Reason, Verdict

COPIED = (
    "detail", "rationale", "raw_text", "prompt_fingerprint", "served_model", "usage", "cost_usd",
    "latency_s", "attempts", "repeat", "simulated",
)  # fmt: skip
"""Fields of a verdict that are taken as they are."""

_OF_CELLS: Mapping[str, Callable[[str, str], Any]] = {
    "attempts": count,
    "repeat": count,
    "cost_usd": amount,
    "latency_s": amount,
    "simulated": flag,
    "usage": json_of,
}
"""What is no text in a record, read from the text of a cell; JSON has types of its own."""

_REASONS: tuple[str, ...] = get_args(Reason)
_TEXTS = frozenset({"detail", "rationale", "raw_text"})


class VerdictRows:
    """Collects verdicts while the rows of one file go by."""

    def __init__(
        self,
        columns: Columns,
        spellings: Spellings,
        faults: Faults,
        *,
        dimension: str | None,
        judge: str | None,
        judge_columns: tuple[str, ...],
    ) -> None:
        self.verdicts: list[Verdict] = []
        self.notices: list[str] = []
        self.ids_as_numbers = 0
        self._columns = columns
        self._spellings = spellings
        self._faults = faults
        self._dimension = dimension
        self._judge = judge
        self._judge_columns = judge_columns
        self._seen: dict[tuple[str, str, str, int], tuple[Row, str]] = {}
        self._explanations_under_reason()
        name = columns.table.name
        for field, value in (("dimension", dimension), ("judge", judge)):
            if value is not None and field in columns.of:
                self.notices.append(
                    f"{name}: all rows are read as {field} {value}, not by column "
                    f"{columns.of[field]}"
                )
        self._copied = tuple((f, columns.of[f]) for f in COPIED if f in columns.of)

    def read(self, row: Row) -> None:
        """Take in one row; its faults are noted, each with the row's place."""
        try:
            raw_id = self._columns.needed(row.values, "session_id")
            shared = self._shared(row, identifier(raw_id))
        except ValueError as error:
            self._fault(row, str(error))
            return
        if type(raw_id) is int:
            self.ids_as_numbers += 1
        for judge, name in self._cells(row):
            try:
                raw = row.values.get(name) if name else self._columns.needed(row.values, "verdict")
                said = recorded(self._spellings.read(raw), self._reason(row))
                verdict = Verdict.model_validate({**shared, "judge": judge, **said})
            except ValidationError as error:
                for one in error.errors():
                    self._fault(row, describe(one, Verdict))
                continue
            except ValueError as error:
                where = f"{name}: " if name else ""
                self._fault(row, where + str(error))
                continue
            if self._is_new(verdict, row):
                self.verdicts.append(verdict)

    def _explanations_under_reason(self) -> None:
        # Many files call a judge's explanation its reason; ours says why there is no verdict.
        name = self._columns.of.get("reason")
        if name is None or "rationale" in self._columns.of:
            return
        verdict = self._columns.of.get("verdict", "")
        words = [
            (str(row.values.get(name) or "").strip(), row.values.get(verdict))
            for row in self._columns.table.rows
        ]
        if any(word in _REASONS for word, _ in words) or not any(
            word and said not in {None, ""} for word, said in words if not _nested(said)
        ):
            return
        self._columns.of["rationale"] = name
        del self._columns.of["reason"]
        self.notices.append(
            f"{self._columns.table.name}: column {name} is read as the judge's rationale; no cell "
            f"of it is a known reason for a missing verdict"
        )

    def _shared(self, row: Row, session_id: str) -> dict[str, Any]:
        values = row.values
        shared: dict[str, Any] = {
            "session_id": session_id,
            "dimension": self._dimension or dimension_of(row, self._columns),
        }
        family = optional_text(self._columns.get(values, "family"), "family")
        if family is not None:
            shared["family"] = family
        for field, name in self._copied:
            value = values.get(name)
            blank = isinstance(value, str) and not value.strip()
            # Only a text may be blank; a blank number of a table is no number.
            if value is None or (blank and field not in _TEXTS):
                continue
            convert = _OF_CELLS.get(field) if self._columns.table.delimited else None
            shared[field] = convert(value, field) if convert else value
        return shared

    def _cells(self, row: Row) -> Iterator[tuple[str, str | None]]:
        if self._judge_columns:
            for name in self._judge_columns:
                yield name, name
            return
        try:
            judge = self._judge or optional_text(self._columns.get(row.values, "judge"), "judge")
        except ValueError as error:
            self._fault(row, str(error))
            return
        if judge is None and "judge" in self._columns.of:
            self._fault(row, "the judge is blank or missing; name who gave the verdict.")
            return
        yield judge or "judge", None

    def _reason(self, row: Row) -> str | None:
        reason = optional_text(self._columns.get(row.values, "reason"), "reason")
        if reason is None or reason in _REASONS:
            return reason
        close = nearest(reason, _REASONS)
        hint = f"did you mean {close}?" if close else f"one of {', '.join(_REASONS)}."
        message = (
            f"reason {reason!r} is no known reason for a missing verdict; {hint} A judge's own "
            f"words belong in a column rationale."
        )
        raise ValueError(message)

    def _is_new(self, verdict: Verdict, row: Row) -> bool:
        key = (verdict.judge, verdict.session_id, verdict.dimension, verdict.repeat)
        before = self._seen.setdefault(key, (row, verdict.outcome))
        if before[0] is row:
            return True
        self._fault(
            row,
            f"a second verdict of {verdict.judge} for {verdict.session_id!r}, "
            f"{verdict.dimension}: {verdict.outcome}, {before[0].place} says {before[1]}; "
            f"keep one, or number repeats in a column repeat.",
        )
        return False

    def _fault(self, row: Row, what: str) -> None:
        self._faults.add(row.line, what, record=row.record)


def recorded(meaning: Meaning, reason: str | None) -> dict[str, str | None]:
    """Outcome and reason of a recorded verdict's meaning.

    A reason beside Pass or Fail is kept, so that the record's own check refuses it.
    """
    if meaning in {"Pass", "Fail"}:
        return {"outcome": meaning.lower(), "reason": reason}
    if meaning == "errored":
        return {"outcome": "errored", "reason": reason or "bad_response"}
    if meaning == "abstained":
        return {"outcome": "abstained", "reason": reason or "not_recorded"}
    outcome = "errored" if reason and reason not in ABSTAINED_REASONS else "abstained"
    return {"outcome": outcome, "reason": reason or "not_recorded"}


def _nested(value: Any) -> bool:  # noqa: ANN401
    return isinstance(value, dict | list)
