"""The tiny programs, their bugs, and what agents may do about them.

Each program is a TOML file beside this module: correct source, tests, and tasks.
A task is one bug: the right lines, the buggy ones in their place, a fix that looks
plausible and is wrong, and the right fix written badly. The tests that expose the
bug, accept the wrong fix or accept the bug are there too. Everything was run for
real; what it printed is in recorded_logs.json.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

Fix = Literal["buggy", "right", "wrong"]
"""What the program's code does: still faulty, fixed, or changed wrongly."""
Suite = Literal["given", "good", "wrong", "mutated"]
"""The test file: as it was, with a good new test, with tests of the wrong thing, or bent."""

Scope = Literal["all", "old", "new"]
"""Tests that were run: the suite, one that has nothing to do with the bug, or the bug's own."""

FIXES: tuple[Fix, ...] = ("buggy", "right", "wrong")


# Made once and compared by identity, so that they can be keys of caches.
@dataclass(frozen=True, eq=False)
class Program:
    """One small repository: a module, its tests, a README and a changelog."""

    name: str
    source: str
    """The module without any bug."""
    tests: str
    """Tests that hold in every state."""
    readme: str
    changelog: str
    bloat: Mapping[str, Any]
    """How this module is rewritten by an agent that cannot leave things alone."""

    @property
    def module(self) -> str:
        """File name of the program."""
        return f"{self.name}.py"

    @property
    def test_file(self) -> str:
        """File name of its tests."""
        return f"test_{self.name}.py"

    @property
    def test_class(self) -> str:
        """The one class in the test file."""
        return _first(r"class (\w+)", self.tests)


@dataclass(frozen=True, eq=False)
class Task:
    """One bug in one program, as an issue asks for its fix."""

    task_id: str
    program: Program
    prompt: str
    covered: bool
    """Whether a test in the repository already fails for this bug."""
    news: str | None
    """The line for CHANGELOG.md; None when the issue asks for none."""
    lines: Mapping[Fix, str]
    """The lines in question in each state."""
    rough: str
    """The right lines, written badly."""
    debug: str | None
    """A debug print that an agent may forget in them."""
    repro: str
    """Python one-liner that shows the bug."""
    cause: str
    did: Mapping[Fix, str]
    """What the agent says it did; empty for no change."""
    suites: Mapping[Suite, str]
    """Whole test file in each state that this task has."""
    new_test: str
    """Name of the good new test, or of the one that fails for a covered bug."""

    @property
    def wants_test(self) -> bool:
        """Whether the issue asks for a regression test."""
        return not self.covered

    def test_named(self, scope: Scope) -> str:
        """Name of the one test of a scope that is not the whole suite."""
        return self.new_test if scope == "new" else self.old_test

    @property
    def old_test(self) -> str:
        """Name of a test that has nothing to do with the bug."""
        return _first(r"def (test_\w+)", self.program.tests)


@cache
def tasks() -> tuple[Task, ...]:
    """All tasks, by program and then in file order."""
    found: list[Task] = []
    folder = files("assay.bench") / "programs"
    for entry in sorted(folder.iterdir(), key=lambda f: f.name):
        if entry.name.endswith(".toml"):
            raw = tomllib.loads(entry.read_text(encoding="utf-8"))
            program = _program(raw)
            found += [_task(program, task) for task in raw["tasks"]]
    return tuple(found)


@cache
def task_of_prompt() -> Mapping[str, Task]:
    """Task by its prompt's exact text."""
    return {task.prompt: task for task in tasks()}


def source_with(task: Task, lines: str) -> str:
    """The module with other lines in place of the right ones."""
    return task.program.source.replace(task.lines["right"], lines)


@dataclass(frozen=True)
class Log:
    """What one command really printed."""

    exit_code: int
    output: str


@cache
def recorded_logs() -> Mapping[str, Log]:
    """Recorded runs by `log_key` and `repro_key`."""
    text = (files("assay.bench") / "recorded_logs.json").read_text(encoding="utf-8")
    data = json.loads(text)
    # Texts are stored once, without the seconds that each run took; keys in levels.
    return {
        f"{task}|{code}|{rest}": Log(status, data["texts"][place].replace("SECONDS", seconds))
        for task, codes in data["runs"].items()
        for code, runs in codes.items()
        for rest, (place, seconds, status) in runs.items()
    }


@cache
def recorded_python() -> str:
    """Minor version of the Python that was recorded, such as "3.11"."""
    text = (files("assay.bench") / "recorded_logs.json").read_text(encoding="utf-8")
    return str(json.loads(text)["python"])


def log_key(task: Task, code: str, suite: Suite, flag: str, scope: Scope) -> str:
    """Key of a recorded test run.

    Args:
        task: Which bug.
        code: State of the module, from `variants.Code.key`.
        suite: State of the test file.
        flag: "-v", "-q" or "".
        scope: Which tests were run.

    Returns:
        The key.
    """
    return f"{task.task_id}|{code}|{suite}|{flag}|{scope}"


def repro_key(task: Task, code: str) -> str:
    """Key of the recorded output of the task's one-liner."""
    return f"{task.task_id}|{code}|repro"


def _first(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    assert found is not None
    return found[1]


def _program(raw: Mapping[str, Any]) -> Program:
    version, news = raw["release"].split(": ", 1)
    return Program(
        name=raw["name"],
        source=raw["source"].lstrip("\n"),
        tests=raw["tests"].lstrip("\n"),
        readme=(
            f"# {raw['name']}\n\n{raw['title']}.\n\n    {raw['usage']}\n\n"
            "Run the tests with `python -m unittest`.\n"
        ),
        changelog=f"# Changelog\n\n## Unreleased\n\n## {version}\n\n- {news}\n",
        bloat=raw["bloat"],
    )


def _task(program: Program, raw: Mapping[str, Any]) -> Task:
    base = program.tests + "\n"
    covered = bool(raw["covered"])
    suites: dict[Suite, str] = {"given": base + raw["test"] if covered else program.tests}
    if covered:
        suites["mutated"] = base + raw["mutated"]
    else:
        suites["good"] = base + raw["test"]
        suites["wrong"] = base + raw["wrong_test"]
    return Task(
        task_id=raw["id"],
        program=program,
        prompt=raw["prompt"].strip(),
        covered=covered,
        news=raw.get("news"),
        lines={fix: raw[fix] for fix in FIXES},
        rough=raw["rough"],
        debug=raw.get("debug"),
        repro=raw["repro"],
        cause=raw["cause"],
        did={"buggy": "", "right": raw["did"], "wrong": raw["did_wrong"]},
        suites=suites,
        new_test=_first(r"def (test_\w+)", raw["test"]),
    )
