"""Where a run came from: program, commit, user. MLflow fills these in only for its own API."""

from __future__ import annotations

import getpass
import subprocess
from functools import cache
from pathlib import Path

from assay import __version__


@cache
def source_tags(start: Path) -> dict[str, str]:
    """MLflow's source tags for a run made through MlflowClient.

    Args:
        start: Folder that holds the user's files; its commit is the one of interest.

    Returns:
        Tags; the commit only where git knows one.
    """
    tags = {
        "mlflow.source.name": "assay",
        "mlflow.source.type": "LOCAL",
        "mlflow.user": _user(),
        "assay.version": __version__,
    }
    if commit := _git("rev-parse", "HEAD", folder=start):
        tags["mlflow.source.git.commit"] = commit
        if _git("status", "--porcelain", "--untracked-files=no", folder=start):
            tags["assay.git_dirty"] = "true"
    return tags


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


def _git(*words: str, folder: Path) -> str:
    try:
        found = subprocess.run(  # noqa: S603 - fixed words
            ["git", "-C", str(folder), *words],  # noqa: S607 - the user's own git
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=5,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return found.stdout.strip() if found.returncode == 0 else ""
