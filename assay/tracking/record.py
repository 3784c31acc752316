"""Write one run: one batch of parameters, metrics and tags, then files, then done.

Local files come first. When MLflow fails, the error says where they are.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.errors import TrackingError
from assay.schema import ValidationReport
from assay.tracking.addresses import mask
from assay.tracking.names import metrics_of, params_of
from assay.tracking.runs import OpenRun, check_params

NOTE = "mlflow.note.content"
_TAG_LIMIT = 7_900
"""The store cuts a tag at 8,000 characters without a word."""
_BATCH = 900
"""Metrics in one call; the store takes 1,000."""


@dataclass(frozen=True)
class RunContent:
    """Everything that one run records."""

    report: ValidationReport
    params: Mapping[str, object]
    """Decision-relevant values, see `names.params_of`."""
    description: str
    """Markdown for the top of the run's page."""
    folder: Path
    """Local results, already written; logged as a whole."""
    tags: Mapping[str, str] = field(default_factory=dict[str, str])
    datasets: Mapping[str, str] = field(default_factory=dict[str, str])
    """Name -> digest of what was measured against; shown as dataset inputs."""
    tables: Mapping[str, Mapping[str, Sequence[Any]]] = field(
        default_factory=dict[str, Mapping[str, Sequence[Any]]]
    )
    """File name -> column -> values; shown as tables."""


def record(run: OpenRun, content: RunContent) -> None:
    """Write everything and declare the run complete.

    Args:
        run: Open run.
        content: What to write.

    Raises:
        StaleRunError: If a resumed run had other parameters.
        TrackingError: If MLflow fails or would cut a value.
    """
    params = check_params(run, params_of(content.params))
    metrics, undefined = metrics_of(content.report)
    tags = {
        **content.tags,
        "assay.kind": content.report.kind,
        "assay.simulated": str(content.report.simulated).lower(),
        "assay.positive_class": content.report.positive_class,
        "assay.verdict": content.report.overall_verdict,
        NOTE: content.description,
        **({"undefined_metrics": ", ".join(undefined)} if undefined else {}),
    }
    for name, value in tags.items():
        if len(value) > _TAG_LIMIT:
            message = f"tag {name}: {len(value)} characters; the store would cut it."
            raise TrackingError(message)
    with mlflow_errors(content.folder):
        _log_batch(run, params, metrics, tags)
        _log_datasets(run, content.datasets)
        for name, columns in content.tables.items():
            run.store.client.log_table(run.run_id, {k: list(v) for k, v in columns.items()}, name)
        run.store.client.log_artifacts(run.run_id, str(content.folder))
    run.complete()


def _log_batch(
    run: OpenRun,
    params: Mapping[str, str],
    metrics: Sequence[tuple[str, float]],
    tags: Mapping[str, str],
) -> None:
    from mlflow.entities import Metric, Param, RunTag

    now = int(time.time() * 1000)
    values = [Metric(name, value, now, 0) for name, value in metrics]
    run.store.client.log_batch(
        run.run_id,
        metrics=values[:_BATCH],
        params=[Param(k, v) for k, v in params.items()],
        tags=[RunTag(k, v) for k, v in tags.items()],
    )
    for start in range(_BATCH, len(values), _BATCH):
        run.store.client.log_batch(run.run_id, metrics=values[start : start + _BATCH])


def _log_datasets(run: OpenRun, datasets: Mapping[str, str]) -> None:
    if not datasets:
        return
    from mlflow.entities import Dataset, DatasetInput

    inputs = [
        # MLflow's column for a digest holds 36 characters; the whole one is a parameter.
        DatasetInput(Dataset(name, digest[:32], "local", "{}"))
        for name, digest in datasets.items()
    ]
    run.store.client.log_inputs(run.run_id, datasets=inputs)


@contextmanager
def mlflow_errors(folder: Path | None) -> Iterator[None]:
    """Turn MLflow's failures into one sentence that says where the local results are."""
    from mlflow.exceptions import MlflowException
    from requests.exceptions import RequestException
    from sqlalchemy.exc import SQLAlchemyError

    try:
        yield
    except (MlflowException, SQLAlchemyError, RequestException, OSError) as error:
        first = mask(str(error).splitlines()[0] if str(error) else type(error).__name__)
        kept = f" The results are safe in {folder}." if folder else ""
        message = f"MLflow could not record the run: {first}.{kept}"
        raise TrackingError(message) from error
