"""One canonical form for every way to write a store's address."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from assay.errors import TrackingError

OPT_OUT = "MLFLOW_ALLOW_FILE_STORE"
DEFAULT_DATABASE = "mlflow.db"
_WINDOWS = re.compile(r"^(?:file:/{0,3})?([A-Za-z]):[\\/](.*)$")
_SCHEME = re.compile(r"^[a-z][a-z0-9+.-]+:", re.IGNORECASE)
_USER_INFO = re.compile(r"(?<=://)[^/@\s]+@")


def resolve_uri(given: str | None, *, start: Path, environ: Mapping[str, str]) -> str:
    """The absolute address of the store.

    Args:
        given: Address from the configuration; it wins over the environment.
        start: Folder that relative paths are resolved against.
        environ: For MLFLOW_TRACKING_URI and the folder store's opt-out variable.

    Returns:
        An address that does not depend on the current folder. Without any, a
        SQLite file in the start folder.

    Raises:
        TrackingError: If it is a folder store, which MLflow no longer maintains.
    """
    uri = (given or environ.get("MLFLOW_TRACKING_URI") or "").strip()
    if not uri:
        return f"sqlite:///{(start / DEFAULT_DATABASE).resolve()}"
    if windows := _WINDOWS.match(uri):
        return _folder(f"file:///{windows[1].upper()}:/{windows[2]}".replace("\\", "/"), environ)
    if uri.startswith("sqlite:///"):
        path = Path(uri.removeprefix("sqlite:///")).expanduser()
        return f"sqlite:///{(start / path).resolve()}"
    if uri.startswith("file:"):
        path = Path(re.sub(r"^file:(//)?", "", uri))
        return _folder((start / path).resolve().as_uri(), environ)
    if _SCHEME.match(uri):
        return uri.rstrip("/") if uri.startswith("http") else uri
    path = (start / Path(uri).expanduser()).resolve()
    if path.suffix in {".db", ".sqlite", ".sqlite3"}:
        return f"sqlite:///{path}"
    return _folder(path.as_uri(), environ)


def sqlite_path(uri: str) -> Path | None:
    """File of a SQLite address; None for any other."""
    return Path(uri.removeprefix("sqlite:///")) if uri.startswith("sqlite:///") else None


def mask(text: str) -> str:
    """Text with the user and password of any address in it hidden."""
    return _USER_INFO.sub("***@", text)


def _folder(uri: str, environ: Mapping[str, str]) -> str:
    if environ.get(OPT_OUT, "").strip().lower() in {"true", "1"}:
        return uri
    message = (
        f"{uri}: a folder store; MLflow no longer maintains it and refuses it by default. Use "
        f"tracking.uri=sqlite:///mlflow.db, or set {OPT_OUT}=true to keep the folder."
    )
    raise TrackingError(message)
