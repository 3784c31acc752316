"""Any accepted file as rows that know their place: JSONL, JSON, CSV, TSV, semicolons.

Cells of delimited files stay text. JSON values stay what they are. A row knows
its record number and the physical line it starts on, so that every message can
say where.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from assay.data.faults import Faults
from assay.data.text import read_text

_DELIMITERS = (",", ";", "\t")
_FIELD_LIMIT = 16 * 1024 * 1024
"""Characters in one cell; the csv module's own limit of 131,072 is less than a long diff."""


@dataclass(frozen=True, slots=True)
class Row:
    """One record of a file."""

    values: dict[str, Any]
    line: int
    """Physical line on which the record starts, from 1."""
    record: int | None
    """Record number from 1 in delimited files, where it can differ from the line."""


@dataclass(frozen=True)
class Table:
    """All rows of a file."""

    name: str
    rows: tuple[Row, ...]
    columns: tuple[str, ...]
    """Header of a delimited file; empty for JSON."""

    @property
    def delimited(self) -> bool:
        """Whether cells are text under a header."""
        return bool(self.columns)


def read_rows(path: Path, faults: Faults) -> Table:
    """Read a file by what its name and its first character say it is.

    Args:
        path: .jsonl, .ndjson, .json, .csv, .tsv or .txt.
        faults: Collects what cannot be read; reading goes on.

    Returns:
        The table of what could be read.

    Raises:
        InputError: If the file cannot be opened.
        LabelFileError: If the encoding is not UTF-8, or the file is empty.
    """
    text = read_text(path)
    if not text.strip():
        faults.add(None, "the file is empty; expected at least one record.")
        faults.raise_any()
    if path.suffix.lower() in {".jsonl", ".ndjson", ".json"} or text.lstrip()[0] in "{[":
        rows = tuple(_json_rows(text, faults))
        if not rows and not faults:
            faults.add(None, "holds no record.")
        return Table(path.name, rows, ())
    return _delimited(text, path.name, faults)


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    for key, value in pairs:
        if key in seen:
            message = f"key {key!r} stands twice in one object; keep one."
            raise ValueError(message)
        seen[key] = value
    return seen


def _no_constant(word: str) -> Any:  # noqa: ANN401 - json's hook
    message = f"{word} is not valid JSON; write null or a number."
    raise ValueError(message)


_DECODER = json.JSONDecoder(object_pairs_hook=_no_duplicates, parse_constant=_no_constant)


def parse_json(text: str) -> Any:  # noqa: ANN401 - any JSON value
    """Strict JSON: no NaN, no duplicate keys.

    Raises:
        ValueError: With what is wrong, in words.
    """
    return _DECODER.decode(text)


def _json_rows(text: str, faults: Faults) -> Iterator[Row]:
    stripped = text.lstrip()
    if stripped.startswith("["):
        yield from _json_array(text, faults)
        return
    whole = _whole_object(text)
    if whole is not None:
        yield Row(whole, 1, None)
        return
    # Only line feeds end a record: splitlines would cut at characters inside a text.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value = parse_json(line.strip())
        except ValueError as error:
            faults.add(number, f"not a JSON object on one line: {_reason(error)}")
            continue
        if not isinstance(value, dict):
            faults.add(number, f"expected a JSON object, got {type(value).__name__}.")
            continue
        yield Row(cast("dict[str, Any]", value), number, None)


def _whole_object(text: str) -> dict[str, Any] | None:
    # A pretty-printed file with one object; JSON Lines fails here at its second line.
    if text.count("\n") < 2:
        return None
    try:
        value = parse_json(text.strip())
    except ValueError:
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _json_array(text: str, faults: Faults) -> Iterator[Row]:
    position = text.index("[") + 1
    while True:
        while position < len(text) and text[position] in " \t\r\n,":
            position += 1
        if position >= len(text):
            faults.add(text.count("\n") + 1, "the JSON array is not closed; the file is cut off.")
            return
        if text[position] == "]":
            return
        line = text.count("\n", 0, position) + 1
        try:
            value, position = _DECODER.raw_decode(text, position)
        except ValueError as error:
            faults.add(line, f"not JSON: {_reason(error)}")
            return
        if not isinstance(value, dict):
            faults.add(line, f"expected a JSON object, got {type(value).__name__}.")
            continue
        yield Row(cast("dict[str, Any]", value), line, None)


def _reason(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at column {error.colno}."
    return str(error)


def _delimited(text: str, name: str, faults: Faults) -> Table:
    csv.field_size_limit(_FIELD_LIMIT)
    offset = 0
    first, _, rest = text.partition("\n")
    if first.strip().lower().startswith("sep=") and len(first.strip()) == len("sep=") + 1:
        # A spreadsheet's own hint, on a line before the header.
        delimiter, text, offset = first.strip()[-1], rest, 1
    else:
        delimiter = _sniff(first)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[Row] = []
    header: list[str] = []
    record = 0
    while True:
        line = reader.line_num + 1 + offset
        try:
            cells = next(reader, None)
        except csv.Error as error:
            faults.add(line, f"cannot be read as delimited text: {error}.")
            break
        if cells is None:
            break
        if not header:
            header = [c.strip() for c in cells]
            _check_header(header, line, faults)
            continue
        if not any(c.strip() for c in cells):
            continue
        record += 1
        if len(cells) != len(header):
            what = f"{len(cells)} cells, but the header has {len(header)} columns."
            faults.add(line, what, record=record)
            continue
        rows.append(Row(dict(zip(header, cells, strict=True)), line, record))
    if not rows and not faults:
        faults.add(None, "has a header but no record.")
    return Table(name, tuple(rows), tuple(header))


def _sniff(header: str) -> str:
    outside = "".join(header.split('"')[::2])
    return max(_DELIMITERS, key=outside.count)


def _check_header(header: list[str], line: int, faults: Faults) -> None:
    blank = [str(i + 1) for i, c in enumerate(header) if not c]
    if blank:
        faults.add(line, f"column {', '.join(blank)} has no name in the header.")
    twice = sorted({c for c in header if c and header.count(c) > 1})
    if twice:
        faults.add(line, f"the header names {', '.join(twice)} twice.")
    faults.raise_any()
