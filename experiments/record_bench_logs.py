"""Run every test suite of the bench for real and record what it printed.

    python -m experiments.record_bench_logs

Writes assay/bench/recorded_logs.json. Nothing is invented: each entry is the
output of `python -m unittest` on a program in one state. Only tracebacks' paths
are shortened to the file's name.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from assay.bench.catalogue import CodeState, SuiteState, Task, log_key, tasks
from assay.bench.variants import BLEMISHES, Blemish, write_code

TARGET = Path(__file__).resolve().parents[1] / "assay" / "bench" / "recorded_logs.json"


def run_suite(
    task: Task, code: CodeState, blemish: Blemish, suite: SuiteState
) -> dict[str, object]:
    """One real run: exit code and output."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / task.module).write_text(write_code(task, code, blemish, "none"), encoding="utf-8")
        (folder / task.test_file).write_text(task.suite[suite], encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "unittest"],
            cwd=folder,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
    output = (done.stdout + done.stderr).rstrip()
    return {"exit": done.returncode, "output": re.sub(r'File "[^"]*/', 'File "', output)}


def runs_of(task: Task) -> list[tuple[CodeState, Blemish, SuiteState]]:
    """Every state that a session can show."""
    suites: tuple[SuiteState, ...] = tuple(task.suite)
    blemishes: tuple[Blemish, ...] = ("none", *BLEMISHES)
    codes: tuple[CodeState, ...] = ("buggy", "right", "wrong")
    return [
        (code, blemish, suite)
        for code in codes
        for blemish in blemishes
        for suite in suites
        # Code that nobody touched has no blemish.
        if code != "buggy" or blemish == "none"
    ]


def main() -> int:
    """Record all runs and write them in a stable order."""
    jobs = [(task, *state) for task in tasks() for state in runs_of(task)]
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda job: run_suite(*job), jobs))
    recorded = {
        log_key(task.task_id, code, blemish, suite): result
        for (task, code, blemish, suite), result in zip(jobs, results, strict=True)
    }
    TARGET.write_text(
        json.dumps(recorded, indent=0, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    print(f"{len(recorded)} runs recorded in {TARGET.name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
