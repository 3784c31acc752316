"""Unified diffs: made from files, and applied to them again."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def make_diff(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """A unified diff, as `git diff` prints it, of all files that differ.

    Args:
        before: name -> text; files that are missing are new.
        after: name -> text.

    Returns:
        The diff; empty when nothing differs.
    """
    pieces: list[str] = []
    for name in after:
        old, new = before.get(name), after[name]
        if old == new:
            continue
        lines = difflib.unified_diff(
            (old or "").splitlines(),
            new.splitlines(),
            fromfile="/dev/null" if old is None else f"a/{name}",
            tofile=f"b/{name}",
            lineterm="",
        )
        pieces.append(f"diff --git a/{name} b/{name}\n" + "\n".join(lines))
    return "\n".join(pieces)


def apply_diff(before: Mapping[str, str], diff: str) -> dict[str, str]:
    """The files after a diff.

    Args:
        before: name -> text; each text ends in a line feed.
        diff: Unified diff.

    Returns:
        All files, changed and new ones included.

    Raises:
        ValueError: If a context or removed line is not where the diff says.
    """
    after = dict(before)
    for piece in re.split(r"^diff --git .*\n", diff, flags=re.MULTILINE):
        lines = piece.split("\n")
        target = next((x.removeprefix("+++ b/") for x in lines if x.startswith("+++ b/")), None)
        if target is not None:
            after[target] = _apply(before.get(target, ""), lines, target)
    return after


def _apply(text: str, lines: list[str], name: str) -> str:
    old = text.split("\n")[:-1] if text else []
    new: list[str] = []
    position = 0
    for line in lines:
        hunk = _HUNK.match(line)
        if hunk:
            # A count of 0 points at the line before the hunk.
            start = int(hunk[1]) - (0 if hunk[2] == "0" else 1)
            new += old[position:start]
            position = start
        elif line.startswith(("--- ", "+++ ")):
            continue
        elif line.startswith("+"):
            new.append(line[1:])
        elif line.startswith(("-", " ")):
            if position >= len(old) or old[position] != line[1:]:
                message = f"{name}: line {position + 1} is not what the diff says"
                raise ValueError(message)
            if line[0] == " ":
                new.append(line[1:])
            position += 1
    return "\n".join([*new, *old[position:]]) + "\n"
