"""Open a run from any of the three doors, and close it with the state that is true.

Everything goes through MlflowClient with explicit ids. The fluent API keeps the
active run in global state: under MLFLOW_RUN_ID a nested child becomes its parent,
and runs started in threads lose theirs.

    FINISHED  only after `complete()`, which the stage calls when all is written
    FAILED    an exception, or a block that ended without `complete()`
    KILLED    SIGTERM or SIGINT
    RUNNING   SIGKILL; the same command takes such a run over, `reap` closes it
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay import __version__
from assay.errors import StaleRunError
from assay.tracking.owners import state_of, this_owner
from assay.tracking.provenance import source_tags
from assay.tracking.signals import Terminated, terminable
from assay.tracking.store import Store

if TYPE_CHECKING:
    from mlflow.entities import Run as MlflowRun

IDENTITY = "assay.identity"
OWNER = "assay.owner"
PARTIAL = "assay.partial"
ADOPTED = "assay.adopted"
PARENT = "mlflow.parentRunId"
GIVEN_RUN = "MLFLOW_RUN_ID"
_OPEN_STATES = ("RUNNING", "SCHEDULED")


@dataclass
class OpenRun:
    """A run that is being written."""

    store: Store
    run_id: str
    adopted: bool = False
    """Whether it was left RUNNING by a process that is gone."""
    known_params: Mapping[str, str] = field(default_factory=dict[str, str])
    """Parameters that the run had when it was opened."""
    completed: bool = False

    def complete(self) -> None:
        """Say that everything was written; without it the run ends as FAILED."""
        self.completed = True


def take_given_run() -> str | None:
    """The run that `mlflow run` made for this process; taken out of the environment.

    It must be taken once: a child process or a second run that saw the variable
    would write into the same run.
    """
    return os.environ.pop(GIVEN_RUN, None) or None


@contextmanager
def open_run(
    store: Store,
    *,
    name: str,
    identity: str,
    tags: Mapping[str, str],
    given: str | None = None,
    parent: str | None = None,
) -> Iterator[OpenRun]:
    """A run for the length of a block.

    Args:
        store: Open store.
        name: Shown in the UI.
        identity: Digest of everything that decides the result; a run of the same
            identity whose process is gone is taken over.
        tags: Further tags.
        given: Run made by `mlflow run`, to be used instead of a new one.
        parent: Run to nest under.

    Yields:
        The open run.
    """
    client = store.client
    all_tags = {
        **source_tags(),
        **tags,
        IDENTITY: identity,
        OWNER: this_owner(),
        "assay.version": __version__,
        **({PARENT: parent} if parent else {}),
    }
    stale = None if given else find_stale(store, identity)
    if given is not None:
        run = _use_given(store, given, name, all_tags)
    elif stale is not None:
        run = _adopt(store, stale, all_tags)
    else:
        created = client.create_run(store.experiment_id, run_name=name, tags=all_tags)
        run = OpenRun(store, created.info.run_id)
    status = "FAILED"
    try:
        with terminable():
            yield run
        status = "FINISHED" if run.completed else "FAILED"
    except (Terminated, KeyboardInterrupt):
        status = "KILLED"
        raise
    finally:
        if status != "FINISHED":
            client.set_tag(run.run_id, PARTIAL, "true")
        client.set_terminated(run.run_id, status)


def find_stale(store: Store, identity: str) -> MlflowRun | None:
    """The newest run of this identity that a process now gone left RUNNING."""
    return next(
        (run for run in _open_runs(store, identity) if _owner_state(run) == "gone"),
        None,
    )


def reap(store: Store) -> list[str]:
    """Close as KILLED every run whose process is gone for certain.

    Returns:
        Ids of the runs closed.
    """
    closed: list[str] = []
    for run in _open_runs(store, None):
        if _owner_state(run) == "gone":
            store.client.set_tag(run.info.run_id, PARTIAL, "true")
            store.client.set_terminated(run.info.run_id, "KILLED")
            closed.append(run.info.run_id)
    return closed


def check_params(run: OpenRun, params: Mapping[str, str]) -> dict[str, str]:
    """Parameters still to be logged; a resumed run's own must not change.

    Raises:
        StaleRunError: If one differs from what the run recorded.
    """
    for key, value in params.items():
        before = run.known_params.get(key)
        if before is not None and before != value:
            message = (
                f"run {run.run_id}: was recorded with {key}={before}, now {key}={value}; a "
                f"recorded parameter cannot change. Close it with assay reap and start anew."
            )
            raise StaleRunError(message)
    return {k: v for k, v in params.items() if k not in run.known_params}


def _open_runs(store: Store, identity: str | None) -> list[MlflowRun]:
    clause = f"tags.`{OWNER}` != ''" if identity is None else f"tags.`{IDENTITY}` = '{identity}'"
    found: list[MlflowRun] = []
    token: str | None = None
    while True:
        page = store.client.search_runs(
            [store.experiment_id],
            filter_string=f"attributes.status = 'RUNNING' and {clause}",
            order_by=["attributes.start_time DESC"],
            page_token=token,
        )
        found += page
        token = page.token
        if not token:
            return found


def _owner_state(run: MlflowRun) -> str:
    return state_of(run.data.tags.get(OWNER, ""))


def _use_given(store: Store, run_id: str, name: str, tags: Mapping[str, str]) -> OpenRun:
    run = store.client.get_run(run_id)
    # The launcher's own account of the source is the better one.
    kept = {k: v for k, v in tags.items() if k not in run.data.tags or not k.startswith("mlflow.")}
    for key, value in {**kept, "mlflow.runName": name}.items():
        store.client.set_tag(run_id, key, value)
    return OpenRun(store, run_id, known_params=dict(run.data.params))


def _adopt(store: Store, stale: MlflowRun, tags: Mapping[str, str]) -> OpenRun:
    run_id = stale.info.run_id
    times = int(stale.data.tags.get(ADOPTED, "0")) + 1
    for key, value in {**tags, ADOPTED: str(times), "assay.adopted_at": _now()}.items():
        store.client.set_tag(run_id, key, value)
    return OpenRun(store, run_id, adopted=True, known_params=dict(stale.data.params))


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
