"""Where runs are recorded: one absolute address, initialised once, checked before any work.

A fresh SQLite file breaks when several processes meet it: each of them runs
MLflow's migrations. So the first one in does that under a file lock, and the
others wait for it.
"""

from __future__ import annotations

import logging
import os
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from assay.errors import TrackingError
from assay.schema import TrackingSpec
from assay.tracking.addresses import mask, resolve_uri, sqlite_path

if TYPE_CHECKING:
    from mlflow import MlflowClient

_LOCK_SECONDS = 120.0
"""A migration takes two to three seconds; a crowd of processes on two cores, a minute."""
_SERVER_SECONDS = 5.0
_UI = "http://127.0.0.1:5000"


@dataclass(frozen=True)
class Store:
    """An open MLflow store and the experiment that runs go to."""

    uri: str
    experiment: str
    experiment_id: str
    client: MlflowClient

    @property
    def shown(self) -> str:
        """The address without a password."""
        return mask(self.uri)

    @property
    def is_server(self) -> bool:
        """Whether the address is that of a tracking server with a UI of its own."""
        return self.uri.startswith(("http://", "https://"))

    @property
    def view_command(self) -> str | None:
        """What to type to start the MLflow UI; None for a server, which has one already."""
        return None if self.is_server else f"mlflow ui --backend-store-uri {self.shown}"

    def link(self, run_id: str | None = None) -> str:
        """Address in the UI of the runs table, or of one run.

        Without `workflowType` the UI opens a page for traces, where runs cannot be found.
        """
        base = self.shown.rstrip("/") if self.is_server else _UI
        place = f"runs/{run_id}" if run_id else "runs"
        mode = "workflowType=machine_learning"
        return f"{base}/#/experiments/{self.experiment_id}/{place}?{mode}"


def open_store(spec: TrackingSpec, *, start: Path) -> Store:
    """Open the store and its experiment, making both when they are not there.

    Args:
        spec: Address and experiment; see `TrackingSpec`.
        start: Folder of the default store and of relative addresses.

    Returns:
        The open store.

    Raises:
        TrackingError: If the address is a folder store, the server does not
            answer, the schema is another version's, or the experiment is deleted.
    """
    uri = resolve_uri(spec.uri, start=start, environ=os.environ)
    if uri.startswith(("http://", "https://")):
        _require_answer(uri)
    _quiet()
    from mlflow import MlflowClient
    from mlflow.exceptions import MlflowException
    from sqlalchemy.exc import SQLAlchemyError

    database = sqlite_path(uri)
    try:
        if database is None:
            client = MlflowClient(tracking_uri=uri)
            experiment_id = _experiment(client, spec.experiment, None)
        else:
            client, experiment_id = _open_sqlite(database, uri, spec.experiment)
    except (MlflowException, SQLAlchemyError, OSError) as error:
        raise TrackingError(_explain(uri, error)) from error
    return Store(uri, spec.experiment, experiment_id, client)


def _open_sqlite(database: Path, uri: str, experiment: str) -> tuple[MlflowClient, str]:
    from filelock import FileLock, Timeout
    from mlflow import MlflowClient

    database.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(f"{database}.lock", timeout=_LOCK_SECONDS)
    try:
        with lock:
            client = MlflowClient(tracking_uri=uri)
            # Beside the database, not in whatever folder the process was started from.
            artifacts = (database.parent / "mlruns").as_uri()
            return client, _experiment(client, experiment, artifacts)
    except Timeout as error:
        message = (
            f"{database}: another process has been initialising this store for "
            f"{_LOCK_SECONDS:.0f} s; if none is running, delete {database}.lock."
        )
        raise TrackingError(message) from error


def _experiment(client: MlflowClient, name: str, artifacts: str | None) -> str:
    from mlflow.exceptions import MlflowException

    found = client.get_experiment_by_name(name)
    if found is None:
        try:
            return client.create_experiment(
                name, artifact_location=f"{artifacts}/{name}" if artifacts else None
            )
        except MlflowException as error:
            # Another process was faster; anything else is a failure.
            if error.error_code != "RESOURCE_ALREADY_EXISTS":
                raise
            found = client.get_experiment_by_name(name)
    if found is None or found.lifecycle_stage == "deleted":
        message = (
            f"experiment {name!r} was deleted in this store; restore it "
            f"(mlflow experiments restore) or name another: tracking.experiment=NAME."
        )
        raise TrackingError(message)
    return found.experiment_id


def _require_answer(uri: str) -> None:
    parts = urlsplit(uri)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        socket.create_connection((parts.hostname or "", port), timeout=_SERVER_SECONDS).close()
    except OSError as error:
        message = (
            f"{mask(uri)}: the tracking server does not answer ({error.strerror or error}); "
            f"start it, or give another store: tracking.uri=sqlite:///mlflow.db"
        )
        raise TrackingError(message) from error


def _quiet() -> None:
    # Telemetry starts a thread that looks up a host; migrations log a page of lines.
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    os.environ.setdefault("DO_NOT_TRACK", "true")
    for name in ("mlflow.store.db.utils", "mlflow.tracking.fluent", "alembic"):
        logging.getLogger(name).setLevel(logging.WARNING)


def _explain(uri: str, error: Exception) -> str:
    first = mask(str(error).splitlines()[0] if str(error) else type(error).__name__)
    if "schema" in first.lower():
        return (
            f"{mask(uri)}: this store was made by another version of MLflow: {first} "
            f"Upgrade it (mlflow db upgrade {mask(uri)}) or install the version that made it."
        )
    return f"{mask(uri)}: MLflow cannot use this store: {first}"
