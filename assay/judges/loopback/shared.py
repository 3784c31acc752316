"""One server for all runs of a sweep.

A start takes half a second, and a server that has read a session for one prompt
need not read it again for the next.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from assay.judges.loopback.process import running_server
from assay.schema import SimulationSpec


@dataclass
class _Kept:
    """Servers that go on between runs."""

    stack: ExitStack
    urls: dict[SimulationSpec, str] = field(default_factory=dict[SimulationSpec, str])


_kept: ContextVar[_Kept | None] = ContextVar("kept_servers", default=None)


@contextmanager
def kept_servers() -> Iterator[None]:
    """Within this block a server, once started, serves every run that asks the same judges.

    They all stop at its end.
    """
    with ExitStack() as stack:
        token = _kept.set(_Kept(stack))
        try:
            yield
        finally:
            _kept.reset(token)


@contextmanager
def simulated_server(spec: SimulationSpec) -> Iterator[str]:
    """Base URL of a server for these judges: a kept one, or one for this block alone.

    Args:
        spec: How the judges behave.

    Yields:
        The base URL.

    Raises:
        EndpointError: If a server has to be started and does not start.
    """
    kept = _kept.get()
    if kept is None:
        with running_server(spec) as url:
            yield url
        return
    if spec not in kept.urls:
        kept.urls[spec] = kept.stack.enter_context(running_server(spec))
    yield kept.urls[spec]
