"""The one table of MLflow names: parameters, metrics and their order, legal segments.

    cfg/...                          parameters, at most 30, the same for the same config
    <kind>/min_tpr ...               headline metrics, first, so that charts show them
    <kind>/<dimension>/tpr, _low, _high, _n ...
    assay.*                          tags

The evaluation page draws the first five metrics that it meets, hence the order.
Per-agent figures are in a table artifact: as metrics they would swamp the charts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import quote, unquote

from assay.errors import TrackingError
from assay.metrics import Rate
from assay.schema import DimensionMetrics, ValidationReport

MAX_PARAMS = 30
_VALUE_LIMIT = 500
"""Far below the 6,000 characters at which the store cuts a value without a word."""
_NAME_LIMIT = 250
_Put = Callable[[str, float | None], None]
_LEGAL = re.compile(r"^[A-Za-z0-9_.\- /]+$")


def segment(text: str) -> str:
    """A legal, unique and reversible part of a metric name.

    Every character outside A-Z a-z 0-9 - and . becomes _XX, its UTF-8 bytes in
    hexadecimal, and so does the underscore itself when two digits follow it.

    Example:
        >>> segment("org/model:8b@q4"), segment("code_quality")
        ('org_2Fmodel_3A8b_40q4', 'code_quality')
    """
    escaped = re.sub(r"_(?=[0-9A-F]{2})", "_5F", text)
    return "".join(
        c if re.match(r"[A-Za-z0-9.\-_]", c) else quote(c, safe="").replace("%", "_")
        for c in escaped
    )


def unsegment(name: str) -> str:
    """The text that a segment stands for."""
    return unquote(re.sub(r"_([0-9A-F]{2})", r"%\1", name))


def metrics_of(report: ValidationReport) -> tuple[list[tuple[str, float]], list[str]]:
    """Metrics of a report in the order in which they are logged.

    Args:
        report: Of one run; the headline judge's figures are taken.

    Returns:
        (name, value) pairs, and the names that are undefined and so not logged.
    """
    prefix, judge = report.kind, report.headline
    found: list[tuple[str, float]] = []
    undefined: list[str] = []

    def add(name: str, value: float | None) -> None:
        full = f"{prefix}/{name}"
        if value is None:
            undefined.append(full)
        else:
            found.append((_checked(full), float(value)))

    add("min_tpr", judge.min_tpr.value)
    add("min_tnr", judge.min_tnr.value)
    add("balanced_accuracy", judge.balanced_accuracy.value)
    decided = sum(d.n_decided for d in judge.dimensions)
    labelled = sum(d.n for d in judge.dimensions)
    add("coverage", decided / labelled if labelled else None)
    for pairwise in report.pairwise:
        if pairwise.judge == judge.judge:
            add("concordance", pairwise.concordance.value)
    for dimension in judge.dimensions:
        _add_dimension(dimension, add)
    for reason, count in sorted(_reasons(judge.dimensions).items()):
        add(f"undecided_{reason}", count)
    return found, undefined


def _add_dimension(d: DimensionMetrics, put: _Put) -> None:
    place = segment(d.dimension)
    for name, rate in (("tpr", d.tpr), ("tnr", d.tnr)):
        _add_rate(f"{place}/{name}", rate, put)
    put(f"{place}/coverage", d.coverage.value)
    put(f"{place}/precision", d.precision.value)
    put(f"{place}/kappa", d.kappa.value)
    for name in ("tp", "fp", "tn", "fn", "n", "n_abstained", "n_errored", "n_missing"):
        put(f"{place}/{name}", getattr(d, name))


def _add_rate(name: str, rate: Rate, put: _Put) -> None:
    put(name, rate.value)
    put(f"{name}_low", rate.low)
    put(f"{name}_high", rate.high)
    put(f"{name}_n", rate.trials)


def _reasons(dimensions: Sequence[DimensionMetrics]) -> dict[str, int]:
    total: dict[str, int] = {}
    for d in dimensions:
        for reason, count in d.reasons.items():
            total[reason] = total.get(reason, 0) + count
    return total


def _checked(name: str) -> str:
    if not _LEGAL.match(name) or len(name) > _NAME_LIMIT:
        message = f"metric name {name!r} is not legal in MLflow; rename the dimension."
        raise TrackingError(message)
    return name


def params_of(values: Mapping[str, object]) -> dict[str, str]:
    """Parameters from decision-relevant values, under `cfg/`.

    Args:
        values: name -> value; None is left out, since it says that nothing was set.

    Returns:
        Legal parameters. The same values give the same parameters.

    Raises:
        TrackingError: If there are more than 30, or a value is too long to be
            kept whole; long text is an artifact, and its digest the parameter.
    """
    params = {f"cfg/{name}": str(value) for name, value in values.items() if value is not None}
    if len(params) > MAX_PARAMS:
        message = f"{len(params)} parameters; at most {MAX_PARAMS} can be read side by side."
        raise TrackingError(message)
    for name, value in params.items():
        if len(value) > _VALUE_LIMIT:
            message = f"{name}: {len(value)} characters; the store would cut it; log its digest."
            raise TrackingError(message)
    return params
