"""What of a reply is meant for the reader, and what is thinking or invisible?

Think blocks may nest; one that is never closed swallows the rest. A closing tag
without an opening one ends thinking that a chat template opened in the prompt.
"""

from __future__ import annotations

import re
from typing import NamedTuple

# Zero-width and direction marks, soft hyphen, and the byte order mark.
_INVISIBLE = re.compile(
    "[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]"
)
_NO_BREAK_SPACES = re.compile("[\u00a0\u2007\u202f]")
_THINK_TAG = re.compile(r"<(?P<closing>/?)(?:think|thinking|thought)(?:\s[^<>]*)?>", re.IGNORECASE)


class Cleaned(NamedTuple):
    """A reply without what is not meant for the reader."""

    text: str
    unclosed_thinking: bool
    """True when a think block had no end and swallowed the rest."""


def normalise(text: str) -> str:
    """Text without invisible characters, with plain spaces and line breaks."""
    text = _INVISIBLE.sub("", text)
    text = _NO_BREAK_SPACES.sub(" ", text)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def drop_thinking(text: str) -> Cleaned:
    """Remove think blocks.

    Args:
        text: A normalised reply.

    Returns:
        The rest, and whether a block was never closed.
    """
    kept: list[str] = []
    depth = 0
    start = 0
    for tag in _THINK_TAG.finditer(text):
        if not tag["closing"]:
            if depth == 0:
                kept.append(text[start : tag.start()])
            depth += 1
        elif depth:
            depth -= 1
        else:
            kept.clear()
        if depth == 0:
            start = tag.end()
    if depth == 0:
        kept.append(text[start:])
    # A line break where a block was: the text after it starts a line of its own.
    return Cleaned("\n".join(kept), unclosed_thinking=depth > 0)
