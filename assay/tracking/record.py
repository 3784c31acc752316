"""Write one run: files, then one batch of parameters, metrics and tags, then done.

Local results come first, before this room is asked. When MLflow fails, the error
says where they are. How many artifacts a run has does not depend on how many items
it judged: per-item records are rows of one file.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.errors import TrackingError
from assay.schema import ValidationReport
from assay.tracking.failures import mlflow_errors
from assay.tracking.limits import (
    LONGEST_TAG,
    METRICS_PER_BATCH,
    NOTE,
    PARAMS_PER_BATCH,
    TAGS_PER_BATCH,
    check_params,
    check_tags,
    chunks,
    short_note,
)
from assay.tracking.names import UNDEFINED, dataset_name, metrics_of, params_of, respelt, run_name
from assay.tracking.runs import OpenRun
from assay.tracking.stale import refuse_changed
from assay.tracking.tables import Columns, confusion_columns, slice_columns, table_json, table_tag
from assay.tracking.uris import mask

MAX_TABLES = 5
MAX_FILES = 200
"""A folder with more files than this has one per item, which no store takes for long."""
_DESCRIPTION = "description.md"
_SECRET_LENGTH = 8
"""Local servers take keys such as `none` or `test`; hiding those would garble plain words."""


@dataclass(frozen=True)
class RunContent:
    """Everything that one run records."""

    report: ValidationReport
    params: Mapping[str, object]
    """Decision-relevant values, from `decision_values`."""
    description: str
    """Markdown for the top of the run's page; all of it is also an artifact."""
    folder: Path
    """Local results, already written; logged as a whole."""
    tags: Mapping[str, str] = field(default_factory=dict[str, str])
    datasets: Mapping[str, str] = field(default_factory=dict[str, str])
    """Name -> digest of what was measured against, shown as dataset inputs; empty
    takes the report's labels and split."""
    tables: Mapping[str, Columns] = field(default_factory=dict[str, Columns])
    """File name -> column -> values, beside the confusion counts; shown as tables."""
    overrides: Sequence[str] = ()
    """What was set on the command line."""
    config_yaml: str = ""
    """The composed configuration, unless the folder has a config.yaml already."""
    secrets: Sequence[str] = ()
    """Values of keys of 8 characters or more, masked wherever they turn up in values."""


def record(run: OpenRun, content: RunContent) -> None:
    """Write everything and declare the run complete.

    Args:
        run: Open run.
        content: What to write.

    Raises:
        StaleRunError: If a resumed run had other parameters.
        TrackingError: If MLflow fails, or would cut or refuse a value.
    """
    report = content.report
    params = {k: _masked(v, content) for k, v in params_of(content.params).items()}
    refuse_changed(run.run_id, run.known_params, params)
    params = {k: v for k, v in params.items() if k not in run.known_params}
    metrics, undefined = metrics_of(report)
    tables = _tables(content)
    tags = {k: _masked(v, content) for k, v in _tags(content, undefined, list(tables)).items()}
    check_params(params)
    check_tags(tags)
    _check_files(content.folder)
    with mlflow_errors(content.folder, uri=run.store.uri):
        _log_files(run, content, tables)
        _log_datasets(run, content)
        new = [(k, v) for k, v in metrics if run.known_metrics.get(k) != v]
        _log_batches(run, new, params, tags)
        wanted = run_name(run.name, simulated=report.simulated)
        if run.name and wanted != run.name:
            run.store.client.update_run(run.run_id, name=wanted)
            run.name = wanted
    run.known_params.update(params)
    run.complete()


def _tags(content: RunContent, undefined: Sequence[str], tables: Sequence[str]) -> dict[str, str]:
    report = content.report
    tags = {
        **content.tags,
        "assay.kind": report.kind,
        "assay.simulated": str(report.simulated).lower(),
        "assay.synthetic_labels": str(report.labels.synthetic).lower(),
        "assay.headline_judge": report.headline_judge,
        "assay.state": report.headline.state,
        "assay.positive_class": report.positive_class,
        "assay.verdict": report.overall_verdict,
        NOTE: short_note(content.description, where=_DESCRIPTION),
        **table_tag(tables),
    }
    if undefined:
        tags[UNDEFINED] = _fitting(", ".join(undefined))
    if content.overrides:
        tags["assay.overrides"] = _fitting(json.dumps(list(content.overrides), ensure_ascii=False))
    return tags


