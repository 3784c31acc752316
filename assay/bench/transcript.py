"""Write a session as its transcript: commands in order, real test output, diff, last words."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from assay.bench.catalogue import CodeState, SuiteState, Task, log_key, recorded_logs
from assay.bench.patching import make_diff
from assay.bench.styles import Style, final_message, look_around
from assay.bench.variants import LONG_README, README, Blemish, Bloat, write_code
from assay.bench.work import Work
from assay.schema import Command, Session, SuiteRun

if TYPE_CHECKING:
    import numpy as np

TEST_COMMAND = "python -m unittest"
CHANGELOG = "# Changelog\n\n## Unreleased\n"


def files_before(task: Task) -> dict[str, str]:
    """The repository as the agent found it."""
    return {
        task.module: task.source["buggy"],
        task.test_file: task.suite["given"],
        "CHANGELOG.md": CHANGELOG,
        "README.md": README.format(program=task.program),
    }


def files_after(work: Work) -> dict[str, str]:
    """The repository as the agent left it."""
    task = work.task
    after = files_before(task)
    after[task.module] = write_code(task, work.code, work.blemish, work.bloat)
    after[task.test_file] = task.suite[work.suite]
    if work.changelog:
        after["CHANGELOG.md"] += f"\n- {task.program}: {changelog_line(task)}\n"
    if work.bloat == "readme":
        after["README.md"] = LONG_README.format(program=task.program)
    return after


def changelog_line(task: Task) -> str:
    """What the changelog says of a fix: the issue's id in words."""
    return "fix " + task.task_id.split("-", 1)[1].replace("-", " ")


@lru_cache(maxsize=4096)
def _diff(
    task: Task, code: CodeState, suite: SuiteState, blemish: Blemish, bloat: Bloat, changelog: bool
) -> str:
    work = Work(task, code, suite, blemish, bloat, changelog)
    return make_diff(files_before(task), files_after(work))


def write_session(session_id: str, style: Style, work: Work, rng: np.random.Generator) -> Session:
    """One session.

    Args:
        session_id: Its id.
        style: The agent's habits.
        work: What it did.
        rng: For habits and wording that decide nothing.

    Returns:
        The session; its visible fields name no agent, and no field tells the truth.
    """
    task = work.task
    commands = [Command(command=c, exit_code=0, output=o) for c, o in look_around(style, work, rng)]
    runs: list[Command] = []
    # Before any edit: always for stale checks; else as a habit, where it can be seen to fail.
    if work.check == "stale" or (work.changed and work.check == "full" and rng.random() < 0.4):
        runs.append(_test_run(task, "buggy", "none", "given"))
        commands.append(runs[-1])
    commands += [Command(command=f"{style.edit} {name}", exit_code=0) for name in _edited(work)]
    if work.check == "full":
        runs.append(_test_run(task, work.code, work.blemish, work.suite))
        commands.append(runs[-1])
    return Session(
        session_id=session_id,
        task_id=task.task_id,
        agent=style.agent,
        agent_family=style.family,
        task_prompt=task.prompt,
        diff=_diff(task, work.code, work.suite, work.blemish, work.bloat, work.changelog),
        commands=tuple(commands),
        test_results=tuple(_summary(run) for run in runs[-1:]),
        final_message=final_message(style, work, rng),
        metadata={"source": "assay synthetic bench set"},
        synthetic=True,
    )


def _edited(work: Work) -> list[str]:
    task = work.task
    names: list[str] = []
    if work.code != "buggy":
        names.append(task.module)
    if work.suite != "given":
        names.append(task.test_file)
    if work.changelog:
        names.append("CHANGELOG.md")
    if work.bloat == "readme":
        names.append("README.md")
    return names


@lru_cache(maxsize=4096)
def _test_run(task: Task, code: CodeState, blemish: Blemish, suite: SuiteState) -> Command:
    log = recorded_logs()[log_key(task.task_id, code, blemish, suite)]
    return Command(command=TEST_COMMAND, exit_code=int(log["exit"]), output=str(log["output"]))


def _summary(run: Command) -> SuiteRun:
    ran = int((re.search(r"^Ran (\d+) tests?", run.output, re.MULTILINE) or ["", "0"])[1])
    failed = sum(int(n) for n in re.findall(r"(?:failures|errors)=(\d+)", run.output))
    return SuiteRun(
        command=run.command, passed=ran - failed, failed=failed, output=run.output.split("\n")[-1]
    )
