"""`assay reap`: close MLflow runs that killed processes left RUNNING."""

from __future__ import annotations

from assay.config import Composition
from assay.errors import ConfigError
from assay.reporting import say, say_json
from assay.tracking import open_store
from assay.tracking import reap as reap_runs


def reap(run: Composition, *, as_json: bool = False) -> int:
    """Close as KILLED every run of the experiment whose process is gone for certain.

    Args:
        run: Composition; tracking matters.
        as_json: Print the ids as JSON.

    Returns:
        0.

    Raises:
        TrackingError: If the store cannot be used.
        ConfigError: If tracking is off.
    """
    if not run.config.tracking.enabled:
        message = "tracking is off; name a store: tracking=local."
        raise ConfigError(message)
    store = open_store(run.config.tracking, start=run.start)
    closed = reap_runs(store)
    if as_json:
        say_json({"store": store.shown, "closed": closed})
        return 0
    say(f"{store.shown}, experiment {store.experiment!r}: {len(closed)} stale runs closed.")
    for run_id in closed:
        say(f"  {run_id}")
    return 0
