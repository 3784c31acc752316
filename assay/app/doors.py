"""Three doors, one room: the command, `python -m experiments.X` and `mlflow run` meet here."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from assay.app.composing import compose
from assay.app.flags import Flags, parse_flags
from assay.app.sweeping import expand_sweep
from assay.errors import AssayError, ConfigError, InputError


def run_door(verb: str, argv: list[str], *, start: Path | None = None) -> int:
    """Run a configured verb and return its exit code; known failures print one message.

    Args:
        verb: synth, split, dev or reap.
        argv: Words after the verb.
        start: Folder for relative paths; the current one by default.

    Returns:
        Exit code as in `assay.errors`; 143 or 130 after a signal.
    """
    where = (start or Path.cwd()).resolve()
    return guarded(verb, lambda: _run(verb, parse_flags(argv), where))


def guarded(verb: str, action: Callable[[], int]) -> int:
    """Run an action; what a user can mend ends in one sentence and its exit code.

    Args:
        verb: Named in the sentence.
        action: Returns an exit code.

    Returns:
        That code, or the failure's; 130 after Ctrl-C, 141 when a reader of our output
        went away.
    """
    try:
        return action()
    except AssayError as error:
        print(f"assay {verb}: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print(f"assay {verb}: interrupted.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # Python flushes stdout once more at its end, which would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        message = f"{where}{error.strerror or error}; name a file or folder that can be used."
        print(f"assay {verb}: {message}", file=sys.stderr)
        return InputError.exit_code


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
