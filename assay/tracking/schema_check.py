"""Is this SQLite file one that the installed MLflow may open?

MLflow migrates an older database without asking and adds its tables to a file
that is not its own. Both are refused here before MLflow sees the file.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from assay.errors import TrackingError

_SETTLES_S = 3.0
"""A database that some other process is just creating changes revision many times a second."""


def check_sqlite_file(path: Path, *, uri: str, pause: Callable[[float], None] = time.sleep) -> None:
    """Refuse a file that the installed MLflow would migrate, spoil or fail on.

    Args:
        path: The database; it may be missing or empty.
        uri: Its URI, for the message.
        pause: Waits some seconds.

    Raises:
        TrackingError: If the file is no SQLite database, holds other tables, or was made
            by another version of MLflow.
    """
    if path.is_dir():
        message = f"{path} is a folder; the store must be a SQLite file, as in {path}/mlflow.db."
        raise TrackingError(message)
    if path.exists() and not os.access(path, os.W_OK):
        message = f"{path} cannot be written; mend its permissions or set tracking.uri."
        raise TrackingError(message)
    if not path.exists() or path.stat().st_size == 0:
        return
    head = _installed_revision()
    waited, before = 0.0, _state(path)
    while before not in {(True, head), (False, None)} and waited < _SETTLES_S:
        pause(0.5)
        waited += 0.5
        now = _state(path)
        if now != before:
            waited, before = 0.0, now
    has_tables, revision = before
    if revision == head or not has_tables or head is None:
        return
    import mlflow

    if revision is None:
        message = f"{path} holds tables that are not MLflow's; set tracking.uri to another file."
    else:
        message = (
            f"{path} was made by another version of MLflow (schema {revision}; the installed "
            f"{mlflow.__version__} expects {head}). If it is older, back it up and run: "
            f"mlflow db upgrade {uri}; if it is newer, install the MLflow that made it. "
            f"Environments that share a store need the same pinned version. If a first run was "
            f"killed while it made this file, it holds no run yet and can be deleted."
        )
    raise TrackingError(message)


def _state(path: Path) -> tuple[bool, str | None]:
    """Whether the file holds tables, and its schema revision."""
    try:
        with closing(
            sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, timeout=20)
        ) as db:
            names = {r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type='table'")}
            found = None
            if "alembic_version" in names:
                found = db.execute("SELECT version_num FROM alembic_version").fetchone()
            return bool(names), found[0] if found else None
    except sqlite3.DatabaseError as error:
        message = (
            f"{path} cannot be read as a SQLite database ({error}); set tracking.uri to another "
            f"file, or mend its permissions."
        )
        raise TrackingError(message) from error


def _installed_revision() -> str | None:
    """The schema revision of the installed MLflow; None if it no longer tells us."""
    try:
        from mlflow.store.db.utils import _get_latest_schema_revision
    except ImportError:
        return None
    return _get_latest_schema_revision()
