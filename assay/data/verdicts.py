"""Recorded verdicts from JSONL, JSON, CSV and TSV: validate a judge without calling it.

Long: one row per verdict. Wide: one row per session with one column per judge.
A blank or null verdict is a record without a verdict: abstained, not recorded;
it is never a Fail and never left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import ValidationError

from assay.data.columns import Columns, identifier, optional_text
from assay.data.faults import Faults
from assay.data.labels import DEFAULT_DIMENSION
from assay.data.rows import Row, read_rows
from assay.data.spellings import Meaning, Spellings
from assay.schema import ABSTAINED_REASONS, Verdict, VerdictSet

_FIELDS = (
    "session_id", "dimension", "verdict", "judge", "family", "reason", "detail", "rationale",
    "raw_text", "prompt_fingerprint", "served_model", "usage", "cost_usd", "latency_s",
    "attempts", "repeat", "simulated", "agent", "task_id",
)  # fmt: skip
_COPIED = (
    "detail", "rationale", "raw_text", "prompt_fingerprint", "served_model", "usage", "cost_usd",
    "latency_s", "attempts", "repeat", "simulated",
)  # fmt: skip


@dataclass(frozen=True)
class VerdictOptions:
    """How to read a verdict file that does not use our own names."""

    columns: Mapping[str, str] = field(default_factory=dict[str, str])
    """Our field -> column of the file."""
    spellings: Mapping[str, str] = field(default_factory=dict[str, str])
    """Raw value -> Pass, Fail, unlabelled, abstained or errored."""
    judge_columns: tuple[str, ...] = ()
    """Wide form: one column of verdicts per judge."""
    dimension: str | None = None
    """Dimension of all rows, for files without such a column; else "overall"."""
    judge: str | None = None
    """Judge of all rows, for files without such a column; else "judge"."""
    ignore: tuple[str, ...] = ()
    """Columns to leave out without a word."""


def load_verdicts(path: Path, *, options: VerdictOptions | None = None) -> VerdictSet:
    """Read recorded verdicts.

    Args:
        path: JSONL, JSON, CSV, TSV or semicolon-separated file; also the
            verdicts.jsonl that a run of `assay` wrote.
        options: How to read other people's columns and spellings.

    Returns:
        All verdicts in file order, and the table of spellings.

    Raises:
        InputError: If the file cannot be opened or a named column is not there.
        LabelFileError: With every fault found, each at its file and line.
    """
    chosen = options or VerdictOptions()
    faults = Faults(path.name)
    table = read_rows(path, faults)
    columns = Columns(
        table,
        _FIELDS,
        faults,
        chosen=chosen.columns,
        ignore=chosen.ignore,
        claimed=chosen.judge_columns,
    )
    there = ", ".join(table.columns or (tuple(table.rows[0].values) if table.rows else ()))
    before = len(faults)
    if table.rows and "session_id" not in columns.of:
        faults.add(table.rows[0].line, f"no id: expected session_id, id or item_id among: {there}.")
    if table.rows and "verdict" not in columns.of and not chosen.judge_columns:
        expected = "expected verdict or outcome, or judge columns"
        faults.add(table.rows[0].line, f"no verdict: {expected} among: {there}.")
    # Without these every row would be at fault; other faults are collected further on.
    if len(faults) > before or not table.rows:
        faults.raise_any()
    spellings = Spellings(chosen.spellings, verdicts=True)
    found: list[Verdict] = []
    seen: dict[tuple[str, str, str, int], tuple[int, str]] = {}
    for row in table.rows:
        for judge, raw in _cells(row, columns, chosen):
            verdict = _read(row, columns, spellings, faults, judge, raw, chosen)
            if verdict is None:
                continue
            key = (verdict.judge, verdict.session_id, verdict.dimension, verdict.repeat)
            before = seen.setdefault(key, (row.line, verdict.outcome))
            if before[0] != row.line:
                faults.add(
                    row.line,
                    f"a second verdict of {verdict.judge} for {verdict.session_id!r}, "
                    f"{verdict.dimension}: {verdict.outcome}, line {before[0]} says {before[1]}; "
                    f"keep one, or number repeats in a column repeat.",
                    record=row.record,
                )
                continue
            found.append(verdict)
    faults.raise_any()
    return VerdictSet(
        verdicts=tuple(found),
        spellings=spellings.table,
        notices=tuple(columns.notices),
        source=path.name,
    )


def recorded(meaning: Meaning, reason: str | None) -> dict[str, str | None]:
    """Outcome and reason of a recorded verdict's meaning."""
    if meaning in {"Pass", "Fail"}:
        return {"outcome": meaning.lower(), "reason": None}
    if meaning == "errored":
        return {"outcome": "errored", "reason": reason or "bad_response"}
    if meaning == "abstained":
        return {"outcome": "abstained", "reason": reason or "not_recorded"}
    outcome = "errored" if reason and reason not in ABSTAINED_REASONS else "abstained"
    return {"outcome": outcome, "reason": reason or "not_recorded"}


def _cells(row: Row, columns: Columns, options: VerdictOptions) -> Iterator[tuple[str, Any]]:
    if options.judge_columns:
        for name in options.judge_columns:
            yield name, row.values.get(name)
        return
    judge = optional_text(columns.get(row.values, "judge")) or options.judge or "judge"
    yield judge, columns.get(row.values, "verdict")


def _read(
    row: Row,
    columns: Columns,
    spellings: Spellings,
    faults: Faults,
    judge: str,
    raw: Any,  # noqa: ANN401
    options: VerdictOptions,
) -> Verdict | None:
    try:
        meaning = spellings.read(raw)
        values: dict[str, Any] = {
            "session_id": identifier(columns.get(row.values, "session_id")),
            "dimension": options.dimension
            or optional_text(columns.get(row.values, "dimension"))
            or DEFAULT_DIMENSION,
            "judge": judge,
            "family": optional_text(columns.get(row.values, "family")),
            **recorded(meaning, optional_text(columns.get(row.values, "reason"))),
        }
        for name in _COPIED:
            value = columns.get(row.values, name)
            if value is not None and value != "":
                values[name] = value
        return Verdict.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "verdict"
        message = first["msg"].removeprefix("Value error, ")
        faults.add(row.line, f"{where}: {message}.", record=row.record)
    except ValueError as error:
        faults.add(row.line, str(error), record=row.record)
    return None


Form = Literal["combined", "labels", "verdicts", "pairs"]


def first_keys(path: Path) -> frozenset[str]:
    """Keys of a file's first record, to tell what kind of file it is."""
    faults = Faults(path.name)
    table = read_rows(path, faults)
    faults.raise_any()
    return frozenset(cast("dict[str, Any]", table.rows[0].values))
