"""Does a good overall figure hide a broken column?

Three ways it can: the judge never says one of the two words, it does worse
than its own negation, or one agent's work is judged far off the others'. An
average over agents shows none of them.

The far-off test looks one way: an agent on whose work the judge is *worse* than
on the others'. Looked at both ways, one agent judged badly drags down "the
others" of every other agent, and the sound columns would be blamed as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from assay.metrics.confusion import ConfusionMatrix
from assay.stats import fisher_one_sided, holm

FAR_OFF = 0.15
"""A gap below 15 points is not called far off, however certain it is."""
_ROUNDING = 1e-12
"""A gap of exactly 15 points must not be lost to binary fractions."""
ALPHA = 0.05
"""Chance, over all agents and both rates of one column, of a far-off warning by luck.

Measured for agents judged alike: below .05 for a judge right 70% of the time or
more, and .057 at worst for one that tosses a coin (mid-p makes no exact promise).
"""


@dataclass(frozen=True, slots=True)
class ColumnWarning:
    """One thing wrong with one judge on one dimension."""

    kind: Literal["class_never_predicted", "worse_than_negation", "agent_far_off"]
    agent: str | None
    """The agent concerned; None when it is the whole column."""
    message: str


def broken_columns(
    overall: ConfusionMatrix, by_agent: Mapping[str, ConfusionMatrix]
) -> list[ColumnWarning]:
    """Warnings about one judge on one dimension.

    Args:
        overall: Counts over all agents.
        by_agent: Counts per agent; an empty or one-entry mapping skips the gap test.

    Returns:
        Warnings, the gravest kind first; agents in the mapping's order.

    References:
        Lancaster (1961), JASA 56, 223-234, for mid-p. Holm (1979), Scandinavian
        Journal of Statistics 6, 65-70.
    """
    return [*_never_predicted(overall), *_negation(overall), *_far_off(by_agent)]


def _never_predicted(m: ConfusionMatrix) -> list[ColumnWarning]:
    # A judge that never says Fail where people never did has missed nothing.
    found: list[ColumnWarning] = []
    if m.fp and not m.tn and not m.fn:
        text = f"never says Fail ({m.decided} decided, {m.fp} of them failed by people)"
        found.append(ColumnWarning("class_never_predicted", None, text))
    if m.fn and not m.tp and not m.fp:
        text = f"never says Pass ({m.decided} decided, {m.fn} of them passed by people)"
        found.append(ColumnWarning("class_never_predicted", None, text))
    return found


def _negation(m: ConfusionMatrix) -> list[ColumnWarning]:
    # TPR + TNR < 1 in whole numbers; with an empty class both products are 0.
    if m.tp * m.tn >= m.fn * m.fp:
        return []
    tpr, tnr = m.tp / (m.tp + m.fn), m.tn / (m.tn + m.fp)
    text = f"worse than its own negation: TPR {tpr:.2f} + TNR {tnr:.2f} is below 1"
    return [ColumnWarning("worse_than_negation", None, text)]


def _far_off(by_agent: Mapping[str, ConfusionMatrix]) -> list[ColumnWarning]:
    tests: list[tuple[float, str, str]] = []
    for agent, here in by_agent.items():
        rest = sum((m for a, m in by_agent.items() if a != agent), ConfusionMatrix())
        for name, (x, n), (y, k) in (
            ("TPR", (here.tp, here.tp + here.fn), (rest.tp, rest.tp + rest.fn)),
            ("TNR", (here.tn, here.tn + here.fp), (rest.tn, rest.tn + rest.fp)),
        ):
            if n == 0 or k == 0:
                continue
            # A small gap keeps its place in the adjustment: the look was taken.
            wide = y / k - x / n >= FAR_OFF - _ROUNDING
            p = fisher_one_sided(y, k, x, n) if wide else 1.0
            text = f"{name} {x}/{n} ({x / n:.2f}) against {y}/{k} ({y / k:.2f}) on the other agents"
            tests.append((p, agent, text))
    adjusted = holm([p for p, _, _ in tests])
    return [
        ColumnWarning("agent_far_off", agent, f"{agent} far off: {text}")
        for (_, agent, text), p in zip(tests, adjusted, strict=True)
        if p <= ALPHA
    ]
