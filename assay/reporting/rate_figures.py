"""Figures of rates: with their intervals per judge, and per agent with their counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.metrics import Rate
from assay.reporting.drawing import (
    EMPTY,
    INK,
    JUDGE_COLOURS,
    SOFT,
    blank,
    drawable,
    headed,
    save,
)
from assay.reporting.numbers import number, rate_counts, rate_value
from assay.reporting.words import named
from assay.schema import DimensionMetrics, JudgeReport, ValidationReport

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

_LEGEND_COLUMNS = 6
_PALEST, _SPAN = 0.02, 0.52
"""Part of the blue scale that dark text stands on."""
_MOST_DIMENSIONS = 12
_MOST_JUDGES = 8
_MOST_ROWS = 40
"""Beyond these a figure is no longer read; the report page has everything."""


def rates_png(report: ValidationReport, path: Path) -> None:
    """TPR and TNR with their intervals, per dimension and judge, beside the two bars.

    Args:
        report: Any report.
        path: PNG file to write.
    """
    judges = report.judges[:_MOST_JUDGES]
    dimensions = [m.dimension for m in report.headline.dimensions][:_MOST_DIMENSIONS]
    figure = blank(11.5, 1.9 + len(dimensions) * max(0.55, 0.3 * len(judges) + 0.2))
    panels = figure.subplots(1, 2, sharey=True)
    sides: tuple[tuple[str, str, Callable[[DimensionMetrics], Rate]], ...] = (
        ("TPR", "share of human-Pass items that the judge passed (TPR)", lambda m: m.tpr),
        ("TNR", "share of human-Fail items that the judge failed (TNR)", lambda m: m.tnr),
    )
    colours = _colours(report.judges)
    for axes, (side, words, read) in zip(panels, sides, strict=True):
        for number_of_judge, judge in enumerate(judges):
            offset = _offset(number_of_judge, len(judges))
            for m in judge.dimensions:
                if m.dimension in dimensions:
                    y = dimensions.index(m.dimension) + offset
                    _draw_rate(axes, read(m), y, colours[judge.judge])
        _draw_bars(axes, report)
        axes.set_xlim(-0.02, 1.17)
        axes.set_xticks([0, 0.2, 0.4, 0.6, 0.8, 1.0])
        axes.set_ylim(len(dimensions) - 0.5, -0.5)
        axes.set_yticks(range(len(dimensions)), [drawable(d, limit=24) for d in dimensions])
        axes.set_xlabel(words, color=INK)
        axes.set_title(f"{side}, {report.level:.0%} Wilson interval, n at the right", fontsize=10)
        axes.grid(axis="x", color="#e4e7ea", linewidth=0.8)
        axes.set_axisbelow(True)
        axes.tick_params(length=0)
        for edge in ("top", "right", "left"):
            axes.spines[edge].set_visible(False)
    height = figure.get_figheight()
    legend_rows = math.ceil((len(judges) + 2) / _LEGEND_COLUMNS)
    figure.subplots_adjust(
        left=0.14,
        right=0.985,
        bottom=(0.72 + 0.22 * legend_rows) / height,
        top=1 - 0.72 / height,
        wspace=0.06,
    )
    _draw_legend(figure, report, judges, colours)
    hidden = len(report.judges) - len(judges)
    more = f" ({hidden} judges not shown)" if hidden else ""
    headed(
        figure,
        report,
        f"How often judge and people agree, n={report.labels.n_labels} labels{more}",
    )
    save(figure, path)


def agents_png(report: ValidationReport, path: Path) -> None:
    """Heat map of TPR and TNR: a row per judge and dimension, a column per agent, n in each cell.

    Args:
        report: Any report.
        path: PNG file to write.
    """
    rows = [(j, d.dimension) for j in report.judges for d in j.dimensions if j.agents]
    agents = list(dict.fromkeys(m.agent or "" for j in report.judges for m in j.agents))
    if not rows:
        figure = blank(8, 2)
        figure.text(0.5, 0.4, "The agents of these sessions are not known.", ha="center")
        headed(figure, report, "Rates per agent")
        save(figure, path)
        return
    left_out = max(0, len(rows) - _MOST_ROWS)
    rows = rows[:_MOST_ROWS]
    figure = blank(4.4 + 2.4 * max(2, len(agents)), 1.75 + 0.46 * len(rows))
    panels = figure.subplots(1, 2, sharey=True)
    several = len({j.judge for j, _ in rows}) > 1
    names = [f"{j.judge}, {d}" if several else d for j, d in rows]
    reads: tuple[Callable[[DimensionMetrics], Rate], ...] = (lambda m: m.tpr, lambda m: m.tnr)
    for axes, side, read in zip(panels, ("TPR", "TNR"), reads, strict=True):
        for y, (judge, dimension) in enumerate(rows):
            found = {m.agent: m for m in judge.agents if m.dimension == dimension}
            for x, agent in enumerate(agents):
                _draw_heat(axes, x, y, read(found[agent]) if agent in found else None)
        axes.set_xlim(-0.5, len(agents) - 0.5)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xticks(range(len(agents)), [drawable(a, limit=18) for a in agents])
        axes.set_yticks(range(len(rows)), [drawable(n, limit=34) for n in names])
        axes.set_xlabel("agent whose work was judged", color=INK)
        axes.set_title(f"{side}: rate, and right verdicts of n", fontsize=10)
        axes.tick_params(length=0)
        for edge in axes.spines.values():
            edge.set_visible(False)
    height = figure.get_figheight()
    left = (0.45 + 0.078 * max(len(drawable(n, limit=34)) for n in names)) / figure.get_figwidth()
    figure.subplots_adjust(
        left=left, right=0.99, bottom=0.62 / height, top=1 - 0.75 / height, wspace=0.03
    )
    more = f" ({left_out} rows not shown)" if left_out else ""
    what = "Rates per agent" if several else f"{named(rows[0][0])}: rates per agent"
    headed(figure, report, f"{what}, n={report.labels.n_labels} labels{more}")
    save(figure, path)


def _draw_rate(axes: Axes, rate: Rate, y: float, colour: str) -> None:
    if rate.value is None or rate.low is None or rate.high is None:
        why = drawable(rate.undefined or "", limit=56)
        axes.text(0.0, y, f"undefined: {why}", va="center", fontsize=8, color=colour)
        return
    axes.plot([rate.low, rate.high], [y, y], color=colour, linewidth=2, solid_capstyle="butt")
    axes.plot([rate.value], [y], marker="o", markersize=6, color=colour)
    axes.text(1.03, y, f"n={rate.trials}", va="center", fontsize=8, color=SOFT)


def _draw_bars(axes: Axes, report: ValidationReport) -> None:
    for bar, style in ((report.minimum, ":"), (report.target, "--")):
        axes.axvline(bar, color=INK, linestyle=style, linewidth=1.3, zorder=1)


def _draw_legend(
    figure: Canvas,
    report: ValidationReport,
    judges: Sequence[JudgeReport],
    colours: dict[str, str],
) -> None:
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], marker="o", color=colours[j.judge]) for j in judges]
    handles += [Line2D([], [], color=INK, linestyle=style) for style in (":", "--")]
    labels = [drawable(named(j), limit=30) for j in judges]
    labels += [f"minimum {number(report.minimum)}", f"target {number(report.target)}"]
    figure.legend(
        handles, labels, loc="lower left", bbox_to_anchor=(0.005, 0.0),
        ncols=min(_LEGEND_COLUMNS, len(labels)), frameon=False, fontsize=9,
    )  # fmt: skip


def _draw_heat(axes: Axes, x: int, y: int, rate: Rate | None) -> None:
    from matplotlib import colormaps
    from matplotlib.patches import Rectangle

    if rate is None or rate.value is None:
        box = Rectangle((x - 0.48, y - 0.46), 0.96, 0.92, facecolor=EMPTY, hatch="///", ec="white")
        axes.add_patch(box)
        words = "no item" if rate is None else "undefined, n=0"
        axes.text(x, y, words, ha="center", va="center", fontsize=8, color=INK)
        return
    # Cubed: rates of judges differ near 1, and the eye should see it.
    face = colormaps["Blues"](_PALEST + _SPAN * rate.value**3)
    axes.add_patch(Rectangle((x - 0.48, y - 0.46), 0.96, 0.92, facecolor=face))
    text = f"{rate_value(rate)}  {rate_counts(rate)}"
    axes.text(x, y, text, ha="center", va="center", fontsize=9, color=INK)


def _colours(judges: Sequence[JudgeReport]) -> dict[str, str]:
    """The same colour for the same judge in every figure of a report, whatever the order."""
    names = sorted({j.judge for j in judges})
    return {name: JUDGE_COLOURS[i % len(JUDGE_COLOURS)] for i, name in enumerate(names)}


def _offset(place: int, judges: int) -> float:
    return 0.0 if judges == 1 else 0.72 * (place / (judges - 1) - 0.5)
