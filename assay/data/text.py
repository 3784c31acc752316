"""Bytes to text: UTF-8 with or without a byte-order mark, on any platform locale.

Nothing is guessed: a file in another encoding is refused by its name, because
a wrong guess would change ids and notes without a word.
"""

from __future__ import annotations

import re
from pathlib import Path

from assay.errors import InputError, LabelFileError

_MARKS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
_NO_TEXT = (
    (b"PK\x03\x04", "a zip archive or a workbook such as .xlsx; export the sheet as CSV UTF-8"),
    (b"\xd0\xcf\x11\xe0", "an old binary workbook (.xls); export the sheet as CSV UTF-8"),
    (b"\x1f\x8b", "compressed with gzip; unpack it first"),
    (b"PAR1", "a Parquet file; export it as CSV or JSON Lines in UTF-8"),
    (b"SQLite format 3\x00", "an SQLite database; export the table as CSV or JSON Lines in UTF-8"),
    (b"%PDF-", "a PDF; give the table as CSV or JSON Lines in UTF-8"),
)
_MARK = b"\xef\xbb\xbf"
_LINE_END = re.compile(rb"\r\n|\r|\n")
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_LOOKED_AT = 4096
"""Bytes looked at to tell an encoding by its pattern."""


def read_text(path: Path) -> str:
    """A file's text.

    Args:
        path: File in UTF-8, with or without a byte-order mark.

    Returns:
        The text without the mark; line ends as in the file.

    Raises:
        InputError: If there is no such file, or it cannot be read.
        LabelFileError: If the file is in another encoding, which is named.
    """
    try:
        raw = path.read_bytes()
    except FileNotFoundError as error:
        message = f"{path}: no such file."
        raise InputError(message) from error
    except IsADirectoryError as error:
        message = f"{path}: a folder, not a file."
        raise InputError(message) from error
    except OSError as error:
        message = f"{path}: not readable: {error.strerror}."
        raise InputError(message) from error
    return decode(raw, name=path.name)


def decode(raw: bytes, *, name: str) -> str:
    """Decode a file's bytes, or name the encoding that is not accepted."""
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            raise LabelFileError([_refusal(name, f"this is {encoding}")])
    for mark, what in _NO_TEXT:
        if raw.startswith(mark):
            message = f"{name}: this is {what}."
            raise LabelFileError([message])
    body = raw
    while body.startswith(_MARK):
        # Two marks come from tools that add one to a text that has one.
        body = body.removeprefix(_MARK)
    if b"\x00" in body:
        raise LabelFileError([_about_zero_bytes(body, name)])
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        where = f"{name}:{_line(body, error.start)}"
        if error.end == len(body) and error.reason == "unexpected end of data":
            message = f"{where}: the file is cut off in the middle of a character; copy it again."
            raise LabelFileError([message]) from error
        found = f"byte 0x{body[error.start]:02x} is not UTF-8; {_legacy(body)}"
        raise LabelFileError([_refusal(where, found)]) from error


def _line(body: bytes, position: int) -> int:
    return len(_LINE_END.findall(body, 0, position)) + 1


def _about_zero_bytes(body: bytes, name: str) -> str:
    # Text in UTF-16 or UTF-32 without a mark has zero bytes beside every plain letter,
    # delimiter and line end.
    head = body[:_LOOKED_AT]
    zeros = head.count(0)
    # Three bytes of four are zero in plain letters of UTF-32, one of two in UTF-16.
    if zeros > 0.6 * len(head):
        return _refusal(name, "this looks like UTF-32 without a byte-order mark")
    line_ends = head.count(b"\n")
    beside = head.count(b"\n\x00") + head.count(b"\x00\n")
    if zeros > 0.2 * len(head) or (zeros > 1 and 0 < line_ends <= beside):
        return _refusal(name, "this looks like UTF-16 without a byte-order mark")
    where = f"{name}:{_line(body, body.index(0))}"
    return (
        f"{where}: holds a zero byte, so it is no plain text; remove it, or export the file again."
    )


def _legacy(body: bytes) -> str:
    runs = _HIGH_RUN.findall(body)
    # An accented letter in a word stands alone; other scripts come in runs.
    if 2 * sum(len(run) == 1 for run in runs) >= len(runs):
        return "probably Windows-1252 or Latin-1"
    return "probably a legacy encoding such as Shift-JIS, GB18030 or Windows-1251"


def _refusal(where: str, what: str) -> str:
    return f"{where}: {what}; save the file as UTF-8."
