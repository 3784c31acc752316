"""How the same fix can be written: cleanly, with leftovers, or with needless changes around it.

What is added or rewritten here changes how a diff reads, and nothing that the code
computes; the recorded runs of every variant bear that out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from assay.bench.catalogue import Fix, Program, Suite, Task, source_with

Polish = Literal["clean", "debug", "old_code", "rough"]
"""clean, a debug print left in, the old lines left as comments, or badly written."""
Extent = Literal["lean", "source", "readme"]
"""Only what is needed, the whole module rewritten on the way, or the README."""

_STRINGS = re.compile(
    r'"""[\s\S]*?"""|\b[rfb]+"(?:\\.|[^"\\\n])*"|"(?:\\.|[^"\\\n])*"|' + r"'(?:\\.|[^'\\\n])*'"
)


@dataclass(frozen=True)
class Code:
    """State of a module."""

    fix: Fix
    polish: Polish = "clean"
    extent: Extent = "lean"

    @property
    def key(self) -> str:
        """Part of a recorded run's key; the README has no part in a run."""
        return f"{self.fix}.{self.polish}.{'source' if self.extent == 'source' else 'lean'}"


def polishes(task: Task, fix: Fix) -> tuple[Polish, ...]:
    """Ways to write this fix badly."""
    generic: Polish = "debug" if task.debug else "old_code"
    return (generic, "rough") if fix == "right" else (generic,)


@lru_cache(maxsize=1024)
def module_text(task: Task, code: Code) -> str:
    """The module as the agent left it.

    Args:
        task: Which bug.
        code: State; a wrong fix has no `rough` form.

    Returns:
        The whole file.
    """
    lines = task.rough if code.polish == "rough" else task.lines[code.fix]
    if code.polish == "debug":
        lines = _with_debug(lines, task.debug or "")
    elif code.polish == "old_code":
        lines = _with_old_lines(lines, task.lines["buggy"])
    text = source_with(task, lines)
    return rewritten(task.program, text) if code.extent == "source" else text


def files_before(task: Task) -> dict[str, str]:
    """The repository as the agent found it."""
    program = task.program
    return {
        program.module: module_text(task, Code("buggy")),
        program.test_file: task.suites["given"],
        "CHANGELOG.md": program.changelog,
        "README.md": program.readme,
    }


def files_after(task: Task, code: Code, suite: Suite, *, news: bool) -> dict[str, str]:
    """The repository as the agent left it."""
    after = files_before(task)
    after[task.program.module] = module_text(task, code)
    after[task.program.test_file] = task.suites[suite]
    if news:
        after["CHANGELOG.md"] = after["CHANGELOG.md"].replace(
            "## Unreleased\n", f"## Unreleased\n\n- {task.news}\n"
        )
    if code.extent == "readme":
        after["README.md"] = long_readme(after["README.md"])
    return after


def long_readme(readme: str) -> str:
    """The README, improved although nobody asked."""
    heading, title, usage, _ = readme.rstrip("\n").split("\n\n")
    code = usage.strip()
    return (
        f"{heading}\n\n{title} Small, readable and without dependencies.\n\n"
        f"## Usage\n\n```python\n{code}\n```\n\n"
        "## Development\n\n1. Clone the repository.\n2. Run `python -m unittest`.\n"
        "3. Open a pull request.\n"
    )


def rewritten(program: Program, text: str) -> str:
    """The module with new names, annotations or quotes throughout, as the program has it."""
    bloat: Mapping[str, object] = program.bloat
    if bloat["kind"] == "quotes":
        return _STRINGS.sub(_requote, text)
    if bloat["kind"] == "renames":
        words = dict(program.bloat["words"])
        pattern = re.compile(r"(?<![\w])(" + "|".join(map(re.escape, words)) + r")(?![\w])")
        return pattern.sub(lambda found: words[found[1]], text)
    for old, new in program.bloat["lines"]:
        text = text.replace(old, new)
    return text


def _requote(found: re.Match[str]) -> str:
    text = found[0]
    plain = text.startswith('"') and not text.startswith('"""')
    return f"'{text[1:-1]}'" if plain and not re.search(r"['\\]", text) else text


def _with_debug(lines: str, debug: str) -> str:
    first, rest = lines.split("\n", 1)
    indent = first[: len(first) - len(first.lstrip())]
    if first.lstrip().startswith("def "):
        return f"{first}\n{indent}    {debug}\n{rest}"
    return f"{indent}{debug}\n{lines}"


def _with_old_lines(lines: str, old: str) -> str:
    new = lines.splitlines()
    gone = [x for x in old.splitlines() if x.strip() and x not in new] or old.splitlines()
    place = next((i for i, x in enumerate(new) if x not in old.splitlines()), 0)
    commented = []
    for line in gone:
        indent = line[: len(line) - len(line.lstrip())]
        commented.append(f"{indent}# {line.lstrip()}")
    return "\n".join([*new[:place], *commented, *new[place:]]) + "\n"
