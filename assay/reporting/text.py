"""Names come from files and endpoints: keep them from commanding a terminal, a page or a sheet."""

from __future__ import annotations

import html
import unicodedata

_UNSAFE = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Control, format (text direction, invisible), lone surrogate, line and paragraph separator."""
_FORMULA = ("=", "+", "-", "@")
_MARKDOWN = frozenset("\\`*_{}[]<>#|~$")


def printable(text: str) -> str:
    r"""Text with control and direction characters shown as escapes, on one line.

    Args:
        text: Anything.

    Returns:
        Text that moves no cursor, for terminals and figures.

    Example:
        >>> printable("a\x1b[2Jb")
        'a\\x1b[2Jb'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(c) for c in text)


def in_html(text: str) -> str:
    """Text for an HTML element or a quoted attribute; line breaks and tabs stay."""
    kept = "".join(c if c in "\n\t" else _shown(c) for c in text)
    return html.escape(kept, quote=True)


def in_markdown(text: str) -> str:
    """Text for a Markdown line or table cell: no markup, no HTML, no line break."""
    escaped = (f"\\{c}" if c in _MARKDOWN else c for c in printable(text))
    return "".join(escaped).replace("\\<", "&lt;").replace("\\>", "&gt;")


def in_sheet(text: str) -> str:
    """Text for a CSV cell that no spreadsheet runs as a formula.

    References:
        OWASP, "CSV Injection": a leading quote makes a cell text.
    """
    kept = "".join(c if c in "\n\t" else _shown(c) for c in text.replace("\r\n", "\n"))
    risky = kept.lstrip().startswith(_FORMULA) or kept.startswith(("\t", "\n"))
    return f"'{kept}" if risky else kept


def shortened(text: str, limit: int, *, pointer: str) -> str:
    """Text of at most `limit` characters, saying where the rest is when it was cut.

    Args:
        text: Anything.
        limit: Characters kept.
        pointer: Where the whole text is, such as "see disagreements.csv".

    Returns:
        The text, or its beginning and "... (cut; <pointer>)".
    """
    return text if len(text) <= limit else f"{text[:limit].rstrip()} ... (cut; {pointer})"


def _shown(character: str) -> str:
    if unicodedata.category(character) not in _UNSAFE:
        return character
    return character.encode("unicode_escape").decode("ascii")
