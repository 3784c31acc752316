"""Which complete JSON objects does a reply hold?

The scan knows strings, so a brace in a reason ends nothing, and it never closes an
object for the model. What is mended is this list and no more; each mend is named:

    code fence          the object stands in a fence of back-ticks
    surrounding text    there is text before or after the object
    extra brace         an opening brace stands doubled before a complete object
    line comment        // to the end of the line, outside strings
    trailing comma      a comma before a closing brace or bracket
    control character   a raw line break or tab within a string

Anything else, such as an escape that JSON does not know, leaves the object broken.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_OPENS_OBJECT = re.compile(r"\{(?=\s*(?:[\"{}]|//))")
_DOUBLED = re.compile(r"\{\s*(?=\{)")
_CLOSES = re.compile(r"\s*\}")
_FENCE = re.compile(r"[ \t]*```[A-Za-z0-9_-]*[ \t]*\n")
# A string, a comment, or one structural character; strings and comments are skipped whole.
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|//[^\n]*|[{}\[\]]', re.DOTALL)
_STRING_OR_COMMENT = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|//[^\n]*', re.DOTALL)
_STRING_OR_COMMA = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|,(?=\s*[}\]])', re.DOTALL)


class Members(dict[str, Any]):
    """The members of an object, and every (key, value) pair as written, repeats too."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.pairs = tuple(pairs)


@dataclass(frozen=True)
class FoundObject:
    """One object of a reply, from `start` up to `end` of the text."""

    start: int
    end: int
    members: Members | None
    """None when the object is unfinished or broken beyond the fixed mends."""
    repairs: tuple[str, ...] = ()


def strict_object(text: str) -> Members | None:
    """The members when the whole text is one JSON object as the standard wants it."""
    try:
        value = json.loads(text, object_pairs_hook=Members)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, Members) else None


def find_objects(text: str) -> tuple[FoundObject, ...]:
    """Outermost objects of a text, in order; unfinished and broken ones included."""
    return tuple(_scan(text))


def _scan(text: str) -> Iterator[FoundObject]:
    position = 0
    while opening := _OPENS_OBJECT.search(text, position):
        start = opening.start()
        end = _end_of_object(text, start)
        read = None if end is None else _read(text[start:end])
        doubled = _DOUBLED.match(text, start)
        if doubled and read is None:
            found = _doubled(text, start, doubled.end())
        elif end is None:
            # Everything after an unfinished object may be part of it.
            found = FoundObject(start, len(text), None)
        elif read is None:
            found = FoundObject(start, end, None)
        else:
            found = _found(text, start, end, *read)
        yield found
        position = found.end


def _doubled(text: str, start: int, inner: int) -> FoundObject:
    """The object after a doubled brace: the outer brace opens nothing of its own."""
    end = _end_of_object(text, inner)
    if end is None:
        return FoundObject(start, len(text), None)
    read = _read(text[inner:end])
    closing = _CLOSES.match(text, end)
    end = closing.end() if closing else end
    if read is None:
        return FoundObject(start, end, None)
    members, repairs = read
    return _found(text, start, end, members, ("extra brace", *repairs))


def _found(
    text: str, start: int, end: int, members: Members, repairs: tuple[str, ...]
) -> FoundObject:
    return FoundObject(start, end, members, (*_surroundings(text, start, end), *repairs))


def _end_of_object(text: str, start: int) -> int | None:
    stack: list[str] = []
    for token in _TOKEN.finditer(text, start):
        mark = token[0]
        if mark in {"{", "["}:
            stack.append(mark)
        elif mark in {"}", "]"}:
            if not stack or stack.pop() != {"}": "{", "]": "["}[mark]:
                return None
            if not stack:
                return token.end()
    return None


def _read(text: str) -> tuple[Members, tuple[str, ...]] | None:
    if (members := strict_object(text)) is not None:
        return members, ()
    repairs: list[str] = []
    mended = _STRING_OR_COMMENT.sub(lambda m: "" if m[0][0] == "/" else m[0], text)
    if mended != text:
        repairs.append("line comment")
    without = _STRING_OR_COMMA.sub(lambda m: "" if m[0] == "," else m[0], mended)
    if without != mended:
        repairs.append("trailing comma")
    if (members := strict_object(without)) is not None:
        return members, tuple(repairs)
    try:
        value = json.loads(without, strict=False, object_pairs_hook=Members)
    except (ValueError, RecursionError):
        return None
    return (value, (*repairs, "control character")) if isinstance(value, Members) else None


def _surroundings(text: str, start: int, end: int) -> Iterator[str]:
    before, after = text[:start], text[end:]
    fence = _FENCE.search(before)
    if fence and not before[fence.end() :].strip() and re.match(r"\s*```", after):
        yield "code fence"
        before, after = before[: fence.start()], re.sub(r"^\s*```", "", after)
    if before.strip() or after.strip():
        yield "surrounding text"
