"""Does a good overall figure hide a broken column?

Three ways it can: the judge never says one of the two words, it does worse
than its own negation, or one agent's work is judged far off the others'. An
average over agents shows none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from assay.metrics.confusion import ConfusionMatrix
from assay.stats import fisher_one_sided, holm

FAR_OFF = 0.15
"""A gap below 15 points is not called far off, however certain it is."""
ALPHA = 0.05
"""Chance, over all agents and both rates of one column, of a warning by luck."""


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
    """
    return [*_never_predicted(overall), *_negation(overall), *_far_off(by_agent)]


def _never_predicted(m: ConfusionMatrix) -> list[ColumnWarning]:
    if m.decided == 0:
        return []
    found: list[ColumnWarning] = []
    said_fail, said_pass = m.tn + m.fn, m.tp + m.fp
    if said_fail == 0:
        text = f"never says Fail ({m.decided} decided, {m.fp} of them failed by people)"
        found.append(ColumnWarning("class_never_predicted", None, text))
    if said_pass == 0:
        text = f"never says Pass ({m.decided} decided, {m.fn} of them passed by people)"
        found.append(ColumnWarning("class_never_predicted", None, text))
    return found


def _negation(m: ConfusionMatrix) -> list[ColumnWarning]:
    tpr, tnr = m.tpr().value, m.tnr().value
    if tpr is None or tnr is None or tpr + tnr >= 1:
        return []
    text = f"worse than its own negation: TPR {tpr:.2f} + TNR {tnr:.2f} is below 1"
    return [ColumnWarning("worse_than_negation", None, text)]


def _far_off(by_agent: Mapping[str, ConfusionMatrix]) -> list[ColumnWarning]:
    tests: list[tuple[float, str, str]] = []
    for agent, here in by_agent.items():
        rest = sum((m for a, m in by_agent.items() if a != agent), ConfusionMatrix())
        for name, right, wrong in (("TPR", "tp", "fn"), ("TNR", "tn", "fp")):
            x, n = getattr(here, right), getattr(here, right) + getattr(here, wrong)
            y, k = getattr(rest, right), getattr(rest, right) + getattr(rest, wrong)
            if n == 0 or k == 0:
                continue
            gap = x / n - y / k
            p = min(1.0, 2 * min(fisher_one_sided(x, n, y, k), fisher_one_sided(y, k, x, n)))
            text = f"{name} {x}/{n} ({x / n:.2f}) against {y}/{k} ({y / k:.2f}) on the other agents"
            tests.append((p if abs(gap) >= FAR_OFF else 1.0, agent, text))
    adjusted = holm([p for p, _, _ in tests])
    return [
        ColumnWarning("agent_far_off", agent, f"{agent} far off: {text}")
        for (_, agent, text), p in zip(tests, adjusted, strict=True)
        if p <= ALPHA
    ]
