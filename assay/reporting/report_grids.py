"""The tables of one report, each in a wide and a narrow layout."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assay.metrics import Rate
from assay.reporting.grid import Column, Grid
from assay.reporting.numbers import gate_words, rate_counts, rate_short, rate_tall
from assay.schema import DimensionMetrics, JudgeReport

Row = tuple[JudgeReport, DimensionMetrics]
Layouts = tuple[tuple[Grid, ...], ...]

_COUNTS = ("TP", "FP", "TN", "FN")
_UNDECIDED = ("abst.", "err.", "missing")


def dimension_grids(judge: JudgeReport, *, level: float) -> Layouts:
    """One row per dimension over all agents.

    Args:
        judge: Whose report.
        level: Coverage of the intervals, for the heading.

    Returns:
        Layouts, widest first.
    """
    rows = [(judge, m) for m in judge.dimensions]
    return _layouts(rows, {"dimension": _dimension}, level=level)


def agent_grids(judge: JudgeReport, *, level: float) -> Layouts:
    """One row per dimension and agent."""
    rows = [(judge, m) for m in judge.agents]
    names = {"dimension": _dimension, "agent": _agent}
    return _layouts(rows, names, level=level, breaks_on=_dimension)


def member_grids(members: Sequence[JudgeReport], *, level: float) -> Layouts:
    """One row per member and dimension over all agents."""
    rows = [(judge, m) for judge in members for m in judge.dimensions]
    names = {"judge": _judge, "dimension": _dimension}
    return _layouts(rows, names, level=level, breaks_on=_judge)


def judge_grids(judges: Sequence[JudgeReport], *, level: float) -> Layouts:
    """One row per judge, dimension and agent; the row over all agents comes first."""
    rows: list[Row] = []
    for judge in judges:
        for m in judge.dimensions:
            rows.append((judge, m))
            rows += [(judge, a) for a in judge.agents if a.dimension == m.dimension]
    names = {"judge": _judge, "dimension": _dimension, "agent": _agent}
    return _layouts(rows, names, level=level, breaks_on=_judge)


def _judge(row: Row) -> str:
    return row[0].judge


def _dimension(row: Row) -> str:
    return row[1].dimension


def _agent(row: Row) -> str:
    return row[1].agent or "all"


def _layouts(
    rows: Sequence[Row],
    names: dict[str, Callable[[Row], str]],
    *,
    level: float,
    breaks_on: Callable[[Row], str] | None = None,
) -> Layouts:
    keys = tuple(Column(name, folds=True) for name in names)
    counts = tuple(Column(name, right=True) for name in _COUNTS)
    undecided = tuple(Column(name, right=True) for name in (*_UNDECIDED, "coverage"))
    gate = Column("gate", folds=True)
    sections = _sections(rows, breaks_on)

    def named(row: Row) -> tuple[str, ...]:
        return tuple(read(row) for read in names.values())

    def grid(columns: tuple[Column, ...], cells: Callable[[Row], tuple[str, ...]]) -> Grid:
        made = tuple((*named(row), *cells(row)) for row in rows)
        return Grid((*keys, *columns), made, keys=len(keys), sections=sections)

    one_line = (Column(f"TPR [{level:.0%} Wilson]"), Column(f"TNR [{level:.0%} Wilson]"))
    two_lines = (Column(f"TPR\n[{level:.0%} Wilson]"), Column(f"TNR\n[{level:.0%} Wilson]"))
    wide = grid(
        (*counts, *one_line, *undecided, gate),
        lambda r: (*_counted(r[1]), *_rates(r[1], rate_short), *_left_out(r[1]), _gate(r[1])),
    )
    rates = grid((*one_line, gate), lambda r: (*_rates(r[1], rate_short), _gate(r[1])))
    tall = grid((*two_lines, gate), lambda r: (*_rates(r[1], rate_tall), _gate(r[1])))
    counted = grid((*counts, *undecided), lambda r: (*_counted(r[1]), *_left_out(r[1])))
    return (wide,), (rates, counted), (tall, counted)


def _sections(rows: Sequence[Row], breaks_on: Callable[[Row], str] | None) -> frozenset[int]:
    if breaks_on is None:
        return frozenset()
    return frozenset(i for i in range(1, len(rows)) if breaks_on(rows[i]) != breaks_on(rows[i - 1]))


def _counted(m: DimensionMetrics) -> tuple[str, ...]:
    return str(m.tp), str(m.fp), str(m.tn), str(m.fn)


def _left_out(m: DimensionMetrics) -> tuple[str, ...]:
    return str(m.n_abstained), str(m.n_errored), str(m.n_missing), rate_counts(m.coverage)


def _rates(m: DimensionMetrics, shown: Callable[[Rate], str]) -> tuple[str, ...]:
    return shown(m.tpr), shown(m.tnr)


def _gate(m: DimensionMetrics) -> str:
    return gate_words(m.gate.state)
