"""Where does output go? Results to stdout, talk to stderr; colour only where a person looks."""

from __future__ import annotations

import os
import re
import sys
from typing import IO, TYPE_CHECKING, TextIO

from assay.reporting.strict_json import strict_json
from assay.reporting.text import printable

if TYPE_CHECKING:
    from rich.console import Console

_FILLING = re.compile(r" +\n")
_PLAIN_WIDTH = 100
"""Columns where no terminal tells its width: pipes, files and logs."""


class _AnyEncoding:
    """A stream that escapes what its encoding lacks, and drops the spaces that fill up lines."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        encoding = getattr(self._stream, "encoding", None)
        if encoding:
            text = text.encode(encoding, "backslashreplace").decode(encoding)
        return self._stream.write(_FILLING.sub("\n", text))

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()

    @property
    def encoding(self) -> str:
        return getattr(self._stream, "encoding", None) or "utf-8"


def open_console(
    file: IO[str] | None = None, *, width: int | None = None, to_stderr: bool = False
) -> Console:
    """A rich console that interprets no markup and is plain where nobody watches.

    Args:
        file: Stream to write to; None takes stdout, or stderr.
        width: Columns; None asks COLUMNS, the terminal, and else takes 100.
        to_stderr: Which of the two streams None means.

    Returns:
        Console; without colour when not a terminal, with NO_COLOR, or on a dumb terminal.
    """
    from rich.console import Console

    stream = file or (sys.stderr if to_stderr else sys.stdout)
    watched = stream.isatty() and os.environ.get("TERM", "") not in {"dumb", "unknown"}
    if width is None and not watched:
        told = os.environ.get("COLUMNS", "")
        width = int(told) if told.isdecimal() and int(told) > 0 else _PLAIN_WIDTH
    console = Console(
        file=_AnyEncoding(stream),  # type: ignore[arg-type] - rich writes and flushes only
        width=width,
        force_terminal=watched,
        no_color=True if not watched or os.environ.get("NO_COLOR") else None,
        markup=False,
        emoji=False,
        highlight=False,
        legacy_windows=False,
    )
    # rich would end the process with 1; our door knows what a closed pipe means.
    console.on_broken_pipe = _closed_pipe
    return console


def _closed_pipe() -> None:
    raise BrokenPipeError


def say(text: str, *, file: TextIO | None = None) -> None:
    """Print a result to stdout; lines stay lines, control characters are shown as escapes."""
    _write(text, file or sys.stdout)


def talk(text: str, *, file: TextIO | None = None) -> None:
    """Print a remark to stderr, so that stdout holds results only."""
    _write(text, file or sys.stderr)


def say_json(value: object, *, file: TextIO | None = None) -> None:
    """Print a record, report or container to stdout as strict JSON, in ASCII.

    Args:
        value: A report, a manifest, leader rows, or a mapping of such.
        file: Another stream.
    """
    stream = file or sys.stdout
    stream.write(strict_json(value, ascii_only=True) + "\n")
    stream.flush()


def _write(text: str, stream: TextIO) -> None:
    lines = "\n".join(printable(line) for line in text.split("\n"))
    out = _AnyEncoding(stream)
    out.write(lines + "\n")
    out.flush()
