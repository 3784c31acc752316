"""Files of our own records: sessions, and any other JSON Lines that must fit a model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from assay.data.faults import Faults, nearest
from assay.data.rows import read_rows
from assay.schema import Record, Session

R = TypeVar("R", bound=Record)


def load_sessions(path: Path) -> tuple[Session, ...]:
    """Read sessions.

    Args:
        path: JSONL or JSON of Session records.

    Returns:
        Sessions in file order.

    Raises:
        InputError: If the file cannot be opened.
        LabelFileError: With every fault found, each at its line.
    """
    return load_records(path, Session, key="session_id")


def load_records(path: Path, model: type[R], *, key: str) -> tuple[R, ...]:
    """Read records of one model, each with its own key.

    Args:
        path: JSONL or JSON.
        model: What each record must be.
        key: Field that must not repeat.

    Returns:
        Records in file order.

    Raises:
        InputError: If the file cannot be opened.
        LabelFileError: With every fault found, each at its line.
    """
    faults = Faults(path.name)
    table = read_rows(path, faults)
    found: list[R] = []
    seen: dict[str, int] = {}
    for row in table.rows:
        try:
            record = model.model_validate(row.values)
        except ValidationError as error:
            for one in error.errors():
                faults.add(row.line, describe(one, model))
            continue
        name = str(getattr(record, key))
        before = seen.setdefault(name, row.line)
        if before != row.line:
            faults.add(row.line, f"{key} {name!r} again; the first is at line {before}.")
            continue
        found.append(record)
    faults.raise_any()
    return tuple(found)


def describe(error: Mapping[str, Any], model: type[Record]) -> str:
    """One pydantic error as a sentence: missing, null, blank, wrong type, unknown key."""
    where = ".".join(str(part) for part in error["loc"])
    kind, got = error["type"], error.get("input")
    if kind == "missing":
        return f"{where} is missing."
    if kind == "extra_forbidden":
        close = nearest(str(error["loc"][-1]), model.model_fields)
        hint = f"did you mean {close!r}?" if close else "remove it."
        return f"unknown key {where!r}; {hint}"
    if got is None:
        return f"{where} is null; give a value or leave the key out."
    if isinstance(got, str) and not got.strip():
        return f"{where} is blank."
    message = str(error["msg"]).removeprefix("Value error, ")
    return f"{where}: {message[:1].lower()}{message[1:]}, got {got!r}."
