"""JSON and JSON Lines, strictly: what a lenient reader would change is a fault.

Of a key that stands twice most readers keep the last; NaN and 1e999 are no JSON
numbers; half a surrogate pair cannot be written as UTF-8. Each is named here
with its line instead of being passed on.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, cast

from assay.data.faults import Faults
from assay.data.table import Row

_LINE_END = re.compile(r"\r\n|\r|\n")
_SPACE = re.compile(r"[ \t\r\n]*")


class _Decoder:
    """A strict decoder that goes on after a fault which leaves the text readable."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self._json = json.JSONDecoder(
            object_pairs_hook=self._pairs,
            parse_constant=self._constant,
            parse_float=self._float,
        )

    def read(self, text: str, position: int = 0) -> tuple[Any, int]:
        """One value from a position on, and where it ends.

        Raises:
            ValueError: If the text is no JSON. Other problems are left in `problems`.
        """
        self.problems = []
        try:
            value, end = self._json.raw_decode(text, position)
        except RecursionError as error:
            message = "nested too deeply to be a record."
            raise ValueError(message) from error
        if "\\ud" in text[position:end].lower() and not _encodes(value):
            self.problems.append(r"holds half of a surrogate pair (\ud800 to \udfff); remove it.")
        return value, end

    def _pairs(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            keys = [key for key, _ in pairs]
            twice = sorted({key for key in keys if keys.count(key) > 1})
            named = ", ".join(repr(key) for key in twice)
            self.problems.append(f"key {named} stands twice in one object; keep one.")
        return found

    def _constant(self, word: str) -> None:
        self.problems.append(f"{word} is not valid JSON; write null or a number.")

    def _float(self, digits: str) -> float:
        number = float(digits)
        if not math.isfinite(number):
            self.problems.append(f"{digits} is too large for a number; write null or a number.")
        return number


def _encodes(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def parse_json(text: str) -> Any:  # noqa: ANN401 - any JSON value
    """One strict JSON value: no NaN, no key twice, nothing behind it.

    Raises:
        ValueError: With what is wrong, in words.
    """
    decoder = _Decoder()
    text = text.strip()
    value, end = decoder.read(text)
    if end != len(text):
        message = "Extra data"
        raise json.JSONDecodeError(message, text, end)
    if decoder.problems:
        raise ValueError(decoder.problems[0])
    return value


def json_rows(text: str, faults: Faults) -> Iterator[Row]:
    """Rows of a JSON array, of JSON Lines, or of one object over several lines.

    Args:
        text: The file; not blank.
        faults: Collects what cannot be read; reading goes on where it can.

    Yields:
        One row per object without a fault.
    """
    begin = text.lstrip()
    if begin.startswith("[") and not _is_list_line(begin):
        yield from _array(text, faults)
    elif _LINE_END.split(begin, maxsplit=1)[0].strip() == "{":
        yield from _one_object(text, faults)
    else:
        yield from _lines(text, faults)


def _is_list_line(begin: str) -> bool:
    # JSON Lines of lists: a fault at each line says more than one at the second.
    first, *rest = _LINE_END.split(begin, maxsplit=1)
    return first.rstrip().endswith("]") and bool(rest) and rest[0].lstrip().startswith("[")


def _lines(text: str, faults: Faults) -> Iterator[Row]:
    decoder = _Decoder()
    # Only line ends of a file end a record: splitlines would cut inside a text.
    lines = _LINE_END.split(text) if "\r" in text else text.split("\n")
    for number, line in enumerate(lines, start=1):
        line = line.strip(" \t")  # noqa: PLW2901
        if not line:
            continue
        try:
            value, end = decoder.read(line)
        except ValueError as error:
            cut = " The file seems cut off here." if number == len(lines) else ""
            faults.add(number, f"not a JSON object on one line: {_reason(error)}{cut}")
            continue
        if end != len(line):
            what = f"something follows the JSON value at column {end + 1}; one object a line."
            faults.add(number, what)
            continue
        if _is_object(value, decoder, faults, number, None):
            yield Row(cast("dict[str, Any]", value), number, None)


def _one_object(text: str, faults: Faults) -> Iterator[Row]:
    decoder = _Decoder()
    start = text.index("{")
    line = _count_lines(text, 0, start) + 1
    try:
        value, end = decoder.read(text, start)
    except ValueError as error:
        at = error.lineno if isinstance(error, json.JSONDecodeError) else line
        faults.add(at, f"not JSON: {_reason(error)}")
        return
    if text[end:].strip():
        at = _count_lines(text, 0, _skip(text, end)) + 1
        what = "a second value in the file; write one object a line, or all in one [ ] list."
        faults.add(at, what)
        return
    if _is_object(value, decoder, faults, line, None):
        yield Row(cast("dict[str, Any]", value), line, None)


def _array(text: str, faults: Faults) -> Iterator[Row]:
    decoder = _Decoder()
    position = _skip(text, text.index("[") + 1)
    counted, line, record = 0, 1, 0
    while True:
        # Lines are counted on from the last element, not from the start each time.
        line += _count_lines(text, counted, position)
        counted = position
        if text[position : position + 1] == "]" and record == 0:
            break
        record += 1
        if position >= len(text):
            faults.add(line, "the JSON list is not closed; the file is cut off.")
            return
        try:
            value, position = decoder.read(text, position)
        except ValueError as error:
            at = error.lineno if isinstance(error, json.JSONDecodeError) else line
            faults.add(at, f"not JSON: {_reason(error)}", record=record)
            return
        if _is_object(value, decoder, faults, line, record):
            yield Row(cast("dict[str, Any]", value), line, record)
        position = _skip(text, position)
        line += _count_lines(text, counted, position)
        counted = position
        after = text[position : position + 1]
        if after == "]":
            break
        if after != ",":
            cut = "the JSON list is not closed; the file is cut off."
            what = f"expected a comma or ] after record {record}, got {after!r}." if after else cut
            faults.add(line, what)
            return
        position = _skip(text, position + 1)
    behind = _skip(text, position + 1)
    if behind < len(text):
        line += _count_lines(text, counted, behind)
        faults.add(line, "something follows the JSON list; put all records into one list.")


def _is_object(
    value: Any,  # noqa: ANN401
    decoder: _Decoder,
    faults: Faults,
    line: int,
    record: int | None,
) -> bool:
    for problem in decoder.problems:
        faults.add(line, problem, record=record)
    if not isinstance(value, dict):
        faults.add(line, f"expected a JSON object, got {type(value).__name__}.", record=record)
        return False
    return not decoder.problems


def _skip(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position


def _count_lines(text: str, start: int, end: int) -> int:
    return text.count("\n", start, end) or len(_LINE_END.findall(text, start, end))


def _reason(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at column {error.colno}."
    return str(error)
