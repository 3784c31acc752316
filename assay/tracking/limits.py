"""Nothing that we log is cut or refused by the store: checked here, before it is sent.

MLflow cuts long values without an error and stores infinity as the largest
double. A value that would not survive is a fault of ours, reported with its key.
"""

from __future__ import annotations

import math
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from assay.errors import TrackingError

LONGEST_KEY = 250
LONGEST_PARAM = 500
"""Far below MLflow's 6,000: a longer one is unreadable in the table of runs."""
LONGEST_TAG = 5000
"""MLflow cuts at 8,000; servers of earlier versions refuse more than 5,000."""
LONGEST_NOTE = 7900
METRICS_PER_BATCH = 1000
PARAMS_PER_BATCH = 100
TAGS_PER_BATCH = 100

_T = TypeVar("_T")

NOTE = "mlflow.note.content"
_LEGAL = re.compile(r"^[A-Za-z0-9_./ -]+$")
"""The names that every platform accepts; a colon passes on some only."""


def check_names(names: Sequence[str]) -> None:
    """Refuse a name that MLflow would refuse, or one that comes twice.

    Raises:
        TrackingError: Names the first bad one.
    """
    seen: set[str] = set()
    for name in names:
        unique = posixpath.normpath(name) == name and not name.startswith(("/", ".."))
        if not _LEGAL.match(name) or not unique or name == ".":
            message = f"the name {name!r} is not legal in MLflow; spell it with metric_segment()."
            raise TrackingError(message)
        if len(name) > LONGEST_KEY:
            message = f"the name {name[:60]!r}... has {len(name)} characters; {LONGEST_KEY} fit."
            raise TrackingError(message)
        if name in seen:
            message = f"the name {name!r} would be logged twice in one run."
            raise TrackingError(message)
        seen.add(name)


def check_metrics(metrics: Sequence[tuple[str, float]]) -> None:
    """Refuse illegal or repeated names and values that the store would bend."""
    check_names([name for name, _ in metrics])
    for name, value in metrics:
        if not math.isfinite(value):
            message = f"the metric {name} is {value}; leave it out and list it as undefined."
            raise TrackingError(message)


def check_params(params: Mapping[str, str]) -> None:
    """Refuse illegal names and values that are too long to read or store."""
    check_names(list(params))
    _check_lengths(params, kind="parameter", longest=lambda _: LONGEST_PARAM)


def check_tags(tags: Mapping[str, str]) -> None:
    """Refuse illegal names and values that the store would cut."""
    check_names(list(tags))
    _check_lengths(
        tags, kind="tag", longest=lambda key: LONGEST_NOTE if key == NOTE else LONGEST_TAG
    )


def _check_lengths(values: Mapping[str, str], *, kind: str, longest: Callable[[str], int]) -> None:
    for key, value in values.items():
        if len(value) > longest(key):
            message = (
                f"the {kind} {key} has {len(value)} characters and {longest(key)} fit; log a "
                f"digest and keep the text in a file."
            )
            raise TrackingError(message)


def chunks(items: Sequence[_T], size: int) -> Iterator[Sequence[_T]]:
    """Consecutive parts of at most `size` items; none of an empty sequence."""
    for first in range(0, len(items), size):
        yield items[first : first + size]


def short_note(text: str, *, where: str) -> str:
    """A description that fits into its tag, cut at a line with a pointer to the whole.

    Args:
        text: Markdown.
        where: Artifact that holds all of it.

    Returns:
        The text itself when it fits.
    """
    if len(text) <= LONGEST_NOTE:
        return text
    pointer = f"\n\n(cut here; all of it is in the artifact `{where}`)"
    head = text[: LONGEST_NOTE - len(pointer)]
    return head[: head.rfind("\n") if "\n" in head else len(head)] + pointer
