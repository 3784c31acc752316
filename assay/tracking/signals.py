"""Turn SIGTERM and SIGINT into an exception, so that a run is closed as KILLED."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Terminated(BaseException):
    """The process was asked to stop. Not an Exception: nothing should swallow it."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(f"stopped by {signal.Signals(number).name}")

    @property
    def exit_code(self) -> int:
        """What shells expect of a process ended by this signal: 143 or 130."""
        return 128 + self.number


@contextmanager
def terminable() -> Iterator[None]:
    """Raise `Terminated` in the main thread on SIGTERM and SIGINT while the block runs.

    In any other thread signals cannot be handled, and nothing is changed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, _frame: FrameType | None) -> None:
        raise Terminated(number)

    before = {n: signal.signal(n, stop) for n in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
