"""Runs left RUNNING by processes that are gone: found, taken over, or closed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.errors import StaleRunError
from assay.tracking.failures import mlflow_errors
from assay.tracking.names import IDENTITY, OWNER, PARTIAL
from assay.tracking.owners import describe, state_of
from assay.tracking.store import Store

if TYPE_CHECKING:
    from mlflow.entities import Run as MlflowRun


@dataclass(frozen=True)
class Claim:
    """What was found under an identity."""

    run: MlflowRun | None = None
    """A run to go on with."""
    resumes: str | None = None
    """A run of the same identity but other parameters, now closed; the new one links to it."""
    notices: tuple[str, ...] = ()


def claim_stale(store: Store, identity: str, *, params: Mapping[str, str]) -> Claim:
    """Look for a run to go on with; call under the store's lock.

    Args:
        store: Open store.
        identity: Of the work about to start.
        params: Of the work about to start; a recorded one is never rewritten.

    Returns:
        The newest run of this identity whose owner is gone, or none, with a notice for
        each run whose owner lives or is out of sight.
    """
    notices: list[str] = []
    for run in _running(store, identity):
        run_id, owner = run.info.run_id, run.data.tags.get(OWNER, "")
        state = state_of(owner)
        if state == "alive":
            notices.append(f"run {run_id} of the same work is still running ({describe(owner)}).")
        elif state == "elsewhere":
            notices.append(
                f"run {run_id} of the same work is marked as running by {describe(owner)}; only "
                f"that machine can tell whether it is. If it is not: assay reap there."
            )
        elif change := first_change(run.data.params, params):
            key, before, now = change
            _close(store, run_id)
            notices.append(
                f"run {run_id} of a process that is gone was recorded with {key}={before}, now "
                f"{key}={now}: closed as KILLED; this is a new run, linked to it."
            )
            return Claim(resumes=run_id, notices=tuple(notices))
        else:
            return Claim(run=run, notices=tuple(notices))
    return Claim(notices=tuple(notices))


def find_stale(store: Store, identity: str) -> MlflowRun | None:
    """The newest run of this identity that a process now gone left RUNNING."""
    with mlflow_errors(what="cannot look for runs", uri=store.uri):
        gone = (r for r in _running(store, identity) if _is_gone(r))
        return next(gone, None)


def reap(store: Store) -> list[str]:
    """Close as KILLED every run of the experiment whose process is gone for certain.

    Returns:
        Ids of the runs closed, the newest first.

    Raises:
        TrackingError: If MLflow fails.
    """
    with mlflow_errors(what="cannot reap", uri=store.uri), store.lock():
        gone = [run.info.run_id for run in _running(store, None) if _is_gone(run)]
        for run_id in gone:
            _close(store, run_id)
    return gone


def first_change(before: Mapping[str, str], now: Mapping[str, str]) -> tuple[str, str, str] | None:
    """The first parameter that both have with different values: (key, before, now)."""
    changed = ((k, before[k], v) for k, v in now.items() if k in before and before[k] != v)
    return next(changed, None)


def refuse_changed(run_id: str, before: Mapping[str, str], now: Mapping[str, str]) -> None:
    """Refuse to rewrite a recorded parameter.

    Raises:
        StaleRunError: Names the first key with both values.
    """
    if change := first_change(before, now):
        key, was, wanted = change
        message = (
            f"run {run_id}: was recorded with {key}={was}, now {key}={wanted}; a recorded "
            f"parameter never changes. Start a new run instead of resuming this one."
        )
        raise StaleRunError(message)


def _running(store: Store, identity: str | None) -> list[MlflowRun]:
    clause = f"tags.`{OWNER}` != ''"
    if identity is not None:
        clause = f"tags.`{IDENTITY}` = '{identity}'"
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


def _is_gone(run: MlflowRun) -> bool:
    return state_of(run.data.tags.get(OWNER, "")) == "gone"


def _close(store: Store, run_id: str) -> None:
    store.client.set_tag(run_id, PARTIAL, "true")
    store.client.set_terminated(run_id, "KILLED")
