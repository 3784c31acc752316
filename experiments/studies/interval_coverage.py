"""Do the intervals and bounds of `assay.stats` cover what they promise at the sizes people label?

    python -m experiments.studies.interval_coverage [--out FOLDER] [--small]

The answer is exact, not simulated: for a true proportion p and n trials, coverage
is the sum of the binomial probabilities of those outcomes whose interval holds p.
Wilson is shown beside rates, so its mean should be near the nominal level.
Clopper-Pearson decides gates, so it must never fall below it.

Writes coverage.png and prints the conclusion.

References:
    Brown, Cai and DasGupta (2001), Statistical Science 16, 101-133, sections 3 and 4.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.stats import clopper_pearson, lower_bound, upper_bound, wilson

Floats = NDArray[np.float64]
Ends = Callable[[int, int, float], tuple[float, float]]


def _wilson(x: int, n: int, level: float) -> tuple[float, float]:
    interval = wilson(x, n, level=level)
    return interval.low, interval.high


def _clopper_pearson(x: int, n: int, level: float) -> tuple[float, float]:
    interval = clopper_pearson(x, n, level=level)
    return interval.low, interval.high


METHODS: dict[str, Ends] = {
    "Wilson": _wilson,
    "Clopper-Pearson": _clopper_pearson,
    "lower bound": lambda x, n, level: (lower_bound(x, n, level=level), 1.0),
    "upper bound": lambda x, n, level: (0.0, upper_bound(x, n, level=level)),
}
"""Name -> both ends of the region that is said to hold the truth."""


@dataclass(frozen=True)
class Coverage:
    """Exact coverage of one method at one level."""

    method: str
    level: float
    sizes: tuple[int, ...]
    truths: Floats
    """Shape (n_truths,): true proportions, in (0, 1)."""
    values: Floats
    """Shape (n_sizes, n_truths): probability that the interval holds the truth."""

    @property
    def mean(self) -> float:
        """Mean over sizes and truths."""
        return float(self.values.mean())

    @property
    def lowest(self) -> float:
        """Lowest over sizes and truths."""
        return float(self.values.min())

    def where_lowest(self) -> tuple[int, float]:
        """Size and true proportion of the lowest coverage."""
        row, column = np.unravel_index(int(self.values.argmin()), self.values.shape)
        return self.sizes[int(row)], float(self.truths[int(column)])


def coverage(method: str, *, sizes: Sequence[int], truths: Floats, level: float = 0.95) -> Coverage:
    """Exact coverage by enumeration of all outcomes.

    Args:
        method: A key of METHODS.
        sizes: Numbers of trials, each at least 1.
        truths: Shape (n_truths,): true proportions, in (0, 1).
        level: Coverage asked for.

    Returns:
        The coverage of each size at each truth.
    """
    from scipy.stats import binom

    rows: list[Floats] = []
    for n in sizes:
        ends = np.array([METHODS[method](x, n, level) for x in range(n + 1)])
        # Shapes: outcomes down, truths across.
        held = (ends[:, :1] <= truths) & (truths <= ends[:, 1:])
        chance = binom.pmf(np.arange(n + 1)[:, None], n, truths)
        rows.append(np.asarray((held * chance).sum(axis=0), dtype=np.float64))
    return Coverage(method, level, tuple(sizes), truths, np.array(rows))


def draw(found: Sequence[Coverage], path: Path) -> None:
    """Mean and lowest coverage over the truths against the number of labels of a class."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    # Wong (2011), Nature Methods 8, 441: told apart by colour-blind readers.
    colours = ("#0072B2", "#D55E00", "#009E73")
    figure = Figure(figsize=(7.0, 4.2), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    # On a symmetric grid the two one-sided bounds are mirror images: one line for both.
    shown = [one for one in found if one.method != "upper bound"]
    for one, colour in zip(shown, colours, strict=True):
        name = "one-sided bounds" if one.method == "lower bound" else one.method
        axes.plot(one.sizes, one.values.mean(axis=1), color=colour, label=f"{name}, mean")
        axes.plot(one.sizes, one.values.min(axis=1), color=colour, linestyle=":", linewidth=1)
    axes.axhline(found[0].level, color="black", linewidth=0.8)
    axes.set_xlabel("labels of one class (n)")
    axes.set_ylabel("samples whose interval holds the truth (share)")
    axes.set_title(
        f"Exact coverage at {found[0].level:.0%}; dotted: worst true rate of "
        f"{len(found[0].truths)} between {found[0].truths[0]:.3f} and {found[0].truths[-1]:.3f}",
        fontsize=9,
    )
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=150)


def conclude(found: Sequence[Coverage]) -> list[str]:
    """One sentence per method, and one that says which is used for what."""
    lines: list[str] = []
    for one in found:
        n, truth = one.where_lowest()
        lines.append(
            f"{one.method}: mean {one.mean:.3f}, lowest {one.lowest:.3f} at n = {n}, "
            f"true rate {truth:.3f} (nominal {one.level:.2f})."
        )
    by_name = {one.method: one for one in found}
    kept = all(one.lowest >= one.level - 1e-9 for name, one in by_name.items() if name != "Wilson")
    word = "never falls" if kept else "FALLS"
    lines.append(
        f"Conclusion: Clopper-Pearson {word} below its level and may decide gates; Wilson is close "
        "to its level on average, dips near 0 and 1, and is for reading."
    )
    return lines


def study(*, small: bool) -> list[Coverage]:
    """Coverage of all methods over the grid of the study."""
    sizes = (5, 10, 20, 50) if small else tuple(range(5, 201))
    truths = np.linspace(0.005, 0.995, 100 if small else 991)
    return [coverage(name, sizes=sizes, truths=truths) for name in METHODS]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("studies-out"))
    parser.add_argument("--small", action="store_true", help="a few sizes, in a second")
    options = parser.parse_args(argv)
    options.out.mkdir(parents=True, exist_ok=True)
    found = study(small=options.small)
    path = options.out / "coverage.png"
    draw(found, path)
    print("\n".join(conclude(found)))
    print(f"Figure: {path}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
