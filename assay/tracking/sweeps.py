"""A sweep: several runs that belong together, side by side or under one parent.

Flat is the default, since the UI hides children until they are opened. Under
`mlflow run` the launcher has made a run already; it becomes the sweep's summary
and holds the leader table, so that it does not stay empty.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from assay.tracking.failures import mlflow_errors
from assay.tracking.limits import NOTE, check_tags, short_note
from assay.tracking.names import SWEEP
from assay.tracking.runs import PARENT_RUN, SWEEP_ID, OpenRun, log_tags, open_run, take_given_run
from assay.tracking.store import Store
from assay.tracking.tables import Columns, table_json, table_tag

_LEADERS = "leaders.json"


@dataclass
class Sweep:
    """What the runs of a sweep share."""

    tags: Mapping[str, str]
    """For every run of the sweep."""
    parent: str | None
    """Run that the others nest under; None when they lie flat."""
    summary: OpenRun | None
    """Run for the leader table; None when flat and not started by `mlflow run`."""
    failed: bool = False
    """Set when a job failed: the summary then ends as FAILED."""

    @property
    def worker_environ(self) -> dict[str, str]:
        """Variables for worker processes, so that their runs join the sweep.

        A worker opens runs of its own and never touches the parent.
        """
        shared = {SWEEP_ID: self.tags[SWEEP]}
        return shared | ({PARENT_RUN: self.parent} if self.parent else {})

    def record_leaders(self, columns: Columns, *, description: str) -> None:
        """Put the leader table on the summary run's page; without one, do nothing.

        Args:
            columns: Column -> values, the leader first, failed jobs last.
            description: Markdown for the top of the page.

        Raises:
            TrackingError: If MLflow fails.
        """
        if self.summary is None:
            return
        run = self.summary
        tags = {NOTE: short_note(description, where="leaders.md"), **table_tag([_LEADERS])}
        check_tags(tags)
        with (
            mlflow_errors(what="cannot record the sweep", uri=run.store.uri),
            tempfile.TemporaryDirectory(prefix="assay-") as name,
        ):
            for file, text in ((_LEADERS, table_json(columns)), ("leaders.md", description)):
                (Path(name) / file).write_text(text, encoding="utf-8", newline="\n")
            run.store.client.log_artifacts(run.run_id, name)
            log_tags(run.store, run.run_id, tags)


@contextmanager
def open_sweep(
    store: Store, *, identity: str, nested: bool, tags: Mapping[str, str] | None = None
) -> Iterator[Sweep]:
    """A sweep for the length of a block; only this process ends its summary run.

    Args:
        store: Open store.
        identity: Short digest that names the sweep.
        nested: Nest the runs under a parent.
        tags: Further tags of the summary run.

    Yields:
        The sweep. The summary run ends as FINISHED when the block does and no run of
        the sweep failed, in this process or in a worker.

    Raises:
        TrackingError: If MLflow fails.
    """
    shared = {SWEEP: identity}
    given = take_given_run()
    if given is None and not nested:
        yield Sweep(shared, None, None)
        return
    opened_ms = int(time.time() * 1000)
    with open_run(
        store,
        name=f"sweep {identity}",
        identity=f"sweep-{identity}",
        tags={**(tags or {}), **shared, "assay.kind": "sweep"},
        given=given,
    ) as summary:
        sweep = Sweep(shared, summary.run_id if nested else None, summary)
        yield sweep
        bad = _unsuccessful(store, identity, summary.run_id, since_ms=opened_ms)
        if not sweep.failed and not bad:
            summary.complete()


def _unsuccessful(store: Store, identity: str, summary: str, *, since_ms: int) -> int:
    """How many runs of this sweep ended otherwise than FINISHED since it was opened."""
    with mlflow_errors(what="cannot look at the sweep's runs", uri=store.uri):
        runs = store.client.search_runs(
            [store.experiment_id],
            filter_string=f"tags.`{SWEEP}` = '{identity}' and attributes.status != 'FINISHED'",
            max_results=1000,
        )
    return sum(
        run.info.run_id != summary
        and run.info.status in {"FAILED", "KILLED"}
        and (run.info.end_time or 0) >= since_ms
        for run in runs
    )
