"""The only room that knows MLflow: its store, its runs, and the names in them.

Importing it loads no MLflow; opening a store does.
"""

from assay.tracking.decision_values import decision_values
from assay.tracking.failures import mlflow_errors
from assay.tracking.names import (
    dataset_name,
    metrics_of,
    params_of,
    run_name,
    segment,
    unsegment,
)
from assay.tracking.record import RunContent, record
from assay.tracking.runs import OpenRun, open_run, take_given_run
from assay.tracking.signals import Terminated
from assay.tracking.stale import find_stale, reap
from assay.tracking.store import Store, open_store
from assay.tracking.sweeps import Sweep, open_sweep
from assay.tracking.uris import mask, resolve_uri

__all__ = [
    "OpenRun",
    "RunContent",
    "Store",
    "Sweep",
    "Terminated",
    "dataset_name",
    "decision_values",
    "find_stale",
    "mask",
    "metrics_of",
    "mlflow_errors",
    "open_run",
    "open_store",
    "open_sweep",
    "params_of",
    "reap",
    "record",
    "resolve_uri",
    "run_name",
    "segment",
    "take_given_run",
    "unsegment",
]
