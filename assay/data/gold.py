"""Read a gold set, or raise on everything that would make its figure unreliable.

A mistyped key is how a required claim silently stops being checked; an empty
`must_include` scores 100% against any answer; a claim both required and
forbidden can never be scored. Each is refused with its line, all in one go.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from assay.data.cells import identifier
from assay.data.faults import Faults, nearest
from assay.data.records_in import describe
from assay.data.rows import json_table
from assay.data.table import Row
from assay.schema import GoldQuestion, GoldSet, fold

_KEYS = tuple(GoldQuestion.model_fields)
_REQUIRED = ("id", "question", "must_include")
_OPTIONAL = ("shape", "notes")
_LISTS = ("must_include", "must_not_claim", "expected_paths")


def load_gold(path: Path) -> GoldSet:
    """Read a gold set.

    Args:
        path: JSONL (or a JSON array) of questions.

    Returns:
        The questions in file order.

    Raises:
        InputError: If the file cannot be opened.
        LabelFileError: With every fault found, each at its line.
    """
    faults = Faults(path.name)
    table = json_table(path, faults, what="gold sets")
    questions: list[GoldQuestion] = []
    seen: dict[str, Row] = {}
    for row in table.rows:
        before = len(faults)
        _check_keys(row, faults)
        _check_texts(row, faults)
        for key in _LISTS:
            _check_list(row, key, faults)
        _check_contradiction(row, faults)
        name = row.values.get("id")
        if isinstance(name, str) and (first := seen.setdefault(name, row)) is not row:
            _fault(row, f"id {name!r} again; the first is at {first.place}.", faults)
        if len(faults) > before:
            continue
        try:
            questions.append(GoldQuestion.model_validate(row.values))
        except ValidationError as error:
            for one in error.errors():
                _fault(row, describe(one, GoldQuestion), faults)
    faults.raise_any()
    return GoldSet(tuple(questions), path.name)


def _fault(row: Row, what: str, faults: Faults) -> None:
    faults.add(row.line, what, record=row.record)


def _check_keys(row: Row, faults: Faults) -> None:
    for key in row.values:
        if key not in _KEYS:
            close = nearest(key, _KEYS)
            hint = f"did you mean {close!r}?" if close else f"known keys: {', '.join(_KEYS)}."
            _fault(row, f"unknown key {key!r}; {hint}", faults)
    for key in _REQUIRED:
        if key not in row.values:
            _fault(row, f"{key} is missing; every question needs it.", faults)


def _check_texts(row: Row, faults: Faults) -> None:
    for key in ("id", "question", "shape", "notes"):
        if key not in row.values:
            continue
        _check_text(row, key, row.values[key], faults)
    name = row.values.get("id")
    if isinstance(name, str) and name.strip():
        try:
            identifier(name, "id")
        except ValueError as error:
            _fault(row, str(error), faults)


def _check_text(row: Row, where: str, value: Any, faults: Faults) -> None:  # noqa: ANN401
    if value is None:
        mend = "give a text or leave the key out" if where in _OPTIONAL else "give a text"
        _fault(row, f"{where} is null; {mend}.", faults)
    elif not isinstance(value, str):
        _fault(row, f"{where} must be a text, got {type(value).__name__} {value!r}.", faults)
    elif not value.strip():
        _fault(row, f"{where} is blank; give a text.", faults)


def _check_list(row: Row, key: str, faults: Faults) -> None:
    if key not in row.values:
        return
    value = row.values[key]
    if value is None:
        mend = "give a list" if key in _REQUIRED else "give a list or leave the key out"
        _fault(row, f"{key} is null; {mend}.", faults)
        return
    if not isinstance(value, list):
        _fault(row, f"{key} must be a list, got {type(value).__name__} {value!r}.", faults)
        return
    points = cast("list[Any]", value)
    if key == "must_include" and not points:
        _fault(row, "must_include is empty: any answer, even none, would score 100%.", faults)
    folded: dict[str, int] = {}
    for number, point in enumerate(points, start=1):
        where = f"{key}[{number}]"
        _check_text(row, where, point, faults)
        if isinstance(point, str) and point.strip():
            first = folded.setdefault(_folded(point), number)
            if first != number:
                _fault(row, f"{where} says the same as {key}[{first}]; keep one.", faults)


def _check_contradiction(row: Row, faults: Faults) -> None:
    required = {_folded(p) for p in _texts(row.values.get("must_include"))}
    for claim in _texts(row.values.get("must_not_claim")):
        if _folded(claim) in required:
            what = (
                f"{claim!r} is both required and forbidden: covering it also fails it; remove one."
            )
            _fault(row, what, faults)


def _texts(value: Any) -> list[str]:  # noqa: ANN401
    points = cast("list[Any]", value) if isinstance(value, list) else []
    return [p for p in points if isinstance(p, str) and p.strip()]


def _folded(point: str) -> str:
    # A point of signs only folds to nothing; it still differs from another one.
    return fold(point) or point.strip()
