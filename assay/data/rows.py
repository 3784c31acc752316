"""Any accepted file as rows: JSON Lines, JSON, CSV, TSV, semicolons.

Cells of delimited files stay text. JSON values stay what they are. A row knows
its record number and the physical line it starts on, so that every message can
say where.
"""

from __future__ import annotations

from pathlib import Path

from assay.data.delimited import delimited_table
from assay.data.faults import Faults
from assay.data.strict_json import json_rows, parse_json
from assay.data.table import Row, Table
from assay.data.text import read_text

__all__ = ["Row", "Table", "json_table", "read_rows"]

_JSON = {".jsonl", ".ndjson", ".json"}
_DELIMITED = {".csv", ".tsv", ".tab"}


def read_rows(path: Path, faults: Faults) -> Table:
    """Read a file by what its name says it is, else by how it begins.

    Args:
        path: .jsonl, .ndjson, .json, .csv, .tsv, or any other name.
        faults: Collects what cannot be read; reading goes on.

    Returns:
        The table of what could be read; with at least one row, unless there are faults.

    Raises:
        InputError: If the file cannot be opened.
        LabelFileError: If the encoding is not UTF-8, or the file holds no record.
    """
    text = read_text(path)
    if not text.strip():
        faults.add(None, "the file is empty; expected at least one record.")
        faults.raise_any()
    if path.suffix.lower() in _JSON and not _holds_json(text):
        faults.add(1, "not JSON; if this is delimited text, name the file .csv or .tsv.")
        faults.raise_any()
    if not _is_json(path, text):
        table = delimited_table(text, path.name, faults)
    else:
        table = Table(path.name, tuple(json_rows(text, faults)))
        if not table.rows and not faults:
            faults.add(None, "holds no record.")
    if not table.rows:
        # Nothing more can be found out, and a missing column would be a false alarm.
        faults.raise_any()
    return table


def json_table(path: Path, faults: Faults, *, what: str) -> Table:
    """Read a file of nested records, which no delimited file can hold.

    Raises:
        InputError: If the file cannot be opened.
        LabelFileError: If it is no JSON or holds no record.
    """
    table = read_rows(path, faults)
    if table.delimited:
        line = table.header_line
        faults.add(line, f"{what} are JSON Lines, one object a line; this is delimited text.")
        faults.raise_any()
    return table


def _holds_json(text: str) -> bool:
    return any(line.lstrip()[:1] in {"{", "["} for line in text.splitlines())


def _is_json(path: Path, text: str) -> bool:
    suffix = path.suffix.lower()
    if suffix in _JSON:
        return True
    begin = text.lstrip()
    if begin[0] not in "{[":
        return False
    if suffix not in _DELIMITED:
        return True
    # A header may begin with a bracket; a line of JSON under a wrong name is JSON.
    try:
        return isinstance(parse_json(begin.splitlines()[0]), dict)
    except ValueError:
        return False
