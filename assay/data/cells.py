"""One cell or JSON value at a time: an id, a text, a number or a flag, or what is wrong with it."""

from __future__ import annotations

import unicodedata
from typing import Any

from assay.data.strict_json import parse_json


def identifier(raw: Any, what: str = "the id") -> str:  # noqa: ANN401 - a cell or a JSON value
    """An id as text, kept as it is.

    A whole number of JSON becomes its digits (7 -> "7"); text is never changed,
    so 007, 7 and 1E5 stay apart.

    Raises:
        ValueError: If it is blank, padded, of more than one line, or no text and
            no whole number.
    """
    if type(raw) is str:
        # The usual case, without a look at each character.
        if raw.isascii() and raw.isprintable() and raw and raw[0] != " " and raw[-1] != " ":
            return raw
        return _checked(raw, what)
    if raw is None:
        message = f"{what} is null; give a text."
        raise ValueError(message)
    if isinstance(raw, bool) or not isinstance(raw, int):
        message = f"{what} must be text, got {type(raw).__name__} {raw!r}; quote it."
        raise ValueError(message)  # noqa: TRY004 - reported with its line, like the other faults
    return str(raw)


def _checked(text: str, what: str) -> str:
    if not text.strip():
        message = f"{what} is blank; give a text."
        raise ValueError(message)
    if text != text.strip():
        message = f"{what} {text!r} has space at an end; remove it."
        raise ValueError(message)
    for end in (text[0], text[-1]):
        if unicodedata.category(end) in {"Cf", "Cc"}:
            # A zero-width space or a stray byte-order mark: looks equal, matches nothing.
            shown = f"U+{ord(end):04X}"
            message = f"{what} {text!a} has an invisible character ({shown}) at an end; remove it."
            raise ValueError(message)
    if "\n" in text or "\r" in text:
        message = f"{what} {text!r} has a line break in it; an id is one line."
        raise ValueError(message)
    return text


def optional_text(raw: Any, what: str) -> str | None:  # noqa: ANN401
    """A trimmed text, or None for blank and null; numbers of JSON become text.

    Raises:
        ValueError: If it is a list or an object.
    """
    if type(raw) is str:
        return raw.strip() or None
    if raw is None:
        return None
    return plain_text(raw, what)


def plain_text(raw: Any, what: str) -> str:  # noqa: ANN401
    """A text as it is, empty for null; numbers of JSON become text.

    Raises:
        ValueError: If it is a list or an object.
    """
    if type(raw) is str:
        return raw
    if raw is None:
        return ""
    if isinstance(raw, bool):
        return str(raw).lower()
    if isinstance(raw, int | float):
        return str(raw)
    message = f"{what} must be a text, got {type(raw).__name__} {raw!r}."
    raise ValueError(message)


def share(raw: Any, what: str) -> float | None:  # noqa: ANN401
    """A number in [0, 1], or None for blank and null.

    Raises:
        ValueError: If it is anything else.
    """
    if raw is None or (isinstance(raw, str) and not raw.strip()):
        return None
    message = f"{what} must be a number from 0 to 1, written like 0.9; got {raw!r}."
    if isinstance(raw, bool) or not isinstance(raw, int | float | str):
        raise ValueError(message)  # noqa: TRY004 - reported with its line, like the other faults
    try:
        number = float(raw)
    except ValueError as error:
        raise ValueError(message) from error
    if not 0 <= number <= 1:
        raise ValueError(message)
    return number


def amount(cell: str, what: str) -> float:
    """A number from a cell.

    Raises:
        ValueError: If it is none.
    """
    try:
        return float(cell)
    except ValueError as error:
        message = f"{what} must be a number, written like 0.9; got {cell!r}."
        raise ValueError(message) from error


def count(cell: str, what: str) -> int:
    """A whole number from a cell.

    Raises:
        ValueError: If it is none.
    """
    if cell.strip().isdecimal():
        return int(cell)
    message = f"{what} must be a whole number, got {cell!r}."
    raise ValueError(message)


def json_of(cell: str, what: str) -> Any:  # noqa: ANN401 - the record's own check follows
    """A JSON value from a cell.

    Raises:
        ValueError: If it is none.
    """
    try:
        return parse_json(cell)
    except ValueError as error:
        message = f"{what} must be a JSON object: {error}."
        raise ValueError(message) from error


def flag(raw: Any, what: str) -> bool:  # noqa: ANN401
    """True or false; false for blank and null.

    Raises:
        ValueError: If it is anything else.
    """
    if isinstance(raw, bool):
        return raw
    word = "" if raw is None else str(raw).strip().casefold()
    if word in {"", "false", "0", "no"}:
        return False
    if word in {"true", "1", "yes"}:
        return True
    message = f"{what} must be true or false, got {raw!r}."
    raise ValueError(message)
