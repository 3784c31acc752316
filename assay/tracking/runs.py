"""Open a run from any of the three doors, and close it with the state that is true.

Everything goes through MlflowClient with explicit ids. The fluent API keeps the
active run in global state: under MLFLOW_RUN_ID a nested child becomes its parent,
and runs started in threads lose theirs.

    FINISHED  only after `complete()`, which `record` calls when all is written
    FAILED    an exception, or a block that ended without `complete()`
    KILLED    SIGTERM or SIGINT
    RUNNING   SIGKILL; the same command takes such a run over, `reap` closes it
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from assay.errors import AssayError
from assay.schema import digest
from assay.tracking.failures import first_line, mlflow_errors
from assay.tracking.limits import check_params, check_tags
from assay.tracking.names import ADOPTED, FAILURE, IDENTITY, OWNER, PARENT, PARTIAL, SWEEP
from assay.tracking.owners import this_owner
from assay.tracking.provenance import source_tags
from assay.tracking.signals import Terminated, terminable, undisturbed
from assay.tracking.stale import Claim, claim_stale, refuse_changed
from assay.tracking.store import Store, project_run_or_refuse

GIVEN_RUN = "MLFLOW_RUN_ID"
PARENT_RUN = "ASSAY_PARENT_RUN_ID"
SWEEP_ID = "ASSAY_SWEEP"
_PLAIN = re.compile(r"[\w.:-]{1,128}")
"""An identity that can stand in a query of the store as it is."""
_log = logging.getLogger(__name__)


@dataclass
class OpenRun:
    """A run that is being written."""

    store: Store
    run_id: str
    name: str = ""
    adopted: bool = False
    """Whether it was left RUNNING by a process that is gone."""
    known_params: dict[str, str] = field(default_factory=dict[str, str])
    """Parameters that the run has already; they are never logged again."""
    known_metrics: Mapping[str, float] = field(default_factory=dict[str, float])
    """Metrics that a taken-over run has already."""
    notices: tuple[str, ...] = ()
    """What a person should be told: one sentence each, printed by the stage."""
    completed: bool = False
    _pid: int = field(default_factory=os.getpid)
    _closed: bool = False

    def complete(self) -> None:
        """Say that everything was written; without it the run ends as FAILED."""
        self.completed = True

    def set_tags(self, tags: Mapping[str, str]) -> None:
        """Set tags now, without waiting for `record`.

        Raises:
            TrackingError: If a value would be cut, or MLflow fails.
        """
        check_tags(tags)
        with mlflow_errors(what="cannot tag the run", uri=self.store.uri):
            log_tags(self.store, self.run_id, tags)

    def close(self, status: str, *, failure: BaseException | None = None) -> None:
        """Write the final status, once, and only from the process that opened the run."""
        if self._closed or os.getpid() != self._pid:
            return
        with undisturbed():
            self._closed = True
            try:
                with mlflow_errors(what="cannot close the run", uri=self.store.uri):
                    if status != "FINISHED":
                        tags = {PARTIAL: "true"}
                        if isinstance(failure, Exception):
                            tags[FAILURE] = _failure_text(failure)
                        log_tags(self.store, self.run_id, tags)
                    self.store.client.set_terminated(self.run_id, status)
            except AssayError as error:
                if failure is None:
                    raise
                # The first failure is the one to report.
                _log.warning("%s", error)


def take_given_run() -> str | None:
    """The run that `mlflow run` made for this process; taken out of the environment.

    It must be taken once: a child process or a second run that saw the variable
    would write into the same run.
    """
    return os.environ.pop(GIVEN_RUN, "").strip() or None


@contextmanager
def open_run(
    store: Store,
    *,
    name: str,
    identity: str,
    tags: Mapping[str, str],
    given: str | None = None,
    parent: str | None = None,
    params: Mapping[str, str] | None = None,
) -> Iterator[OpenRun]:
    """A run for the length of a block.

    Args:
        store: Open store.
        name: Shown in the UI.
        identity: Digest of everything that decides the result; a run of the same
            identity whose process is gone is taken over.
        tags: Further tags.
        given: Run made by `mlflow run`, used instead of a new one. None takes
            MLFLOW_RUN_ID, unless the run has a parent.
        parent: Run to nest under. None takes ASSAY_PARENT_RUN_ID, which a sweep
            gives to its worker processes.
        params: From `params_of`: logged at once, so that a killed run can be compared.

    Yields:
        The open run.

    Raises:
        StaleRunError: If the run given by `mlflow run` holds other parameters.
        TrackingError: If MLflow fails.
        Terminated: On SIGTERM and SIGINT, in the main thread.
    """
    parent = parent or (None if given else os.environ.get(PARENT_RUN, "").strip() or None)
    taken = take_given_run()
    if parent is None:
        given = given or taken
    if not _PLAIN.fullmatch(identity):
        identity = digest(identity)
    params = dict(params or {})
    check_params(params)
    with terminable():
        with mlflow_errors(what="cannot open a run", uri=store.uri):
            if given is not None:
                run = _use_given(store, given, name, _tags(store, tags, identity, None), params)
            else:
                if parent is not None:
                    store.client.get_run(parent)  # a parent that is not there would be accepted
                run = _start(store, name, _tags(store, tags, identity, parent), identity, params)
            _log_params(run, params)
        try:
            yield run
            run.close("FINISHED" if run.completed else "FAILED")
        except (Terminated, KeyboardInterrupt) as stop:
            run.close("KILLED", failure=stop)
            raise
        except BaseException as error:
            run.close("FAILED", failure=error)
            raise


def log_tags(store: Store, run_id: str, tags: Mapping[str, str]) -> None:
    """Set tags in one call."""
    from mlflow.entities import RunTag

    store.client.log_batch(run_id, tags=[RunTag(k, v) for k, v in tags.items()])


def _tags(
    store: Store, tags: Mapping[str, str], identity: str, parent: str | None
) -> dict[str, str]:
    everything = {**source_tags(store.start), **tags, IDENTITY: identity, OWNER: this_owner()}
    if parent is not None:
        everything[PARENT] = parent
    if sweep := os.environ.get(SWEEP_ID, "").strip():
        everything.setdefault(SWEEP, sweep)
    check_tags(everything)
    return everything


def _start(
    store: Store,
    name: str,
    tags: Mapping[str, str],
    identity: str,
    params: Mapping[str, str],
) -> OpenRun:
    with store.lock():
        claim = claim_stale(store, identity, params=params)
        if claim.run is not None:
            return _adopt(store, claim, name, tags)
    if claim.resumes is not None:
        tags = {**tags, "assay.resumes": claim.resumes}
    created = store.client.create_run(store.experiment_id, run_name=name, tags=dict(tags))
    return OpenRun(store, created.info.run_id, name, notices=claim.notices)


def _adopt(store: Store, claim: Claim, name: str, tags: Mapping[str, str]) -> OpenRun:
    assert claim.run is not None
    run = claim.run
    run_id, times = run.info.run_id, int(run.data.tags.get(ADOPTED, "0")) + 1
    log_tags(store, run_id, {**tags, ADOPTED: str(times)})
    store.client.update_run(run_id, name=name)
    return OpenRun(
        store,
        run_id,
        name,
        adopted=True,
        known_params=dict(run.data.params),
        known_metrics=dict(run.data.metrics),
        notices=(
            *claim.notices,
            f"run {run_id}: taken over from a process that is gone (time {times}).",
        ),
    )


def _use_given(
    store: Store, run_id: str, name: str, tags: Mapping[str, str], params: Mapping[str, str]
) -> OpenRun:
    run = project_run_or_refuse(store.client, run_id, uri=store.uri)
    refuse_changed(run_id, dict(run.data.params), params)
    # The launcher's own account of the source is the better one.
    kept = {k: v for k, v in tags.items() if k not in run.data.tags or not k.startswith("mlflow.")}
    log_tags(store, run_id, kept)
    store.client.update_run(run_id, status="RUNNING", name=name)
    for left in (PARTIAL, FAILURE):
        if left in run.data.tags:
            store.client.delete_tag(run_id, left)
    return OpenRun(
        store,
        run_id,
        name,
        known_params=dict(run.data.params),
        known_metrics=dict(run.data.metrics),
    )


def _log_params(run: OpenRun, params: Mapping[str, str]) -> None:
    new = {k: v for k, v in params.items() if k not in run.known_params}
    if new:
        from mlflow.entities import Param

        batch: Sequence[Param] = [Param(k, v) for k, v in new.items()]
        run.store.client.log_batch(run.run_id, params=batch)
        run.known_params.update(new)


def _failure_text(error: Exception) -> str:
    """A known failure in its own words; of a bug, which may quote anything, only its kind."""
    return first_line(error) if isinstance(error, AssayError) else type(error).__name__
