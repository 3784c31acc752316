"""Start the loopback server in a process of its own, and be sure that it ends.

Its own process, so that it takes the second core, and so that the process that
measures judges never holds what the synthetic sessions' truth is.
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import assay
from assay.errors import EndpointError
from assay.schema import SimulationSpec

START_TIMEOUT_S = 30.0
"""A start takes well under a second; a machine under load may need many."""
_STOP_TIMEOUT_S = 5.0
_KEPT_VARIABLES = (
    "PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ", "LD_LIBRARY_PATH",
    "PYTHONHOME", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX",
)  # fmt: skip
"""All that the server gets of the environment: no key of a real endpoint is among it."""


@contextmanager
def running_server(
    spec: SimulationSpec, *, start_timeout_s: float = START_TIMEOUT_S
) -> Iterator[str]:
    """A server of simulated judges for as long as the block runs.

    It also ends when this process dies, in whatever way, and after an hour unused.

    Args:
        spec: How the judges behave.
        start_timeout_s: Seconds that the start may take.

    Yields:
        Its base URL, `http://127.0.0.1:PORT/v1`.

    Raises:
        EndpointError: If it does not start; says what it wrote to stderr.
    """
    with tempfile.TemporaryFile() as talk:
        process = _start(spec, talk)
        try:
            yield _read_base_url(process, talk, time.monotonic() + start_timeout_s)
        finally:
            _stop(process)


def _start(spec: SimulationSpec, talk: IO[bytes]) -> subprocess.Popen[bytes]:
    command = [
        sys.executable, "-P", "-m", "assay.judges.loopback", "--as-child", "--port=0",
        f"--seed={spec.seed}", f"--latency-ms={spec.latency_ms!r}",
        f"--error-rate={spec.error_rate!r}",
    ]  # fmt: skip
    try:
        return subprocess.Popen(  # noqa: S603 - our own interpreter and module
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=talk,
            env=_environment(),
            # Ctrl-C is for the parent, which then stops the server in its own time.
            start_new_session=True,
        )
    except OSError as error:
        message = f"loopback server: cannot start {sys.executable}: {error.strerror}"
        raise EndpointError(message) from error


def _environment() -> dict[str, str]:
    """Few variables, and the very import path that this process uses.

    So it is the same `assay` from a checkout, a wheel or `python -I`, whatever
    the folder it is started from.
    """
    root = str(Path(assay.__file__).resolve().parents[1])
    path = [entry for entry in sys.path if entry]
    if root not in {str(Path(entry).resolve()) for entry in path}:
        path.insert(0, root)
    # Reading the machine's certificates is a tenth of the start; no TLS is spoken here.
    kept = {"SSL_CERT_FILE": os.devnull} | {
        name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ
    }
    return kept | {"PYTHONPATH": os.pathsep.join(os.path.abspath(p) for p in path)}  # noqa: PTH100


def _read_base_url(process: subprocess.Popen[bytes], talk: IO[bytes], deadline: float) -> str:
    assert process.stdout is not None
    said = b""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while b"\n" not in said:
            left = deadline - time.monotonic()
            if left <= 0 or not selector.select(left):
                raise EndpointError(_failure("did not start in time", talk))
            more = os.read(process.stdout.fileno(), 4096)
            if not more:
                code = process.wait(timeout=_STOP_TIMEOUT_S)
                raise EndpointError(_failure(f"ended with code {code} before it served", talk))
            said += more
    try:
        return str(json.loads(said)["base_url"])
    except (ValueError, KeyError, TypeError) as error:
        heard = said[:200].decode("utf-8", "replace")
        raise EndpointError(_failure(f"gave no address but {heard!r}", talk)) from error


def _failure(what: str, talk: IO[bytes]) -> str:
    talk.seek(0)
    lines = talk.read().decode("utf-8", "replace").strip().splitlines()
    said = "\n".join(lines[-12:]) or "nothing"
    return (
        f"loopback server: {what}; try `python -m assay.judges.loopback` by hand. "
        f"It wrote to stderr:\n{said}"
    )


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Close its stdin, which ends it; insist if that does not help."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    for insist in (process.terminate, process.kill):
        try:
            process.wait(timeout=_STOP_TIMEOUT_S)
            break
        except subprocess.TimeoutExpired:
            insist()
    process.wait()
    process.stdout.close()
