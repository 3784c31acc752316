"""The only room that knows MLflow: its store, its runs, and the names in them."""

from assay.tracking.addresses import mask, resolve_uri
from assay.tracking.names import metrics_of, params_of, segment, unsegment
from assay.tracking.record import RunContent, mlflow_errors, record
from assay.tracking.runs import OpenRun, find_stale, open_run, reap, take_given_run
from assay.tracking.signals import Terminated
from assay.tracking.store import Store, open_store
from assay.tracking.sweeps import Sweep, open_sweep

__all__ = [
    "OpenRun",
    "RunContent",
    "Store",
    "Sweep",
    "Terminated",
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
    "segment",
    "take_given_run",
    "unsegment",
]
