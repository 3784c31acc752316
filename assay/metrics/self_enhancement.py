"""Is a judge kinder to its own family's work than to the others'?

The bare rule "own TPR more than 5 points above the others" fires on an unbiased
judge a quarter of the time at 13 positives per agent. So a flag needs the
5 points and evidence: a one-sided Fisher mid-p, Holm-adjusted over all the
tests of a report by the caller. Both sides are read, since a judge that passes
its own failures shows in the false-pass rate, not in TPR.

Pass is the positive class; delta is own minus the unweighted mean of the other
agents.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from assay.metrics.confusion import ConfusionMatrix
from assay.stats import fisher_one_sided

MINIMUM_DELTA = 0.05
"""The founding rule's five points."""
SMALLEST_CLASS = 5
"""Below this many own items of a class the answer is "insufficient"."""

Side = Literal["tpr", "false_pass_rate"]


@dataclass(frozen=True, slots=True)
class SelfEnhancement:
    """One judge, one dimension, one rate: own agents against the others."""

    side: Side
    own_successes: int
    own_trials: int
    others_successes: int
    others_trials: int
    delta: float | None
    """Own rate minus the unweighted mean of the other agents' rates; None when undefined."""
    p_value: float | None
    """One-sided Fisher mid-p that own is higher by chance; not adjusted."""
    undefined: str | None = None


def self_enhancement(
    by_agent: Mapping[str, ConfusionMatrix], own: frozenset[str]
) -> tuple[SelfEnhancement, SelfEnhancement]:
    """Own against others, on TPR and on the false-pass rate.

    Args:
        by_agent: Counts per agent of one judge on one dimension.
        own: Agents of the judge's declared family.

    Returns:
        The TPR comparison and the false-pass comparison, in that order.

    References:
        Zheng et al. (2023), arXiv 2306.05685, section 3.3, on self-enhancement.
        Lancaster (1961), JASA 56, 223-234, for mid-p.
    """
    return _compare(by_agent, own, "tpr"), _compare(by_agent, own, "false_pass_rate")


def _compare(
    by_agent: Mapping[str, ConfusionMatrix], own: frozenset[str], side: Side
) -> SelfEnhancement:
    def counts(m: ConfusionMatrix) -> tuple[int, int]:
        return (m.tp, m.tp + m.fn) if side == "tpr" else (m.fp, m.fp + m.tn)

    mine = [counts(m) for agent, m in by_agent.items() if agent in own]
    theirs = [counts(m) for agent, m in by_agent.items() if agent not in own]
    x, n = sum(c[0] for c in mine), sum(c[1] for c in mine)
    y, k = sum(c[0] for c in theirs), sum(c[1] for c in theirs)
    rates = [s / t for s, t in theirs if t]
    if not n or not rates:
        word = "passed" if side == "tpr" else "failed"
        where = "own agents' work" if not n else "other agents' work"
        return SelfEnhancement(side, x, n, y, k, None, None, f"no {where} that people {word}")
    delta = x / n - sum(rates) / len(rates)
    return SelfEnhancement(side, x, n, y, k, delta, fisher_one_sided(x, n, y, k))
