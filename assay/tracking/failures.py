"""What went wrong at MLflow's side, in our words, with the way to go on.

Everything that MLflow, its database driver, its HTTP client or an artifact
plugin raises leaves this room as one `TrackingError`. Results on disk are
complete by then, and the message says where they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.errors import AssayError, TrackingError
from assay.tracking.uris import mask

MEANINGS: dict[str, str] = {
    "MlflowException": "MLflow refused it",
    "RestException": "the MLflow server refused it",
    "ExecutionException": "an MLflow project failed",
    "MissingConfigException": "an MLflow file is missing",
    "InvalidUrlException": "MLflow cannot read the store's address",
    "MlflowTracingException": "MLflow could not write a trace",
    "MlflowTraceDataException": "MLflow could not read a trace",
    "MlflowTraceDataNotFound": "MLflow has no such trace",
    "MlflowTraceDataCorrupted": "a trace in the store is damaged",
    "MlflowTraceArchivalMalformedTrace": "a trace in the store is malformed",
    "MlflowNotImplementedException": "this store cannot do it",
}
"""What each public exception of `mlflow.exceptions` means; a test keeps it complete."""

_REMEDIES: dict[str, str] = {
    "PERMISSION_DENIED": "ask for access, or set another tracking.uri.",
    "UNAUTHENTICATED": "set MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, or a token.",
    "RESOURCE_DOES_NOT_EXIST": "it may have been deleted, or tracking.uri names another store.",
    "TEMPORARILY_UNAVAILABLE": "the store is busy; run the same command again.",
    "ENDPOINT_NOT_FOUND": "the address answers, but not as an MLflow server of this version.",
}
_LONGEST = 300


@contextmanager
def mlflow_errors(
    local: Path | None = None, *, what: str = "cannot record the run", uri: str = ""
) -> Iterator[None]:
    """Turn whatever the block raises into one `TrackingError`.

    Args:
        local: Folder with the complete local results, if there is one by now.
        what: What was being done.
        uri: The store; shown without credentials.

    Yields:
        Nothing.

    Raises:
        TrackingError: In place of any exception that is not an `AssayError` already.
    """
    try:
        yield
    except AssayError:
        raise
    except Exception as error:
        message = f"{mask(uri) or 'MLflow'}: {what}: {explain(error)}"
        if local is not None:
            message += f" Nothing is lost: the results are complete in {local}"
        raise TrackingError(message) from error


def explain(error: Exception) -> str:
    """One or two sentences on an exception of MLflow or of what is below it."""
    name = type(error).__name__
    meaning = MEANINGS.get(name)
    if meaning is None:
        bases = (MEANINGS.get(base.__name__) for base in type(error).__mro__)
        meaning = next((m for m in bases if m), name)
    remedy = _REMEDIES.get(getattr(error, "error_code", ""), "")
    return f"{meaning} ({first_line(error)}).{' ' if remedy else ''}{remedy}"


def first_line(error: BaseException) -> str:
    """The first line of an exception's text, short and without credentials."""
    lines = mask(str(error)).strip().splitlines() or [type(error).__name__]
    line = lines[0].strip().rstrip(".")
    return line if len(line) <= _LONGEST else line[: _LONGEST - 3] + "..."
