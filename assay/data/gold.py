"""Read a gold set, or raise on everything that would make its figure unreliable.

A mistyped key is how a required claim silently stops being checked; an empty
`must_include` scores 100% against any answer; a claim both required and
forbidden can never be scored. Each is refused with its line, all in one go.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from assay.data.faults import Faults, nearest
from assay.data.rows import Row, read_rows
from assay.schema import GoldQuestion, GoldSet, fold

_KEYS = tuple(GoldQuestion.model_fields)
_REQUIRED = ("id", "question", "must_include")
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
    table = read_rows(path, faults)
    if table.delimited:
        faults.add(1, "a gold set is JSON Lines: one object a line; this is delimited text.")
        faults.raise_any()
    questions: list[GoldQuestion] = []
    seen: dict[str, int] = {}
    for row in table.rows:
        before = len(faults)
        _check_keys(row, faults)
        _check_texts(row, faults)
        for key in _LISTS:
            _check_list(row, key, faults)
        if len(faults) > before:
            continue
        _check_contradiction(row, faults)
        name = cast("str", row.values["id"])
        first = seen.setdefault(name, row.line)
        if first != row.line:
            faults.add(row.line, f"id {name!r} again; the first is at line {first}.")
        if len(faults) == before:
            questions.append(GoldQuestion.model_validate(row.values))
    faults.raise_any()
    return GoldSet(tuple(questions), path.name)


def _check_keys(row: Row, faults: Faults) -> None:
    for key in row.values:
        if key not in _KEYS:
            close = nearest(key, _KEYS)
            hint = f"did you mean {close!r}?" if close else f"known keys: {', '.join(_KEYS)}."
            faults.add(row.line, f"unknown key {key!r}; {hint}")
    for key in _REQUIRED:
        if key not in row.values:
            faults.add(row.line, f"{key} is missing; every question needs it.")


def _check_texts(row: Row, faults: Faults) -> None:
    for key in ("id", "question", "shape", "notes"):
        if key not in row.values:
            continue
        _check_text(row, key, row.values[key], faults)
    name = row.values.get("id")
    if isinstance(name, str) and name.strip() and name != name.strip():
        faults.add(row.line, f"id {name!r} has space at an end; remove it.")


def _check_text(row: Row, where: str, value: Any, faults: Faults) -> None:  # noqa: ANN401
    if value is None:
        faults.add(row.line, f"{where} is null; give a text or leave the key out.")
    elif not isinstance(value, str):
        faults.add(row.line, f"{where} must be a text, got {type(value).__name__} {value!r}.")
    elif not value.strip():
        faults.add(row.line, f"{where} is blank; give a text.")


def _check_list(row: Row, key: str, faults: Faults) -> None:
    if key not in row.values:
        return
    value = row.values[key]
    if value is None:
        faults.add(row.line, f"{key} is null; give a list or leave the key out.")
        return
    if not isinstance(value, list):
        faults.add(row.line, f"{key} must be a list, got {type(value).__name__} {value!r}.")
        return
    points = cast("list[Any]", value)
    if key == "must_include" and not points:
        faults.add(row.line, "must_include is empty: any answer, even none, would score 100%.")
    folded: dict[str, int] = {}
    for number, point in enumerate(points, start=1):
        where = f"{key}[{number}]"
        _check_text(row, where, point, faults)
        if isinstance(point, str) and point.strip():
            first = folded.setdefault(fold(point) or point, number)
            if first != number:
                faults.add(row.line, f"{where} says the same as {key}[{first}]; keep one.")


def _check_contradiction(row: Row, faults: Faults) -> None:
    required = {fold(p): p for p in row.values["must_include"]}
    for claim in row.values.get("must_not_claim", []):
        if fold(claim) in required:
            faults.add(
                row.line,
                f"{claim!r} is both required and forbidden: covering it also fails it; remove one.",
            )