def _fitting(text: str) -> str:
    """A list that fits into a tag, cut with a word that it was; the report has all of it."""
    more = " ... (all of it is in the run's artifacts)"
    return text if len(text) <= LONGEST_TAG else text[: LONGEST_TAG - len(more)] + more


def _masked(text: str, content: RunContent) -> str:
    for secret in content.secrets:
        if len(secret) >= _SECRET_LENGTH:
            text = text.replace(secret, "***")
    return mask(text)


def _tables(content: RunContent) -> dict[str, Columns]:
    tables: dict[str, Columns] = {"confusion.json": confusion_columns(content.report)}
    if content.report.headline.agents:
        tables["agents.json"] = slice_columns(content.report)
    tables.update(content.tables)
    if len(tables) > MAX_TABLES:
        message = f"{len(tables)} tables in one run ({', '.join(tables)}); {MAX_TABLES} fit."
        raise TrackingError(message)
    return tables


def _check_files(folder: Path) -> None:
    n = sum(len(files) for _, _, files in os.walk(folder))
    if n > MAX_FILES:
        message = f"{folder}: {n} files; a run holds at most {MAX_FILES}. Write rows, not files."
        raise TrackingError(message)


def _log_files(run: OpenRun, content: RunContent, tables: Mapping[str, Columns]) -> None:
    client = run.store.client
    client.log_artifacts(run.run_id, str(content.folder))
    with tempfile.TemporaryDirectory(prefix="assay-") as name:
        extra = Path(name)
        texts = {_DESCRIPTION: _masked(content.description, content)}
        # Written whole rather than with log_table, which reads back and appends:
        # a run that was taken over would hold every row twice.
        texts.update({name: table_json(columns) for name, columns in tables.items()})
        if names := respelt(content.report):
            texts["metric_names.json"] = json.dumps(names, ensure_ascii=False, indent=2)
        if content.config_yaml and not (content.folder / "config.yaml").exists():
            texts["config.yaml"] = _masked(content.config_yaml, content)
        for file, text in texts.items():
            (extra / file).parent.mkdir(parents=True, exist_ok=True)
            (extra / file).write_text(text, encoding="utf-8", newline="\n")
        client.log_artifacts(run.run_id, str(extra))


def _log_batches(
    run: OpenRun,
    metrics: Sequence[tuple[str, float]],
    params: Mapping[str, str],
    tags: Mapping[str, str],
) -> None:
    from mlflow.entities import Metric, Param, RunTag

    now = int(time.time() * 1000)
    parts: list[list[Sequence[Any]]] = [
        list(chunks([Metric(k, v, now, 0) for k, v in metrics], METRICS_PER_BATCH - 200)),
        list(chunks([Param(k, v) for k, v in params.items()], PARAMS_PER_BATCH)),
        list(chunks([RunTag(k, v) for k, v in tags.items()], TAGS_PER_BATCH)),
    ]
    # One call for any usual run; all kinds together may hold 1,000 entries.
    for i in range(max(len(kind) for kind in parts)):
        m, p, t = (kind[i] if i < len(kind) else () for kind in parts)
        run.store.client.log_batch(run.run_id, metrics=m, params=p, tags=t, synchronous=True)


def _log_datasets(run: OpenRun, content: RunContent) -> None:
    from mlflow.entities import Dataset, DatasetInput, InputTag

    report = content.report
    datasets = dict(content.datasets)
    if not datasets:
        datasets[dataset_name(f"labels-{report.kind}", report.labels.digest)] = report.labels.digest
        if report.split_digest:
            datasets[dataset_name("split", report.split_digest)] = report.split_digest
    profile = json.dumps(
        {"n_sessions": report.labels.n_sessions, "n_labels": report.labels.n_labels}
    )
    run.store.client.log_inputs(
        run.run_id,
        datasets=[
            # MLflow keeps 36 characters of a digest; the labels' whole one is in the report.
            DatasetInput(
                Dataset(name, full[:32], "local", json.dumps({"sha256": full}), profile=profile),
                tags=[InputTag("mlflow.data.context", report.kind)],
            )
            for name, full in datasets.items()
        ],
    )
