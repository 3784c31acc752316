"""Have the data a run needs: the user's own files, or the synthetic set made on first use."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from assay.config import Composition
from assay.errors import AssayError, InputError
from assay.reporting import talk


def data_folder(run: Composition) -> Path:
    """Folder of sessions and labels; for the user's own data, after a look that they are there.

    Raises:
        InputError: If files of the user's own are missing.
    """
    spec = run.config.data
    folder = run.path(spec.dir)
    missing = missing_files(run)
    if missing and spec.kind == "files":
        found = sorted(p.name for p in folder.glob(f"{missing[0].stem}.*"))
        hint = (
            f" There is {found[0]}: name it with data.{missing[0].stem}={found[0]}."
            if found
            else ""
        )
        message = (
            f"{missing[0]}: no such file; put your sessions and labels into {folder}, or name "
            f"the folder with data.dir=DIR, or use data=synthetic.{hint}"
        )
        raise InputError(message)
    return folder


def missing_files(run: Composition) -> list[Path]:
    """Which of sessions and labels are not there."""
    spec = run.config.data
    folder = run.path(spec.dir)
    return [p for p in (folder / spec.sessions, folder / spec.labels) if not p.is_file()]


def ensure_split(run: Composition) -> Path:
    """Folder of the data, after making the synthetic set and its split if they are not there.

    The synthetic set is made by another process: in it labels of all parts
    exist together, and a dev run must never hold those of test.

    Args:
        run: Composition; `data` and `split` matter.

    Returns:
        Absolute folder.

    Raises:
        InputError: If files of the user's own are missing or not split yet.
    """
    spec = run.config.data
    folder = data_folder(run)
    manifest = folder / "split" / "split.json"
    if manifest.is_file() and not missing_files(run):
        # The time alone: the file holds labels of test, which are not to be read here.
        if (folder / spec.labels).stat().st_mtime > manifest.stat().st_mtime + 1:
            talk(
                f"{folder / spec.labels} is newer than the split; the labels of the split count. "
                f"To use changed labels, split them in another data.dir."
            )
        return folder
    if spec.kind == "files":
        message = (
            f"{folder / 'split' / 'split.json'}: not split yet; run: "
            f"assay split data={spec.name} data.dir={spec.dir}"
        )
        raise InputError(message)
    _in_own_process(run, "split")
    return folder


def _in_own_process(run: Composition, verb: str) -> None:
    # Only what decides the files is passed on; judge, panel and tracking play no part.
    mine = [w for w in run.overrides if w.lstrip("+~").startswith(("data", "split"))]
    extra = [] if len(run.search) == 1 else ["--config-dir", str(run.search[0])]
    done = subprocess.run(  # noqa: S603 - our own module, with our own words
        [sys.executable, "-m", "assay", verb, *mine, *extra],
        cwd=run.start,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode != 0:
        error = AssayError(done.stderr.strip().removeprefix(f"assay {verb}: "))
        error.exit_code = done.returncode
        raise error
    for told in (done.stderr, done.stdout):
        if told.strip():
            talk(told.strip().splitlines()[0])
