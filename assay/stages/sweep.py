"""`assay dev -m ...`: several variants on the dev part, side by side in MLflow.

Every job runs to its own end: one that fails is listed with its overrides and
its error and does not hide another. An endpoint that refuses us refuses all
jobs, so that failure stops the sweep.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass

from assay.config import Composition
from assay.errors import AssayError, EndpointError, InputError
from assay.judges import kept_servers
from assay.reporting import FailedJob, LeaderRow, leader_row, print_leaders, say_json, talk
from assay.stages.bench_set import ensure_split
from assay.stages.coverage import coverage_exit
from assay.stages.dev import run_dev
from assay.stages.recording import open_recorder


@dataclass(frozen=True)
class SweepJob:
    """One job: its overrides, and how to compose it."""

    overrides: tuple[str, ...]
    compose: Callable[[], Composition]


def sweep(jobs: Sequence[SweepJob], *, as_json: bool = False) -> int:
    """Run the jobs one after another and print who leads.

    Each job keeps hundreds of calls in flight by itself, so jobs in parallel
    would only share the same endpoints.

    Args:
        jobs: At least one.
        as_json: Print the leader table as JSON.

    Returns:
        0 when every job succeeded, else the exit code of the first failure.
    """
    composed: list[tuple[SweepJob, Composition]] = []
    failed: list[FailedJob] = []
    codes: list[int] = []

    def note(job: SweepJob, error: AssayError) -> None:
        failed.append(FailedJob(overrides=job.overrides, error=str(error)))
        codes.append(error.exit_code)

    # Composed before anything is judged: a misspelt option costs no call.
    for job in jobs:
        try:
            composed.append((job, job.compose()))
        except AssayError as error:
            note(job, error)
    if not composed:
        message = "\n".join(f"{' '.join(f.overrides)}: {f.error}" for f in failed)
        raise InputError(message)
    first = composed[0][1]
    _refuse_idle_sweep([run for _, run in composed])
    rows: list[LeaderRow] = []
    with ThreadPoolExecutor(max_workers=1) as pool, ExitStack() as stack:
        # Making the synthetic set and opening a new store take seconds each: side by
        # side. What goes wrong with the set is raised again by the first job.
        made = pool.submit(ensure_split, first)
        overrides = [job.overrides for job in jobs]
        recorder = stack.enter_context(open_recorder(first, sweep=overrides))
        stack.enter_context(kept_servers())
        wait([made])
        for done, (job, run) in enumerate(composed):
            if failed and first.config.fail_fast:
                talk(f"fail_fast: {len(composed) - done} jobs not run")
                break
            try:
                result = run_dev(run, recorder)
            except EndpointError as error:
                note(job, error)
                left = len(composed) - done - 1
                talk(f"the endpoint refuses all jobs: {left} not run")
                break
            except AssayError as error:
                note(job, error)
            else:
                rows.append(leader_row(result.report, overrides=job.overrides))
                codes.append(coverage_exit(run.config.policy, result.report))
        recorder.finish_sweep(rows, failed)
    if as_json:
        say_json({"leaders": rows, "failed": failed})
    else:
        print_leaders(rows, failed)
        recorder.print_whereabouts()
    return next((code for code in codes if code), 0)


def _refuse_idle_sweep(runs: Sequence[Composition]) -> None:
    # Recorded verdicts stay what they are: such a sweep would compare a file with itself.
    settings = [
        run.config.model_copy(update={"judge": runs[0].config.judge})
        for run in runs
        if run.config.panel.kind == "recorded"
    ]
    if any(a == b for a, b in itertools.combinations(settings, 2)):
        message = (
            "the jobs differ in judge only, but panel=recorded asks no judge: its verdicts come "
            "from a file. Sweep over panel.verdicts=a.jsonl,b.jsonl instead."
        )
        raise InputError(message)
