"""Run every test suite of the bench set for real and record what it printed.

    python -m experiments.record_bench_logs

Writes assay/bench/recorded_logs.json. Nothing is invented: each entry is what
`python -m unittest`, or the task's one-liner, printed on a program in one state.
Only the temporary folder in tracebacks is written as /repo.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from assay.bench.catalogue import Scope, Suite, Task, log_key, repro_key, tasks
from assay.bench.styles import FLAGS
from assay.bench.variants import Code, Extent, module_text, polishes

TARGET = Path(__file__).resolve().parents[1] / "assay" / "bench" / "recorded_logs.json"
SECONDS = re.compile(r"(?<=^Ran )(\d+ tests? in )([\d.]+)s$", re.MULTILINE)


@dataclass(frozen=True)
class Job:
    """One run: files, arguments for Python, and the key it is recorded under."""

    key: str
    task: Task
    code: Code
    suite: Suite
    arguments: tuple[str, ...]


def run(job: Job) -> tuple[int, str]:
    """Run it for real.

    Returns:
        Exit code, and output with /repo for the temporary folder.
    """
    program = job.task.program
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        (folder / program.module).write_text(module_text(job.task, job.code), encoding="utf-8")
        (folder / program.test_file).write_text(job.task.suites[job.suite], encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-B", *job.arguments],
            cwd=folder,
            # One stream, as a person sees it; unbuffered, so that prints keep their place.
            env={**os.environ, "PYTHONUNBUFFERED": "1", "NO_COLOR": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        return done.returncode, done.stdout.rstrip().replace(str(folder), "/repo")


def codes_of(task: Task) -> list[Code]:
    """States of the module that a session can show."""
    extents: tuple[Extent, ...] = ("lean", "source")
    changed = [
        Code(fix, polish, extent)
        for fix in ("right", "wrong")
        for polish in ("clean", *polishes(task, fix))
        for extent in extents
    ]
    return [Code("buggy"), *changed]


def jobs_of(task: Task) -> Iterator[Job]:
    """Every run that a session of this task can show, and those that prove what a test is worth."""
    for code in codes_of(task):
        yield Job(repro_key(task, code.key), task, code, "given", ("-c", task.repro))
        for suite in task.suites:
            for flag, scope in _runs(code, suite, covered=task.covered):
                arguments = ["-m", "unittest", *([flag] if flag else [])]
                if scope != "all":
                    program = task.program
                    test = task.test_named(scope)
                    arguments.append(f"test_{program.name}.{program.test_class}.{test}")
                key = log_key(task, code.key, suite, flag, scope)
                yield Job(key, task, code, suite, tuple(arguments))


def _runs(code: Code, suite: Suite, *, covered: bool) -> Iterator[tuple[str, Scope]]:
    shown = {"given": True, "good": code.fix != "buggy", "wrong": code.fix == "wrong"}
    if suite == "wrong" and code.fix == "buggy":
        return
    if not shown.get(suite, code.fix == "buggy"):
        yield "", "all"
        return
    for flag in FLAGS:
        yield flag, "all"
        # An agent that runs one test only takes one that passes.
        if code.fix != "buggy" and suite in {"given", "good"}:
            has_new = suite == "good" or covered
            yield flag, "new" if has_new and code.fix == "right" else "old"


def main() -> int:
    """Record all runs and write them in a stable order."""
    jobs = [job for task in tasks() for job in jobs_of(task)]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(run, jobs))
    texts: dict[str, int] = {}
    runs: dict[str, dict[str, dict[str, list[object]]]] = {}
    for job, (code, output) in zip(jobs, results, strict=True):
        found = SECONDS.search(output)
        text = SECONDS.sub(r"\1SECONDSs", output)
        entry = [texts.setdefault(text, len(texts)), found[2] if found else "", code]
        task, state, rest = job.key.split("|", 2)
        runs.setdefault(task, {}).setdefault(state, {})[rest] = entry
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    # One line per state of a program: short, and a change shows where it belongs.
    entries = ",\n".join(
        f"{json.dumps(task)}: {{\n"
        + ",\n".join(
            f"{json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}" for k, v in s.items()
        )
        + "}"
        for task, s in runs.items()
    )
    listed = ",\n".join(json.dumps(text, ensure_ascii=False) for text in texts)
    TARGET.write_text(
        f'{{"python": "{python}",\n"texts": [\n{listed}\n],\n"runs": {{\n{entries}\n}}}}\n',
        encoding="utf-8",
        newline="\n",
    )
    print(f"{len(jobs)} runs recorded in {TARGET.name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
