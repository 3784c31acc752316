"""Where a run came from: command, commit, user. MLflow fills these in only for its own API."""

from __future__ import annotations

import getpass
import subprocess
import sys
from pathlib import Path


def source_tags() -> dict[str, str]:
    """MLflow's source tags for a run made through MlflowClient."""
    tags = {
        "mlflow.source.name": Path(sys.argv[0]).name or "python",
        "mlflow.source.type": "LOCAL",
        "mlflow.user": _user(),
    }
    if commit := _commit():
        tags["mlflow.source.git.commit"] = commit
    return tags


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


def _commit() -> str | None:
    try:
        found = subprocess.run(
            ["git", "rev-parse", "HEAD"],  # noqa: S607 - the user's own git
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=5,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return found.stdout.strip() or None if found.returncode == 0 else None
