"""A sweep: several runs that belong together, side by side or under one parent.

Flat is the default, since the UI hides children until they are opened. Under
`mlflow run` the launcher has made a run already; it becomes the sweep's summary
and holds the leader table, so that it does not stay empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from assay.tracking.runs import OpenRun, open_run, take_given_run
from assay.tracking.store import Store

SWEEP = "assay.sweep"


@dataclass
class Sweep:
    """What the runs of a sweep share."""

    tags: Mapping[str, str]
    parent: str | None
    """Run that the others nest under; None when they lie flat."""
    summary: OpenRun | None
    """Run for the leader table; None when flat and not started by `mlflow run`."""
    failed: bool = False
    """Set when a job failed: the summary then ends as FAILED."""


@contextmanager
def open_sweep(
    store: Store, *, identity: str, nested: bool, tags: Mapping[str, str]
) -> Iterator[Sweep]:
    """A sweep for the length of a block; only this process ends its summary run.

    Args:
        store: Open store.
        identity: Short digest that names the sweep.
        nested: Nest the runs under a parent.
        tags: Tags of the summary run.

    Yields:
        The sweep.
    """
    shared = {SWEEP: identity}
    given = take_given_run()
    if given is None and not nested:
        yield Sweep(shared, None, None)
        return
    with open_run(
        store,
        name=f"sweep {identity}",
        identity=f"sweep-{identity}",
        tags={**tags, **shared, "assay.kind": "sweep"},
        given=given,
    ) as summary:
        sweep = Sweep(shared, summary.run_id if nested else None, summary)
        yield sweep
        if not sweep.failed:
            summary.complete()
