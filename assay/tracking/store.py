"""Open the store once, safely, however many processes start at the same moment.

MLflow migrates a new SQLite file without a lock of its own, and processes that
meet there fail. Here the first one holds a file lock while it creates the
tables; the others wait and find a finished store.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from assay.errors import TrackingError
from assay.schema import TrackingSpec
from assay.tracking.failures import mlflow_errors
from assay.tracking.quiet_mlflow import load_mlflow, make_client
from assay.tracking.reach import UI_PORT, check_reachable
from assay.tracking.schema_check import check_sqlite_file
from assay.tracking.shared_view import Kind, save_views, view_key
from assay.tracking.uris import is_server, mask, resolve_uri, sqlite_path

if TYPE_CHECKING:
    from mlflow import MlflowClient

_LOCK_WAIT_S = 120.0
_VIEW = "workflowType=machine_learning"


@dataclass(frozen=True)
class Store:
    """An open MLflow store and the experiment that runs go to."""

    uri: str
    """Canonical and absolute; may hold credentials, so print `shown`."""
    experiment: str
    experiment_id: str
    client: MlflowClient
    start: Path = Path()
    """Start folder; the git commit of the files in it goes into the tags."""

    @property
    def shown(self) -> str:
        """The address without credentials."""
        return mask(self.uri)

    @property
    def is_server(self) -> bool:
        """Whether the address is that of a tracking server, which has a UI of its own."""
        return is_server(self.uri)

    @property
    def view_command(self) -> str | None:
        """What to type to start the MLflow UI; None for a server."""
        return self.view_at(UI_PORT)

    def view_at(self, port: int) -> str | None:
        """The view command for another port, where the usual one is taken."""
        if self.is_server:
            return None
        # A password stays out of terminals and logs.
        secret = self.shown != self.uri
        uri = '"$MLFLOW_TRACKING_URI"' if secret else shlex.quote(self.uri)
        # One worker answers after seconds; the default four take a minute to start.
        return f"mlflow ui --backend-store-uri {uri} --port {port} --workers 1"

    def link(
        self, run_id: str | None = None, *, base: str | None = None, kind: Kind = "dev"
    ) -> str:
        """Address in the UI of the table of runs, or of one run.

        Args:
            run_id: None for the table.
            base: Address of the UI; the server, or the one that `view_command` starts.
            kind: Whose headline figures the table shows.

        Returns:
            An address that opens MLflow's view of runs. Without `workflowType` it
            opens the GenAI view, where runs cannot be found.
        """
        root = base or (self.shown if self.is_server else f"http://127.0.0.1:{UI_PORT}")
        runs = f"{root}/#/experiments/{self.experiment_id}/runs"
        if run_id:
            return f"{runs}/{quote(run_id)}?{_VIEW}"
        return f"{runs}?{_VIEW}&viewStateShareKey={view_key(kind)}"

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold this machine's lock on the store."""
        with _locked(self.uri):
            yield


def open_store(
    spec: TrackingSpec, *, start: Path, environ: Mapping[str, str] | None = None
) -> Store:
    """Initialise the store once and find or create its experiment.

    Args:
        spec: Where to record. Under `mlflow run` the project's own experiment wins over
            `spec.experiment`, because the project's run is already there.
        start: Absolute folder that relative paths are resolved against.
        environ: Environment; the process's own by default.

    Returns:
        The open store.

    Raises:
        TrackingError: If the URI is refused, the server does not answer, the file cannot be
            used by the installed MLflow, or the experiment was deleted.
    """
    environ = os.environ if environ is None else environ
    uri = resolve_uri(spec.uri, start=start, environ=environ)
    check_reachable(uri)
    load_mlflow(uri)
    with _locked(uri):
        if (path := sqlite_path(uri)) is not None:
            check_sqlite_file(path, uri=uri)
        with mlflow_errors(what="cannot open the store", uri=uri):
            client = make_client(uri)
            experiment_id, name = _experiment(client, spec.experiment, uri=uri, environ=environ)
            save_views(client, experiment_id, client.get_experiment(experiment_id).tags)
    return Store(
        uri=uri,
        experiment=name,
        experiment_id=experiment_id,
        client=client,
        start=start.absolute(),
    )


