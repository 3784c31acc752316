"""Three doors, one room: the command, `python -m experiments.X` and `mlflow run` meet here."""

from __future__ import annotations

import sys
from pathlib import Path

from assay.app.composing import compose
from assay.app.flags import Flags, parse_flags
from assay.app.sweeping import expand_sweep
from assay.errors import AssayError, ConfigError


def run_door(verb: str, argv: list[str], *, start: Path | None = None) -> int:
    """Run a configured verb and return its exit code; known failures print one message.

    Args:
        verb: synth, split, dev or reap.
        argv: Words after the verb.
        start: Folder for relative paths; the current one by default.

    Returns:
        Exit code as in `assay.errors`; 143 or 130 after a signal.
    """
    try:
        return _run(verb, parse_flags(argv), (start or Path.cwd()).resolve())
    except AssayError as error:
        print(f"assay {verb}: {error}", file=sys.stderr)
        return error.exit_code


def _run(verb: str, flags: Flags, start: Path) -> int:
    from assay import stages

    jobs = expand_sweep(flags) if flags.multirun else [flags]
    if flags.show_config:
        print("---\n".join(compose(job, start=start).yaml for job in jobs))
        return 0
    if flags.multirun:
        if verb != "dev":
            message = f"{verb}: -m sweeps over dev runs only; run {verb} once per setting."
            raise ConfigError(message)
        sweep_jobs = [
            stages.SweepJob(
                overrides=job.overrides, compose=lambda job=job: compose(job, start=start)
            )
            for job in jobs
        ]
        return stages.sweep(sweep_jobs, as_json=flags.json)
    stage = {
        "synth": stages.synth,
        "split": stages.split,
        "dev": stages.dev,
        "reap": stages.reap,
    }[verb]
    return stage(compose(flags, start=start), as_json=flags.json)
