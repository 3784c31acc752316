"""Does a judge prefer the same candidate whichever it is shown first?

`ab` is the verdict with A shown first, `ba` with B shown first, both already
translated to the candidates' names, so a judge is concordant when they are equal.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assay.metrics.confusion import Rate, rate


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Counts over pairs judged by one judge in both orders."""

    concordant: int = 0
    """Both orders decided and equal, ties included."""
    discordant: int = 0
    first: int = 0
    """Decided single-order verdicts that chose the candidate shown first."""
    second: int = 0
    undecided: int = 0
    """Pairs in which at least one order has no usable verdict."""


def count_pairs(verdicts: Iterable[tuple[str | None, str | None]]) -> PairCounts:
    """Count pairs of (ab, ba), each "A", "B", "tie" or None for no usable verdict."""
    concordant = discordant = first = second = undecided = 0
    for ab, ba in verdicts:
        first += (ab == "A") + (ba == "B")
        second += (ab == "B") + (ba == "A")
        if ab is None or ba is None:
            undecided += 1
        elif ab == ba:
            concordant += 1
        else:
            discordant += 1
    return PairCounts(concordant, discordant, first, second, undecided)


def concordance(counts: PairCounts, *, level: float = 0.95) -> Rate:
    """Share of pairs, decided in both orders, with the same choice in both."""
    both = counts.concordant + counts.discordant
    return rate(
        counts.concordant, both, undefined="no pair was decided in both orders", level=level
    )


def first_position_rate(counts: PairCounts, *, level: float = 0.95) -> Rate:
    """Share of decided non-tie verdicts for the candidate shown first; 0.5 is no preference."""
    return rate(
        counts.first,
        counts.first + counts.second,
        undefined="no verdict chose a candidate",
        level=level,
    )
