"""Where is the store? One canonical, absolute URI from the forms that people write.

The default is a SQLite file at an absolute path: a relative one would give a
second database to whoever starts in a sub-folder. MLflow's folder store
(`./mlruns`) is refused here, in our words and before any work, unless MLflow's
own opt-out is set.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote, unquote

from assay.errors import TrackingError

_SCHEME = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]+):")
"""Two letters or more: one letter and a colon is a Windows drive."""
_DRIVE = re.compile(r"^[A-Za-z]:[\\/]")
_DATABASE_SUFFIXES = frozenset({".db", ".sqlite", ".sqlite3"})
_OPT_OUT = "MLFLOW_ALLOW_FILE_STORE"
_USER_INFO = re.compile(r"(?<=://)[^/?#\s]*@")
_SECRET_QUERY = re.compile(
    r"([?&][^=&\s]*(?:password|passwd|pwd|token|secret|key)[^=&\s]*=)[^&#\s]*", re.IGNORECASE
)


def resolve_uri(spec_uri: str | None, *, start: Path, environ: Mapping[str, str]) -> str:
    """The store to use, as one canonical URI.

    Args:
        spec_uri: The configured `tracking.uri`; None or empty means not set.
        start: Absolute folder that relative paths are resolved against.
        environ: Environment; MLFLOW_TRACKING_URI and MLFLOW_ALLOW_FILE_STORE are read.

    Returns:
        `tracking.uri`, else MLFLOW_TRACKING_URI, else `mlflow.db` in the start folder.

    Raises:
        TrackingError: If the URI cannot be read, or names a folder store.
    """
    for where, given in (
        ("tracking.uri", spec_uri),
        ("MLFLOW_TRACKING_URI", environ.get("MLFLOW_TRACKING_URI")),
        ("the default store", str(start.absolute() / "mlflow.db")),
    ):
        if given and given.strip():
            return _accept(given, where=where, start=start, environ=environ)
    raise AssertionError


def _accept(given: str, *, where: str, start: Path, environ: Mapping[str, str]) -> str:
    try:
        uri = canonical_uri(given, start=start)
    except TrackingError as error:
        message = f"{where}: {error}"
        raise TrackingError(message) from None
    if uri.startswith("file:") and environ.get(_OPT_OUT, "").strip().lower() not in {"true", "1"}:
        folder = unquote(uri.removeprefix("file://"))
        message = (
            f"{where}: {mask(given.strip())} is a folder store, which MLflow no longer "
            f"maintains and refuses by default. Use a SQLite file instead: "
            f"sqlite:///{Path(folder).parent.as_posix()}/mlflow.db; or, to go on with the folder, "
            f"set {_OPT_OUT}=true."
        )
        raise TrackingError(message)
    return uri


def canonical_uri(uri: str, *, start: Path) -> str:
    """One form for all spellings of a store.

    Args:
        uri: A plain path, `sqlite:///...`, `file:...`, a Windows path, or a server's URI.
        start: Absolute folder that relative paths are resolved against.

    Returns:
        `sqlite:////abs/file.db`, `file:///abs/folder`, or the server's URI without a
        closing slash. A path that ends in .db, .sqlite or .sqlite3, or is a file, is SQLite.

    Raises:
        TrackingError: If a SQLite URI names no file, or a file URI another computer.

    Example:
        >>> {canonical_uri(u, start=Path("/")) for u in ("file:C:/x", "file:///C:/x", "C:/x")}
        {'file:///C:/x'}
    """
    text = uri.strip()
    found = None if _DRIVE.match(text) else _SCHEME.match(text)
    scheme = found.group(1).lower() if found else ""
    if not scheme:
        return _local(text, start)
    rest = text[len(scheme) + 1 :]
    if scheme == "file":
        return _local(_file_path(rest, text), start)
    if scheme.partition("+")[0] == "sqlite":
        return _sqlite(scheme, rest, text, start)
    return text.rstrip("/") if scheme in {"http", "https"} else text


def _file_path(rest: str, text: str) -> str:
    if rest.startswith("//"):
        host, _, path = rest[2:].partition("/")
        # file://C:/x is a common slip for file:///C:/x.
        if re.fullmatch(r"[A-Za-z]:", host):
            return f"{host}/{unquote(path)}"
        if host not in {"", "localhost"}:
            computer = host.rpartition("@")[2]
            message = (
                f"{mask(text)} names the computer {computer!r}; write file:///PATH for a local one."
            )
            raise TrackingError(message)
        rest = "/" + path
    rest = unquote(rest)
    return rest[1:] if _DRIVE.match(rest[1:]) and rest[0] == "/" else rest


def _sqlite(scheme: str, rest: str, text: str, start: Path) -> str:
    path, mark, query = rest.removeprefix("///").partition("?")
    path = unquote(path)
    if not rest.startswith("///") or path in {"", ":memory:"}:
        message = (
            f"{text} names no SQLite file; write sqlite:///mlflow.db (in the start folder) or "
            f"sqlite:////absolute/path/mlflow.db."
        )
        raise TrackingError(message)
    return f"{scheme}:///{_plain(_absolute(path, start))}{mark}{query}"


def _local(path: str, start: Path) -> str:
    whole = _absolute(path, start)
    if Path(whole).suffix.lower() in _DATABASE_SUFFIXES or Path(whole).is_file():
        return f"sqlite:///{_plain(whole)}"
    return f"file://{'' if whole.startswith('/') else '/'}{quote(whole, safe='/:')}"


def _plain(path: str) -> str:
    """A path that reads the same with and without percent-decoding.

    Database drivers differ in whether they decode it, and MLflow does not.
    """
    if "?" in path or unquote(path) != path:
        message = (
            f"{path}: the path of a SQLite store must hold no question mark and no percent sign "
            f"before two hex digits; put the store elsewhere with tracking.uri=PATH."
        )
        raise TrackingError(message)
    return path


def _absolute(path: str, start: Path) -> str:
    if _DRIVE.match(path):
        return path[0].upper() + path[1:].replace("\\", "/").rstrip("/")
    return os.path.normpath(start.absolute() / Path(path).expanduser())


def sqlite_path(uri: str) -> Path | None:
    """File of a canonical SQLite URI; None for every other store."""
    scheme, mark, rest = uri.partition(":///")
    if not mark or scheme.partition("+")[0] != "sqlite":
        return None
    return Path(rest.partition("?")[0])


def is_server(uri: str) -> bool:
    """Is this the URI of an MLflow server?"""
    return uri.startswith(("http://", "https://"))


def mask(text: str) -> str:
    """Text with user info and secret query values of the URIs in it replaced by `***`.

    Example:
        >>> mask("postgresql://me:pw@db/x?sslmode=on&password=pw")
        'postgresql://***@db/x?sslmode=on&password=***'
    """
    return _SECRET_QUERY.sub(r"\1***", _USER_INFO.sub("***@", text))
