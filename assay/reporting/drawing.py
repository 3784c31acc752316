"""How figures are drawn: without pyplot, a display or global state, so that any thread may.

Names are drawn as they are: a dollar sign starts no formula, and a character
that the font lacks is shown by its code.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from assay.reporting.text import printable
from assay.schema import ValidationReport

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

# Okabe and Ito (2008), "Color universal design": told apart with any colour vision.
JUDGE_COLOURS = (
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000",
)  # fmt: skip
AGREE, LENIENT, STRICT, EMPTY = "#d6e8f7", "#fbe0cf", "#f3dcea", "#eceff2"
AGREE_EDGE, LENIENT_EDGE, STRICT_EDGE, EMPTY_EDGE = "#0072B2", "#B54A00", "#8F3F73", "#8a939c"
INK, SOFT = "#1b1f24", "#57606a"
_FONT = "DejaVu Sans"
"""Comes with matplotlib."""
_DOTS_PER_INCH = 150
_LETTERS_PER_INCH = 7.5
"""Of the bold title."""


def blank(width: float, height: float) -> Canvas:
    """An empty figure of this size in inches, ready to be drawn on and saved."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Canvas

    figure = Canvas(figsize=(width, height), dpi=_DOTS_PER_INCH, facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def headed(figure: Canvas, report: ValidationReport, title: str) -> None:
    """Title at the top left; for simulated verdicts it says so, and a watermark too.

    Args:
        figure: Drawn already.
        report: Tells whether its verdicts are simulated.
        title: Plain text.
    """
    width, height = figure.get_figwidth(), figure.get_figheight()
    said = f"SIMULATED: {title}" if report.simulated else title
    limit = int(width * _LETTERS_PER_INCH)
    figure.text(
        0.12 / width, 1 - 0.10 / height, drawable(said, limit=limit), fontsize=13,
        fontweight="bold", color=INK, ha="left", va="top",
    )  # fmt: skip
    if report.simulated:
        figure.text(
            0.5, 0.45, "SIMULATED", fontsize=min(70, 9 * width), color=INK, alpha=0.07,
            ha="center", va="center", rotation=min(20, 3 * height), fontweight="bold", zorder=10,
        )  # fmt: skip


def save(figure: Canvas, path: Path) -> None:
    """Write the figure as PNG; any folder above must exist."""
    figure.savefig(path, format="png", dpi=_DOTS_PER_INCH)


def drawable(text: str, *, limit: int = 60) -> str:
    """Text that matplotlib draws as it stands.

    Args:
        text: Anything.
        limit: Characters kept.

    Returns:
        Text without formula signs and without characters the font lacks.
    """
    known = _characters()
    whole = printable(text)
    short = whole if len(whole) <= limit else f"{whole[: limit - 3]}..."
    shown = (c if ord(c) in known else c.encode("unicode_escape").decode("ascii") for c in short)
    return "".join(shown).replace("$", r"\$")


@lru_cache(maxsize=1)
def _characters() -> frozenset[int]:
    from matplotlib.font_manager import findfont, get_font

    return frozenset(get_font(findfont(_FONT)).get_charmap())
