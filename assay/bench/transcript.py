"""Write a session as its transcript: commands in order, real test output, diff, last words."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from assay.bench.catalogue import Scope, Suite, Task, log_key, recorded_logs, repro_key
from assay.bench.messages import final_message, partial_scope
from assay.bench.patching import make_diff
from assay.bench.styles import ATLAS, BOREALIS, Style
from assay.bench.variants import Code, files_after, files_before
from assay.bench.work import Work
from assay.schema import Command, Session, SuiteRun

if TYPE_CHECKING:
    import numpy as np

_WIDEST_STAT = 40
"""Changed lines of one file above which git would shorten the bar of --stat."""


def write_session(
    session_id: str, style: Style, work: Work, rng: np.random.Generator, *, commit: bool = False
) -> Session:
    """One session.

    Args:
        session_id: Its id.
        style: The agent's habits.
        work: What it did.
        rng: For habits and wordings that decide nothing.
        commit: End with a commit in any case; its hash makes the text one of a kind.

    Returns:
        The session; its visible fields name no agent, and no field tells the truth.
    """
    diff = diff_of(work.task, work.code, work.suite, work.news)
    commands = _look_around(style, work.task, rng)
    runs: list[Command] = []
    commands += _middle(style, work, rng, runs)
    if work.changed:
        commands += _wrap_up(style, work, diff, rng, commit=commit)
    elif commit:
        commands.append(_plain("git rev-parse HEAD", _hex(rng, 40)))
    return Session(
        session_id=session_id,
        task_id=work.task.task_id,
        agent=style.agent,
        agent_family=style.family,
        task_prompt=work.task.prompt,
        diff=diff,
        commands=tuple(commands),
        test_results=tuple(_summary(command) for command in runs),
        final_message=final_message(style, work, rng),
        metadata={"repository": work.task.program.name, "source": "assay synthetic bench set"},
        synthetic=True,
    )


@lru_cache(maxsize=8192)
def diff_of(task: Task, code: Code, suite: Suite, news: bool) -> str:
    """The unified diff of the whole session."""
    return make_diff(files_before(task), files_after(task, code, suite, news=news))


def _look_around(style: Style, task: Task, rng: np.random.Generator) -> list[Command]:
    module, tests = task.program.module, task.program.test_file
    before = files_before(task)
    lines = before[module].splitlines()
    listing = _plain("ls", f"CHANGELOG.md\nREADME.md\n{module}\n{tests}")
    found: list[Command] = []
    if style is ATLAS:
        found += [_plain("git status --short --branch", "## main")] if rng.random() < 0.5 else []
        found += [listing] if rng.random() < 0.6 else []
        found.append(_plain(f"cat {module}", before[module].rstrip("\n")))
        if rng.random() < 0.4:
            found.append(_plain(f"tail -n 12 {tests}", _tail(before[tests], 12)))
    elif style is BOREALIS:
        found += [listing] if rng.random() < 0.4 else []
        if rng.random() < 0.6:
            found.append(_plain(f'grep -n "def " {module}', _grep(lines)))
        found.append(_plain(f"sed -n '1,60p' {module}", "\n".join(lines[:60])))
        if rng.random() < 0.5:
            found.append(
                _plain(f'grep -n "def test" {tests}', _grep(before[tests].splitlines(), "test"))
            )
    else:
        if rng.random() < 0.5:
            found.append(_plain("git ls-files", listing.output))
        numbered = "\n".join(f"{i:6}\t{x}" for i, x in enumerate(lines, 1))
        found.append(_plain(f"cat -n {module}", numbered))
        if rng.random() < 0.3:
            found.append(_plain(f"wc -l {tests}", f"{before[tests].count(chr(10))} {tests}"))
    return found


def _middle(
    style: Style, work: Work, rng: np.random.Generator, runs: list[Command]
) -> list[Command]:
    """From the first run to the last: what verification can be told from."""
    made: list[Command] = []

    def run(state: Work, scope: Scope = "all") -> None:
        command = _test_run(style, state, scope)
        runs.append(command)
        made.append(command)

    untouched = Work(work.task, Code("buggy"))
    habit = work.changed and work.check != "claimed" and rng.random() < 0.5
    if work.check == "stale" or habit or work.suite == "mutated":
        run(untouched)
    shows_bug = work.code.fix != "buggy" and rng.random() < 0.45
    if shows_bug:
        made.append(_repro(style, untouched))
    steps = _steps(work, rng)
    for number, names in enumerate(steps, 1):
        if work.check == "edited_after" and number == len(steps):
            run(replace(work, suite="given"))
        made.append(_plain(*style.edit_command(number, names)))
        if number == 1 and shows_bug and work.code.fix == "right" and rng.random() < 0.5:
            made.append(_repro(style, work))
    if work.check in {"full", "denied", "overclaimed"}:
        run(work)
    elif work.check == "partial":
        run(work, partial_scope(work))
    return made


def _steps(work: Work, rng: np.random.Generator) -> list[list[str]]:
    """Files edited, step by step; after the run of `edited_after` comes the last step."""
    program = work.task.program
    code = [program.module] if work.code.fix != "buggy" else []
    tests = [program.test_file] if work.suite != "given" else []
    texts = [
        *(["CHANGELOG.md"] if work.news else []),
        *(["README.md"] if work.code.extent == "readme" else []),
    ]
    if work.check == "edited_after":
        return [[*code, *texts], tests or code]
    together = rng.random()
    if together < 0.3:
        groups = [[*code, *tests, *texts]]
    elif together < 0.6:
        groups = [code, [*tests, *texts]]
    else:
        groups = [code, tests, texts]
    return [group for group in groups if group]


def _wrap_up(
    style: Style, work: Work, diff: str, rng: np.random.Generator, *, commit: bool
) -> list[Command]:
    counts = _changes(diff)
    total = f" {len(counts)} file{'s' * (len(counts) > 1)} changed"
    for place, word in ((0, "insertion(s)(+)"), (1, "deletion(s)(-)")):
        number = sum(c[place] for c in counts.values())
        if number:
            total += f", {number} {word.replace('(s)', 's' * (number > 1))}"
    found: list[Command] = []
    if rng.random() < 0.35:
        if style is BOREALIS:
            found.append(_plain("git status --short", "\n".join(f" M {n}" for n in sorted(counts))))
        elif max(map(sum, counts.values())) > _WIDEST_STAT:
            found.append(_plain("git diff --shortstat", total))
        else:
            found.append(_plain("git diff --stat", "\n".join([*_bars(counts), total])))
    if commit or rng.random() < 0.2:
        subject = f"{work.task.program.name}: {work.task.prompt.splitlines()[0]}"
        output = f"[main {_hex(rng, 7)}] {subject}\n{total}"
        found.append(_plain(f"git commit -am {shlex.quote(subject)}", output))
    return found


def _changes(diff: str) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for piece in diff.split("diff --git a/")[1:]:
        name = piece.split(" ", 1)[0]
        body = piece.split("\n")[3:]
        found[name] = (
            sum(line.startswith("+") for line in body),
            sum(line.startswith("-") for line in body),
        )
    return found


def _bars(counts: dict[str, tuple[int, int]]) -> list[str]:
    wide = max(map(len, counts))
    digits = len(str(max(map(sum, counts.values()))))
    return [
        f" {name:<{wide}} | {sum(pair):>{digits}} {'+' * pair[0]}{'-' * pair[1]}"
        for name, pair in sorted(counts.items())
    ]


def _test_run(style: Style, work: Work, scope: Scope) -> Command:
    command = style.test_command
    if scope != "all":
        program = work.task.program
        command += f" test_{program.name}.{program.test_class}.{work.task.test_named(scope)}"
    log = recorded_logs()[log_key(work.task, work.code.key, work.suite, style.flag, scope)]
    return Command(command=command, exit_code=log.exit_code, output=log.output)


def _repro(style: Style, work: Work) -> Command:
    log = recorded_logs()[repro_key(work.task, work.code.key)]
    command = f"{style.python} -c {shlex.quote(work.task.repro)}"
    return Command(command=command, exit_code=log.exit_code, output=log.output)


def _summary(run: Command) -> SuiteRun:
    # The transcript holds the whole output; here stands what a harness keeps of it.
    ran = re.search(r"^Ran (\d+) tests? in .*$", run.output, re.MULTILINE)
    assert ran is not None
    failed = sum(int(n) for n in re.findall(r"(?:failures|errors)=(\d+)", run.output[ran.end() :]))
    return SuiteRun(
        command=run.command,
        passed=int(ran[1]) - failed,
        failed=failed,
        output=run.output[ran.start() :],
    )


def _plain(command: str, output: str) -> Command:
    return Command(command=command, exit_code=0, output=output)


def _grep(lines: list[str], what: str = "") -> str:
    return "\n".join(f"{i}:{x}" for i, x in enumerate(lines, 1) if f"def {what}" in x)


def _tail(text: str, count: int) -> str:
    return "\n".join(text.rstrip("\n").splitlines()[-count:])


def _hex(rng: np.random.Generator, digits: int) -> str:
    return "".join(f"{int(x):x}" for x in rng.integers(0, 16, size=digits))
