"""Does anybody answer at the store's address? Asked once, in bounded time.

MLflow retries a dead server for minutes and a dead database for almost two;
nobody should find out about either after paying for a thousand judge calls.
"""

from __future__ import annotations

import socket
import ssl
import urllib.error
import urllib.request
from urllib.parse import urlsplit

from assay.errors import TrackingError
from assay.tracking.failures import first_line
from assay.tracking.uris import is_server, mask

UI_PORT = 5000
"""MLflow's own default port."""
_WAIT_S = 10.0
_DATABASE_PORTS = {"postgresql": 5432, "postgres": 5432, "mysql": 3306, "mssql": 1433}


def check_reachable(uri: str) -> None:
    """Refuse a server or database that does not answer; files pass.

    Args:
        uri: Canonical store URI.

    Raises:
        TrackingError: Says what was tried and how to start a server or do without.
    """
    try:
        if is_server(uri):
            _ask_server(uri)
        else:
            _knock(uri)
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", None)
        why = first_line(reason if isinstance(reason, OSError) else error)
        message = (
            f"{mask(uri)}: nothing answers there within {_WAIT_S:.0f} s ({why}). Start the "
            f"server (mlflow server --host 127.0.0.1 --port {UI_PORT} --workers 1), or set "
            f"tracking.uri to a SQLite file, or tracking=off."
        )
        raise TrackingError(message) from error


def _ask_server(uri: str) -> None:
    # Only an answer is wanted and nothing is sent; MLflow itself checks the certificate.
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    scheme, _, rest = uri.partition("://")
    host, slash, path = rest.partition("/")
    health = f"{scheme}://{host.rpartition('@')[2]}{slash}{path}/health"
    try:
        with urllib.request.urlopen(health, timeout=_WAIT_S, context=context):  # noqa: S310 - http(s) only
            return
    except urllib.error.HTTPError as error:
        # Any other code (404, 401) still shows that a server is there.
        if error.code in {502, 503, 504}:
            raise OSError(f"HTTP {error.code}") from error  # noqa: EM102 - becomes part of ours


def _knock(uri: str) -> None:
    parts = urlsplit(uri)
    default = _DATABASE_PORTS.get(parts.scheme.partition("+")[0])
    if default is None or not parts.hostname:
        return
    with socket.create_connection((parts.hostname, parts.port or default), timeout=_WAIT_S):
        return
