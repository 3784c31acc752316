"""Tables that MLflow's UI pages through: JSON of columns and rows, and the tag that says so."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from assay.metrics import Rate
from assay.schema import DimensionMetrics, JudgeReport, ValidationReport

Columns = Mapping[str, Sequence[object]]
"""Column name -> values, all columns of one length."""


def table_json(columns: Columns) -> str:
    """A table in the form that MLflow's own log_table writes.

    Args:
        columns: All of one length; None is an empty cell.

    Returns:
        Strict JSON.
    """
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    return json.dumps({"columns": list(columns), "data": rows}, ensure_ascii=False, allow_nan=False)


def table_tag(files: Sequence[str]) -> dict[str, str]:
    """The tag by which the UI knows that these artifacts are tables."""
    entries = [{"path": file, "type": "table"} for file in files]
    return {"mlflow.loggedArtifacts": json.dumps(entries)} if files else {}


def confusion_columns(report: ValidationReport) -> Columns:
    """Counts and rates per judge and dimension, over all agents. Pass is positive."""
    return _columns([(judge, d) for judge in report.judges for d in judge.dimensions])


def slice_columns(report: ValidationReport) -> Columns:
    """The same for the headline judge, per agent."""
    return _columns([(report.headline, d) for d in report.headline.agents])


def _columns(rows: Sequence[tuple[JudgeReport, DimensionMetrics]]) -> Columns:
    by_agent = any(d.agent is not None for _, d in rows)
    table: dict[str, list[object]] = {}
    for judge, d in rows:
        cells: dict[str, object] = {"judge": judge.judge, "dimension": d.dimension}
        if by_agent:
            cells["agent"] = d.agent
        # Short heads and the answer first: the UI cuts a head at about 15 characters.
        cells |= {
            "TPR": _words(d.tpr),
            "TNR": _words(d.tnr),
            "state": d.gate.state,
            "TP": d.tp,
            "FN false fail": d.fn,
            "FP false pass": d.fp,
            "TN": d.tn,
            "no verdict": d.n_abstained + d.n_errored + d.n_missing,
        }
        for name, value in cells.items():
            table.setdefault(name, []).append(value)
    return table


def _words(rate: Rate) -> str:
    if rate.value is None:
        return f"undefined: {rate.undefined}"
    return f"{rate.value:.2f} ({rate.low:.2f} to {rate.high:.2f}, n={rate.trials})"
