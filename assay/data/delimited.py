"""Delimited text: comma, semicolon or tab, quoted line breaks, and a place for every row.

The delimiter is read off the header. Cells stay text: no reader's guess about
types, missing values or dates comes between a cell and its label.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from assay.data.faults import Faults
from assay.data.table import Row, Table

_DELIMITERS = (",", ";", "\t")
_FIELD_LIMIT = 16 * 1024 * 1024
"""Characters in one cell; the csv module's own limit of 131,072 is less than a long diff."""
_REASONS = {
    "unexpected end of data": "a quote opened in this record is never closed",
    "expected after '\"'": "text follows a closing quote; double the quotes inside a quoted cell",
    "field larger than field limit": "a cell is over 16 million characters; is a quote not closed",
}


def delimited_table(text: str, name: str, faults: Faults) -> Table:
    """Rows of a delimited text under a header.

    Args:
        text: The file; not blank.
        name: File name for messages.
        faults: Collects what cannot be read; rows that can be read are kept.

    Returns:
        The table. Rows without any content are left out, with a notice.

    Raises:
        LabelFileError: If the header cannot be used.
    """
    delimiter, body, offset = _hint(text)
    if delimiter is None:
        delimiter = _sniff(body)
    rows: list[Row] = []
    header: list[str] = []
    header_line = 1
    record = blank = 0
    for line, cells in _records(body, delimiter, offset, faults):
        if not header:
            if not cells:
                continue
            header, header_line = [c.strip() for c in cells], line
            _check_header(header, line, faults)
            continue
        if not cells:
            # An empty physical line, as at the end of many files, is no record.
            continue
        record += 1
        if len(cells) != len(header):
            if not any(c.strip() for c in cells):
                blank += 1
                continue
            faults.add(line, _ragged(cells, header), record=record)
        elif not any(c.strip() for c in cells):
            blank += 1
        else:
            rows.append(Row(dict(zip(header, cells, strict=True)), line, record))
    if not rows and not faults:
        faults.add(None, "has a header but no record.")
    notices = (f"{name}: {blank} rows without any content were left out",) if blank else ()
    return Table(name, tuple(rows), tuple(header), header_line, notices)


def _hint(text: str) -> tuple[str | None, str, int]:
    # A spreadsheet's own hint, `sep=;`, stands on a line before the header.
    first, end, rest = text.partition("\n")
    word = first.strip("\r ")
    if word.lower().startswith("sep=") and len(word) == len("sep=") + 1:
        return word[-1], rest, len(end)
    return None, text, 0


def _records(
    text: str, delimiter: str, offset: int, faults: Faults
) -> Iterator[tuple[int, list[str]]]:
    csv.field_size_limit(_FIELD_LIMIT)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1 + offset
        try:
            cells = next(reader, None)
        except csv.Error as error:
            said = str(error)
            reason = next((ours for theirs, ours in _REASONS.items() if theirs in said), said)
            faults.add(line, f"cannot be read as delimited text: {reason}.")
            return
        if cells is None:
            return
        yield line, cells


def _sniff(text: str) -> str:
    counts: dict[str, int] = dict.fromkeys(_DELIMITERS, 0)
    quoted = False
    for character in text.lstrip("\r\n"):
        if character == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif character in counts:
            counts[character] += 1
        elif character in "\r\n":
            break
    there = sorted((d for d in _DELIMITERS if counts[d]), key=lambda d: -counts[d])
    # Of several candidates, the one under which the first record fits the header.
    for candidate in there if len(there) > 1 else ():
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=candidate)
        try:
            widths = [len(cells) for cells in _first(reader, 2)]
        except csv.Error:
            continue
        if len(widths) > 1 and widths[0] == widths[1]:
            return candidate
    return there[0] if there else ","


def _first(reader: Iterator[list[str]], count: int) -> Iterator[list[str]]:
    for cells in reader:
        if cells:
            yield cells
            count -= 1
        if not count:
            return


def _ragged(cells: list[str], header: list[str]) -> str:
    more = (
        "quote a cell that holds the delimiter"
        if len(cells) > len(header)
        else "a cell or a delimiter is missing"
    )
    return f"{len(cells)} cells, but the header has {len(header)} columns; {more}."


def _check_header(header: list[str], line: int, faults: Faults) -> None:
    blank = [str(i + 1) for i, c in enumerate(header) if not c]
    if blank:
        faults.add(line, f"column {', '.join(blank)} has no name in the header; give it one.")
    twice = sorted({c for c in header if c and header.count(c) > 1})
    if twice:
        faults.add(line, f"the header names {', '.join(twice)} twice; rename one.")
    if len(header) == 1:
        faults.add(
            line,
            f"the header has one column, {header[0]!r}; expected columns apart by comma, "
            f"semicolon or tab.",
        )
    faults.raise_any()
