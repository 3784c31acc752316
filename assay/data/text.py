"""Bytes to text: UTF-8 with or without a byte-order mark, on any platform locale."""

from __future__ import annotations

from pathlib import Path

from assay.errors import InputError, LabelFileError

_MARKS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)


def read_text(path: Path) -> str:
    """A file's text.

    Args:
        path: File in UTF-8, with or without a byte-order mark.

    Returns:
        The text without the mark; line ends as in the file.

    Raises:
        InputError: If there is no such file.
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
    except PermissionError as error:
        message = f"{path}: not readable: {error.strerror}."
        raise InputError(message) from error
    return decode(raw, name=path.name)


def decode(raw: bytes, *, name: str) -> str:
    """Decode a file's bytes, or name the encoding that is not accepted."""
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            raise LabelFileError([_refusal(name, f"this is {encoding}")])
    body = raw.removeprefix(b"\xef\xbb\xbf")
    # Text in UTF-16 without a mark has a zero byte beside every plain letter.
    head = body[:400]
    if head.count(0) > len(head) // 4:
        raise LabelFileError([_refusal(name, "this looks like UTF-16 without a mark")])
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        byte = body[error.start]
        found = f"byte 0x{byte:02x} is not UTF-8; probably Windows-1252 or Latin-1"
        raise LabelFileError([_refusal(f"{name}:{line}", found)]) from error


def _refusal(where: str, what: str) -> str:
    return f"{where}: {what}; save the file as UTF-8."
