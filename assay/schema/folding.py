"""Fold away what does not change a text's meaning: case, space and punctuation."""

from __future__ import annotations

import unicodedata


def fold(text: str) -> str:
    """Text without case, punctuation and spare space, for telling equal texts apart.

    Args:
        text: Any text.

    Returns:
        NFKC-normalised, case-folded words joined by one space; signs and symbols
        such as `+` and `<` are kept, since they can carry meaning in code.

    Example:
        >>> fold("The  cache,  Evicts!") == fold("the cache evicts")
        True
    """
    normal = unicodedata.normalize("NFKC", text).casefold()
    spaced = "".join(" " if unicodedata.category(c)[0] in "PZC" else c for c in normal)
    return " ".join(spaced.split())
