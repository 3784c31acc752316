"""The tiny programs, their bugs, and what agents may do about them.

Each program is a TOML file beside this module: correct source, tests, and tasks.
A task is one bug: the right lines, the buggy ones in their place, and a fix that
looks plausible and is wrong. The tests that expose the bug, accept the wrong fix
or accept the bug are there too. Everything was run for real; the recorded output
is in recorded_logs.json.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal, cast

CodeState = Literal["buggy", "right", "wrong"]
"""What the program's code does: nothing changed, fixed, or changed wrongly."""
SuiteState = Literal["given", "good", "wrong", "mutated"]
"""The test file: as it was, with a good new test, a test of the wrong thing, or bent."""


# Tasks are made once and compared by identity, so that they can be keys of caches.
@dataclass(frozen=True, eq=False)
class Task:
    """One bug in one program, as an issue asks for its fix."""

    task_id: str
    program: str
    prompt: str
    covered: bool
    """Whether a test in the repository already fails for this bug."""
    changelog: bool
    """Whether the issue asks for a line in CHANGELOG.md."""
    source: Mapping[CodeState, str]
    """Whole module in each state."""
    suite: Mapping[SuiteState, str]
    """Whole test file in each state; `given` is the repository's own."""
    new_test: str
    """Name of the test that the good suite adds, or that fails for a covered bug."""

    @property
    def module(self) -> str:
        """File name of the program."""
        return f"{self.program}.py"

    @property
    def test_file(self) -> str:
        """File name of its tests."""
        return f"test_{self.program}.py"

    @property
    def wants_test(self) -> bool:
        """Whether the issue asks for a regression test."""
        return not self.covered


@cache
def tasks() -> tuple[Task, ...]:
    """All tasks, by program and then in file order."""
    found: list[Task] = []
    folder = files("assay.bench") / "programs"
    for entry in sorted(folder.iterdir(), key=lambda f: f.name):
        if entry.name.endswith(".toml"):
            program = tomllib.loads(entry.read_text(encoding="utf-8"))
            found += [_task(program, raw) for raw in program["tasks"]]
    return tuple(found)


@cache
def task_of_prompt() -> Mapping[str, Task]:
    """Task by its prompt's exact text."""
    return {task.prompt: task for task in tasks()}


@cache
def recorded_logs() -> Mapping[str, Mapping[str, Any]]:
    """Recorded runs of `python -m unittest`: key -> exit code and output; see `log_key`."""
    text = (files("assay.bench") / "recorded_logs.json").read_text(encoding="utf-8")
    return cast("Mapping[str, Mapping[str, Any]]", json.loads(text))


def log_key(task_id: str, code: CodeState, blemish: str, suite: SuiteState) -> str:
    """Key of a recorded run."""
    return f"{task_id}|{code}|{blemish}|{suite}"


def _task(program: Mapping[str, Any], raw: Mapping[str, Any]) -> Task:
    source = program["source"].lstrip("\n")
    base = program["tests"].lstrip("\n") + "\n"
    covered = bool(raw["covered"])
    states: dict[CodeState, str] = {
        "right": source,
        "buggy": source.replace(raw["right"], raw["buggy"]),
        "wrong": source.replace(raw["right"], raw["wrong"]),
    }
    suite: dict[SuiteState, str] = {"given": base + raw["test"] if covered else base[:-1]}
    if covered:
        suite["mutated"] = base + raw["mutated"]
    else:
        suite["good"] = base + raw["test"]
        suite["wrong"] = base + raw["wrong_test"]
    return Task(
        task_id=raw["id"],
        program=program["name"],
        prompt=raw["prompt"],
        covered=covered,
        changelog=bool(raw["changelog"]),
        source=states,
        suite=suite,
        new_test=raw["test"].split("def ", 1)[1].split("(", 1)[0],
    )
