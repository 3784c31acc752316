"""The one place where MLflow is imported: without telemetry, chatter or endless retries."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

from assay.tracking.uris import is_server

if TYPE_CHECKING:
    from mlflow import MlflowClient

_DEFAULTS = {
    # `1` is not understood by either; `true` is.
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "true",
    # MLflow's own defaults let one call to a dead server take many minutes.
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "3",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "30",
    # The stage says where the run is, once.
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
}


def load_mlflow(uri: str) -> None:
    """Import MLflow with its variables set that are not set yet; takes seconds.

    Done before any lock is taken, so that processes wait for each other's
    migration and not for each other's import.
    """
    for name, value in _DEFAULTS.items():
        os.environ.setdefault(name, value)
    import mlflow

    if not is_server(uri):
        import mlflow.store.tracking.sqlalchemy_store  # noqa: F401 - the slow part


def make_client(uri: str) -> MlflowClient:
    """A client of a canonical store URI; creates the tables of an empty database."""
    load_mlflow(uri)
    # Each migration of a new database would otherwise print a line, and each try to
    # reach a dead one a paragraph; our own error says it once.
    logging.getLogger("alembic").setLevel(logging.WARNING)
    logging.getLogger("mlflow.store.db.utils").setLevel(logging.ERROR)
    from mlflow import MlflowClient

    return MlflowClient(tracking_uri=uri)
