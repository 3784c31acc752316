"""Files of our own records: sessions, pairs, and any other JSON Lines that must fit a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from assay.data.faults import Faults, nearest
from assay.data.rows import json_table
from assay.data.table import Row
from assay.schema import Record, Session

R = TypeVar("R", bound=Record)


def load_sessions(path: Path) -> tuple[Session, ...]:
    """Read sessions.

    Args:
        path: JSONL or JSON of Session records.

    Returns:
        Sessions in file order. Ids that are JSON numbers are read as text.

    Raises:
        InputError: If the file cannot be opened.
        LabelFileError: With every fault found, each at its line.
    """
    faults = Faults(path.name)
    table = json_table(path, faults, what="sessions")
    found = records(table.rows, Session, faults, key=("session_id",), ids=("session_id", "task_id"))
    faults.raise_any()
    return found


def records(
    rows: Iterable[Row],
    model: type[R],
    faults: Faults,
    *,
    key: tuple[str, ...],
    ids: tuple[str, ...] = (),
) -> tuple[R, ...]:
    """Records of one model, each with its own key.

    Args:
        rows: Rows of a JSON file.
        model: What each record must be.
        faults: Collects what does not fit; reading goes on.
        key: Fields that together must not repeat.
        ids: Fields of which a whole number becomes its digits, as everywhere else.

    Returns:
        Records in file order.
    """
    found: list[R] = []
    seen: dict[tuple[object, ...], Row] = {}
    for row in rows:
        values = {k: str(v) if k in ids and type(v) is int else v for k, v in row.values.items()}
        try:
            record = model.model_validate(values)
        except ValidationError as error:
            for one in error.errors():
                faults.add(row.line, describe(one, model), record=row.record)
            continue
        name = tuple(getattr(record, field) for field in key)
        first = seen.setdefault(name, row)
        if first is not row:
            shown = ", ".join(f"{f} {v!r}" for f, v in zip(key, name, strict=True) if v is not None)
            faults.add(
                row.line, f"{shown} again; the first is at {first.place}.", record=row.record
            )
            continue
        found.append(record)
    return tuple(found)


def describe(error: Mapping[str, Any], model: type[Record]) -> str:
    """One pydantic error as a sentence: missing, null, blank, wrong type, unknown key."""
    location = error["loc"]
    where = ".".join(str(part) for part in location)
    kind, got = error["type"], error.get("input")
    message = str(error["msg"]).removeprefix("Value error, ")
    if kind == "missing":
        return f"{where} is missing."
    if kind == "extra_forbidden":
        # Keys of nested records are known to their own model only.
        known = model.model_fields if len(location) == 1 else ()
        close = nearest(str(location[-1]), known)
        hint = f"did you mean {close!r}?" if close else "remove it."
        return f"unknown key {where!r}; {hint}"
    if not where:
        return f"{message}."
    if got is None:
        return f"{where} is null; give a value or leave the key out."
    if isinstance(got, str) and not got.strip():
        return f"{where} is blank."
    if kind == "string_pattern_mismatch" and isinstance(got, str):
        fault = "has space at an end" if got != got.strip() else "has a line break in it"
        return f"{where} {got!r} {fault}; remove it."
    return f"{where}: {message[:1].lower()}{message[1:]}, got {_short(got)}."


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