@contextmanager
def _locked(uri: str) -> Iterator[None]:
    from filelock import FileLock, Timeout

    path = sqlite_path(uri)
    if path is not None:
        where = path.with_name(path.name + ".lock")
    else:
        # A server's database has locks of its own; this one orders our processes here.
        key = hashlib.sha256(uri.encode("utf-8")).hexdigest()[:16]
        where = Path(tempfile.gettempdir()) / f"assay-{_user_id()}-{key}.lock"
    lock = FileLock(where, timeout=_LOCK_WAIT_S)
    try:
        where.parent.mkdir(parents=True, exist_ok=True)
        # filelock goes on trying where a file cannot be made at all.
        where.touch()
        lock.acquire()
    except Timeout as error:
        message = (
            f"{where}: another process has held this lock for {_LOCK_WAIT_S:.0f} s; end it, or "
            f"set tracking.uri to another store."
        )
        raise TrackingError(message) from error
    except OSError as error:
        message = (
            f"{where.parent}: the store's folder cannot be written ({error.strerror or error}); "
            f"set tracking.uri to a file in a folder of yours, or tracking=off."
        )
        raise TrackingError(message) from error
    try:
        yield
    finally:
        lock.release()


def _user_id() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0


def _experiment(
    client: MlflowClient, wanted: str, *, uri: str, environ: Mapping[str, str]
) -> tuple[str, str]:
    from mlflow.exceptions import MlflowException

    if project_run := environ.get("MLFLOW_RUN_ID", "").strip():
        run = project_run_or_refuse(client, project_run, uri=uri)
        experiment = client.get_experiment(run.info.experiment_id)
        return experiment.experiment_id, experiment.name
    found = client.get_experiment_by_name(wanted)
    if found is None:
        try:
            created = client.create_experiment(wanted, artifact_location=_artifacts(uri, wanted))
        except MlflowException as error:
            # Another process was faster.
            if error.error_code != "RESOURCE_ALREADY_EXISTS":
                raise
            found = client.get_experiment_by_name(wanted)
            if found is None:
                raise
        else:
            return created, wanted
    if found.lifecycle_stage == "deleted":
        message = (
            f"{mask(uri)}: the experiment {wanted!r} was deleted there. Restore it (mlflow "
            f"experiments restore --experiment-id {found.experiment_id}) or choose another name: "
            f"tracking.experiment=NAME"
        )
        raise TrackingError(message)
    return found.experiment_id, found.name


def project_run_or_refuse(client: MlflowClient, run_id: str, *, uri: str):  # noqa: ANN201 - mlflow's Run
    """The run that MLFLOW_RUN_ID names.

    Raises:
        TrackingError: If it is not in this store, or was deleted.
    """
    from mlflow.exceptions import MlflowException

    mend = "unset MLFLOW_RUN_ID, or set tracking.uri to the store that has the run."
    try:
        run = client.get_run(run_id)
    except MlflowException as error:
        if error.error_code not in {"RESOURCE_DOES_NOT_EXIST", "INVALID_PARAMETER_VALUE"}:
            raise
        message = f"MLFLOW_RUN_ID={run_id} is no run of {mask(uri)}; {mend}"
        raise TrackingError(message) from error
    if run.info.lifecycle_stage == "deleted":
        message = f"MLFLOW_RUN_ID={run_id} was deleted from {mask(uri)}; {mend}"
        raise TrackingError(message)
    return run


def _artifacts(uri: str, experiment: str) -> str | None:
    """Artifact folder of a new experiment: beside a SQLite file, never in the current folder."""
    path = sqlite_path(uri)
    if path is None:
        return None
    plain = re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", experiment)
    short = hashlib.sha256(experiment.encode("utf-8")).hexdigest()[:12]
    return (path.parent / "mlartifacts" / (experiment if plain else short)).as_uri()
