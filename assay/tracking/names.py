"""The one table of MLflow names: parameters, metrics and their order, tags, segments.

    cfg/...                           parameters, at most 30, the same for the same config
    <kind>/min_tpr, min_tnr, ...      headline metrics, first, so that charts show them
    <kind>/<dimension>/tpr, _low, _high ...
    <kind>/<dimension>/tp ...         counts, last
    <kind>/undecided/<reason>         verdicts that are neither Pass nor Fail
    assay.*                           tags

The evaluation page draws the first few metrics in [0, 1] that it meets, hence the
order. Per-agent figures are in a table artifact: as metrics they would swamp the charts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import unquote

from assay.errors import TrackingError
from assay.metrics import Rate
from assay.schema import DimensionMetrics, ValidationReport, digest
from assay.tracking.limits import LONGEST_PARAM, check_metrics, check_params

IDENTITY = "assay.identity"
OWNER = "assay.owner"
PARTIAL = "assay.partial"
ADOPTED = "assay.adopted"
FAILURE = "assay.failure"
SWEEP = "assay.sweep"
PARENT = "mlflow.parentRunId"
UNDEFINED = "undefined_metrics"
MAX_PARAMS = 30
SIMULATED = "SIMULATED "
_Put = Callable[[str, float | None], None]


def run_name(name: str, *, simulated: bool) -> str:
    """Name shown in the UI: simulated judges say so in every list."""
    return f"{SIMULATED}{name}" if simulated and not name.startswith(SIMULATED) else name


def dataset_name(kind: str, content_digest: str) -> str:
    """Name of a dataset input, as in `labels-dev@9f3a2c41`."""
    return f"{kind}@{content_digest[:8]}"


def segment(text: str) -> str:
    """A legal, unique and reversible part of a metric name.

    Every character outside A-Z a-z 0-9 - _ and . becomes _XX, its UTF-8 bytes in
    hexadecimal, and so does the underscore itself when two such digits follow it.

    Example:
        >>> segment("org/model:8b@q4"), segment("code_quality")
        ('org_2Fmodel_3A8b_40q4', 'code_quality')
    """
    escaped = re.sub(r"_(?=[0-9A-F]{2})", "_5F", text)
    # MLflow reads a segment of dots alone as a step in a path.
    if not escaped.strip("."):
        return "_2E" * len(escaped)
    return re.sub(
        r"[^A-Za-z0-9.\-_]",
        lambda found: "".join(f"_{byte:02X}" for byte in found[0].encode("utf-8")),
        escaped,
    )


def unsegment(name: str) -> str:
    """The text that a segment stands for."""
    return unquote(re.sub(r"_([0-9A-F]{2})", r"%\1", name))


def respelt(report: ValidationReport) -> dict[str, str]:
    """Segment -> original, for every judge and dimension that is spelt otherwise in metrics."""
    originals = [j.judge for j in report.judges]
    originals += [d.dimension for d in report.headline.dimensions]
    return {segment(x): x for x in originals if segment(x) != x}


def metrics_of(report: ValidationReport) -> tuple[list[tuple[str, float]], list[str]]:
    """Metrics of a report in the order in which they are logged.

    Args:
        report: Of one run. The headline judge's figures by dimension, and the
            headline figures of the others.

    Returns:
        (name, value) pairs, and the names that are undefined and so not logged.

    Raises:
        TrackingError: If a name cannot be stored.
    """
    prefix, judge = report.kind, report.headline
    found: list[tuple[str, float]] = []
    undefined: list[str] = []

    def put(name: str, value: float | None) -> None:
        if value is None:
            undefined.append(f"{prefix}/{name}")
        else:
            found.append((f"{prefix}/{name}", float(value)))

    put("min_tpr", judge.min_tpr.value)
    put("min_tnr", judge.min_tnr.value)
    put("balanced_accuracy", judge.balanced_accuracy.value)
    decided = sum(d.coverage.successes for d in judge.dimensions)
    asked = sum(d.coverage.trials for d in judge.dimensions)
    put("coverage", decided / asked if asked else None)
    for pairwise in report.pairwise:
        if pairwise.judge == judge.judge:
            put("concordance", pairwise.concordance.value)
    for dimension in judge.dimensions:
        _put_rates(dimension, put)
    for other in report.judges[1:]:
        place = f"judge/{segment(other.judge)}"
        put(f"{place}/min_tpr", other.min_tpr.value)
        put(f"{place}/min_tnr", other.min_tnr.value)
        put(f"{place}/balanced_accuracy", other.balanced_accuracy.value)
    for dimension in judge.dimensions:
        _put_counts(dimension, put)
    for reason, count in sorted(_reasons(judge.dimensions).items()):
        put(f"undecided/{reason}", count)
    check_metrics(found)
    return found, undefined


def _put_rates(d: DimensionMetrics, put: _Put) -> None:
    place = segment(d.dimension)
    for name, rate in (("tpr", d.tpr), ("tnr", d.tnr)):
        _put_rate(f"{place}/{name}", rate, put)
    put(f"{place}/coverage", d.coverage.value)
    put(f"{place}/kappa", d.kappa.value)
    put(f"{place}/n", d.n)


def _put_rate(name: str, rate: Rate, put: _Put) -> None:
    put(name, rate.value)
    # Bounds are undefined with their rate: naming the rate says it all.
    if rate.value is not None:
        put(f"{name}_low", rate.low)
        put(f"{name}_high", rate.high)


def _put_counts(d: DimensionMetrics, put: _Put) -> None:
    place = segment(d.dimension)
    for name in ("tp", "fp", "tn", "fn", "n_abstained", "n_errored", "n_missing"):
        put(f"{place}/{name}", getattr(d, name))


def _reasons(dimensions: Sequence[DimensionMetrics]) -> dict[str, int]:
    total: dict[str, int] = {}
    for d in dimensions:
        for reason, count in d.reasons.items():
            total[reason] = total.get(reason, 0) + count
    return total


def params_of(values: Mapping[str, object]) -> dict[str, str]:
    """Parameters from decision-relevant values, under `cfg/`.

    Args:
        values: name -> value, as from `decision_values`; None is left out, since it
            says that nothing was set.

    Returns:
        Legal parameters. The same values give the same parameters; a value that is too
        long to be read is replaced by its digest.

    Raises:
        TrackingError: If there are more than 30: side by side nobody can read more.
    """
    params = {f"cfg/{name}": _value(value) for name, value in values.items() if value is not None}
    if len(params) > MAX_PARAMS:
        message = f"{len(params)} parameters; at most {MAX_PARAMS} can be read side by side."
        raise TrackingError(message)
    check_params(params)
    return params


def _value(value: object) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text if len(text) <= LONGEST_PARAM else f"sha256:{digest(text)[:16]}"
