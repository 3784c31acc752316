"""How far is the judging? A live bar for a person, one line for a log."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING

from assay.reporting.streams import open_console, talk
from assay.reporting.text import printable
from assay.schema import Verdict

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID


class Progress:
    """Counts verdicts as they come; safe to call from any thread."""

    def __init__(self, total: int, label: str) -> None:
        self.total = total
        self.label = printable(label)
        self.done = 0
        self.abstained = 0
        self.errored = 0
        self._lock = threading.Lock()
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    def advance(self, verdict: Verdict | None = None) -> None:
        """Count one more.

        Args:
            verdict: What came; counts as abstained or errored if it is. None is a plain step.
        """
        with self._lock:
            self.done += 1
            if verdict is not None:
                self.abstained += verdict.outcome == "abstained"
                self.errored += verdict.outcome == "errored"
            if self._bar is not None and self._task is not None:
                self._bar.update(self._task, completed=self.done, undecided=self.undecided)

    @property
    def undecided(self) -> str:
        """Counts of what has no verdict, such as "2 abstained, 0 errored"."""
        return f"{self.abstained} abstained, {self.errored} errored"

    def attach(self, bar: Bar) -> None:
        """Show the counts on a live bar from now on."""
        self._task = bar.add_task(self.label, total=self.total, undecided=self.undecided)
        self._bar = bar


@contextmanager
def progress(total: int, label: str, *, file: IO[str] | None = None) -> Iterator[Progress]:
    """Show progress on stderr while the block runs.

    A live bar on a terminal; elsewhere nothing but a last line, which is printed
    also when the block fails, so that a log tells how far it came.

    Args:
        total: Steps expected.
        label: What is being done, such as "judging".
        file: Another stream.

    Yields:
        A `Progress`; its `advance` can be handed over as a callback for verdicts.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    state = Progress(total, label)
    console = open_console(file, to_stderr=True)
    began = time.monotonic()
    try:
        if not console.is_terminal:
            yield state
        else:
            columns = (
                TextColumn("{task.description}", markup=False),
                BarColumn(bar_width=24),
                MofNCompleteColumn(),
                TextColumn("{task.fields[undecided]}", markup=False),
                TimeRemainingColumn(),
            )
            with Bar(*columns, console=console, transient=True) as bar:
                state.attach(bar)
                yield state
    finally:
        seconds = time.monotonic() - began
        talk(
            f"{state.label}: {state.done} of {state.total} done, {state.undecided}, "
            f"{seconds:.1f} s",
            file=file or sys.stderr,  # type: ignore[arg-type]
        )
