"""SIGTERM and SIGINT as an exception that unwinds, so that a run can say it was killed."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Terminated(SystemExit):
    """A signal asked the process to stop.

    A SystemExit, because asyncio swallows other base exceptions that are raised
    inside a callback; uncaught, it ends the process with the right code.

    Attributes:
        number: 15 for SIGTERM, 2 for SIGINT.
        exit_code: What shells expect: 128 + number, so 143 or 130.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.exit_code = 128 + number
        super().__init__(self.exit_code)


def _stop(signum: int, _frame: FrameType | None) -> None:
    raise Terminated(signum)


@contextmanager
def terminable() -> Iterator[None]:
    """Raise `Terminated` in the main thread on SIGTERM or SIGINT; handlers are put back after.

    In any other thread this does nothing: Python runs handlers in the main one only.
    A signal that is ignored (as SIGINT in a background job) stays ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {s: signal.getsignal(s) for s in _SIGNALS}
    mine = [s for s, handler in before.items() if handler is not signal.SIG_IGN]
    for s in mine:
        signal.signal(s, _stop)
    try:
        yield
    finally:
        for s in mine:
            signal.signal(s, before[s] or signal.SIG_DFL)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let no second signal interrupt the writing of a status."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {s: signal.signal(s, signal.SIG_IGN) for s in _SIGNALS}
    try:
        yield
    finally:
        for s, handler in before.items():
            signal.signal(s, handler or signal.SIG_DFL)
