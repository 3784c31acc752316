"""Figures of one report: the matrices here, the rates and agents beside.

Every figure names its axes in words, draws the interval and gives n. A plot that
fails costs a warning, never the run.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from assay.metrics import Rate
from assay.reporting.drawing import (
    AGREE,
    AGREE_EDGE,
    EMPTY,
    EMPTY_EDGE,
    INK,
    LENIENT,
    LENIENT_EDGE,
    STRICT,
    STRICT_EDGE,
    blank,
    drawable,
    headed,
    save,
)
from assay.reporting.numbers import rate_counts, rate_interval, rate_value
from assay.reporting.rate_figures import agents_png, rates_png
from assay.reporting.words import named
from assay.schema import DimensionMetrics, ValidationReport

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_DIMENSIONS = 12
"""Beyond this the figure is no longer read; the page has every matrix."""


def try_figures(report: ValidationReport, folder: Path) -> list[str]:
    """Draw confusion.png, rates.png and agents.png; a failure is told, not raised.

    Args:
        report: Any report.
        folder: Existing folder.

    Returns:
        One warning per figure that could not be drawn.
    """
    figures: dict[str, Callable[[ValidationReport, Path], None]] = {
        "confusion.png": confusion_png,
        "rates.png": rates_png,
        "agents.png": agents_png,
    }
    warnings: list[str] = []
    for name, draw in figures.items():
        try:
            draw(report, folder / name)
        except Exception as error:  # noqa: BLE001 - whatever it is, the numbers are unharmed
            warnings.append(
                f"{name}: not drawn ({type(error).__name__}: {error}); the numbers are in "
                f"report.html and report.json."
            )
    return warnings


def confusion_png(report: ValidationReport, path: Path) -> None:
    """The headline judge's 2x2 matrices, one small multiple per dimension.

    Args:
        report: Any report. Rows are people, columns the judge; Pass comes first.
        path: PNG file to write.
    """
    shown = report.headline.dimensions[:_MOST_DIMENSIONS]
    columns = min(3, len(shown))
    rows = math.ceil(len(shown) / columns)
    figure = blank(max(6.0, 4.3 * columns + 0.3), 3.75 * rows + 0.75)
    left_out = len(report.headline.dimensions) - len(shown)
    for place, metrics in enumerate(shown):
        axes = figure.add_subplot(rows, columns, place + 1)
        _draw_matrix(axes, metrics)
    figure.subplots_adjust(
        left=0.7 / figure.get_figwidth(),
        right=1 - 0.15 / figure.get_figwidth(),
        bottom=0.75 / figure.get_figheight(),
        top=1 - 1.15 / figure.get_figheight(),
        wspace=0.24,
        hspace=0.62,
    )
    more = f" ({left_out} more in confusion.html)" if left_out else ""
    headed(figure, report, f"{named(report.headline)} against people{more}")
    save(figure, path)


def _draw_matrix(axes: Axes, m: DimensionMetrics) -> None:
    from matplotlib.patches import Rectangle

    lost_pass = m.conservative_tpr.trials - m.tpr.trials
    lost_fail = m.conservative_tnr.trials - m.tnr.trials
    cells = (
        (0, 0, m.tp, "true pass", AGREE, AGREE_EDGE),
        (1, 0, m.fn, "false fail\n(too strict)", STRICT, STRICT_EDGE),
        (0, 1, m.fp, "false pass\n(too lenient)", LENIENT, LENIENT_EDGE),
        (1, 1, m.tn, "true fail", AGREE, AGREE_EDGE),
        (2, 0, lost_pass, "no verdict", EMPTY, EMPTY_EDGE),
        (2, 1, lost_fail, "no verdict", EMPTY, EMPTY_EDGE),
    )
    for x, y, count, words, face, edge in cells:
        line = "--" if face == EMPTY else "-"
        box = Rectangle((x - 0.47, y - 0.46), 0.94, 0.92, facecolor=face, edgecolor=edge, ls=line)
        axes.add_patch(box)
        axes.text(x, y - 0.16, str(count), ha="center", va="center", fontsize=17, weight="bold")
        axes.text(x, y + 0.22, words, ha="center", va="center", fontsize=8.5, color=INK)
    axes.set_xlim(-0.5, 2.5)
    axes.set_ylim(1.5, -0.5)
    axes.set_xticks([0, 1, 2], ["judge\nPass", "judge\nFail", "judge without\nverdict"])
    axes.set_yticks([0, 1], ["human\nPass", "human\nFail"])
    axes.xaxis.tick_top()
    axes.tick_params(length=0, labelsize=9)
    for edge in axes.spines.values():
        edge.set_visible(False)
    title = f"{drawable(m.dimension, limit=30)}, n={m.n}"
    axes.set_title(title, fontsize=11.5, weight="bold", loc="left", pad=8)
    axes.set_xlabel(f"{_told('TPR', m.tpr)}\n{_told('TNR', m.tnr)}", fontsize=9, loc="left")


def _told(side: str, rate: Rate) -> str:
    if rate.value is None:
        return f"{side} undefined: {drawable(rate.undefined or '', limit=52)}"
    return f"{side} {rate_counts(rate)} = {rate_value(rate)} {rate_interval(rate)}"
