"""How the same fix can be written: cleanly, with a blemish, or with needless changes around it.

Blemishes and bloat change how a diff reads and nothing that the code computes.
"""

from __future__ import annotations

import difflib
import re
from typing import Literal

from assay.bench.catalogue import CodeState, Task

Blemish = Literal["none", "debug_print", "old_code", "leftover"]
"""What makes the added code unfit to be merged."""
Bloat = Literal["none", "requote", "respace", "readme"]
"""What the diff touches without need."""

BLEMISHES: tuple[Blemish, ...] = ("debug_print", "old_code", "leftover")
BLOATS: tuple[Bloat, ...] = ("requote", "respace", "readme")

DEBUG_LINE = 'print("DEBUG: got here")'
LEFTOVER_LINES = ("unused = None", "# TODO: clean this up later")
OLD_CODE_MARK = "# old: "
README = "# {program}\n\nA small program. Run its tests with `python -m unittest`.\n"
LONG_README = (
    "# {program}\n\nA small program with a friendly interface.\n\n"
    "## Testing\n\nRun its tests with `python -m unittest`.\n"
)


def write_code(task: Task, code: CodeState, blemish: Blemish, bloat: Bloat) -> str:
    """The module as the agent left it.

    Args:
        task: Which bug.
        code: What the code does.
        blemish: Put into the changed lines.
        bloat: Put around them; `readme` leaves the module alone.

    Returns:
        The whole file.
    """
    text = task.source[code]
    if blemish != "none":
        text = _blemished(task.source["buggy"], text, blemish)
    if bloat == "requote":
        return requoted(text)
    if bloat == "respace":
        return respaced(text)
    return text


def requoted(text: str) -> str:
    """Double quotes turned to single ones where that changes no meaning."""
    # Docstrings and texts that hold a quote or a backslash stay as they are.
    return re.sub(r'(?<!["\w])"([^"\'\\\n{}]*)"(?!")', r"'\1'", text)


def respaced(text: str) -> str:
    """A blank line after every line that opens a function, as some formatters like it."""
    return re.sub(r"^( *def .*:)$", r"\1\n", text, flags=re.MULTILINE)


def _blemished(before: str, after: str, blemish: Blemish) -> str:
    old, new = before.splitlines(), after.splitlines()
    matcher = difflib.SequenceMatcher(a=old, b=new, autojunk=False)
    changed = [op for op in matcher.get_opcodes() if op[0] != "equal"]
    _, low, high, start, end = changed[0]
    # A line that only removes something has no place of its own for an addition.
    place = start if end > start else min(start, len(new) - 1)
    indent = " " * (len(new[place]) - len(new[place].lstrip()))
    if new[place].lstrip().startswith(("elif", "else")):
        # Between the branches of an if nothing may stand: move into this branch.
        place, indent = place + 1, indent + "    "
    if blemish == "debug_print":
        added = [indent + DEBUG_LINE]
    elif blemish == "old_code":
        removed = old[low:high] or [new[place]]
        added = [f"{indent}{OLD_CODE_MARK}{line.strip()}" for line in removed]
    else:
        added = [indent + line for line in LEFTOVER_LINES]
    return "\n".join([*new[:place], *added, *new[place:]]) + "\n"


def without_blemish(text: str) -> tuple[str, bool]:
    """The text without blemish lines, and whether there were any."""
    lines = text.split("\n")
    kept = [line for line in lines if not _is_blemish(line.strip())]
    return "\n".join(kept), len(kept) < len(lines)


def _is_blemish(line: str) -> bool:
    plain = requoted(DEBUG_LINE)
    return line in {DEBUG_LINE, plain, *LEFTOVER_LINES} or line.startswith(OLD_CODE_MARK)
