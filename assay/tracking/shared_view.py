"""A saved view of the table of runs: headline figures as columns, the best run on top.

Left to itself MLflow's table shows no metric at all until someone picks columns.
It keeps shared views in tags of the experiment; a link names one by its key.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from mlflow import MlflowClient

Kind = Literal["dev", "validate"]
_TAG = "mlflow.sharedViewState."
_HEADLINE = ("min_tpr", "min_tnr", "balanced_accuracy", "coverage")


def view_key(kind: Kind) -> str:
    """The key by which a link names the view."""
    return f"assay-{kind}"


def save_views(client: MlflowClient, experiment_id: str, tags: Mapping[str, str]) -> None:
    """Put the views into the experiment, unless they are there.

    Args:
        client: Client of the store.
        experiment_id: Experiment.
        tags: The experiment's tags.
    """
    kinds: tuple[Kind, ...] = ("dev", "validate")
    for kind in kinds:
        name, value = _TAG + view_key(kind), _state(kind)
        if tags.get(name) != value:
            client.set_experiment_tag(experiment_id, name, value)


def _state(kind: Kind) -> str:
    metrics = [f"metrics.`{kind}/{name}`" for name in _HEADLINE]
    state = {
        "searchFilter": "",
        "orderByKey": f"metrics.`{kind}/balanced_accuracy`",
        "orderByAsc": False,
        "startTime": "ALL",
        "lifecycleFilter": "Active",
        "modelVersionFilter": "All Runs",
        "datasetsFilter": [],
        "selectedColumns": [*metrics, "params.`cfg/judge`", "params.`cfg/prompt_hash`"],
    }
    return json.dumps(state, sort_keys=True)
