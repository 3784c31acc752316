"""Is any judge of a report kinder to its own family's work?

Every comparison of the report counts in the adjustment: with three judges, five
dimensions and two rates, thirty tests would else flag a fair judge by luck.
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.metrics import SelfEnhancement, self_enhancement
from assay.metrics.self_enhancement import MINIMUM_DELTA, SMALLEST_CLASS
from assay.protocol.alignment import Alignment
from assay.schema import SelfEnhancementFlag
from assay.stats import holm

ALPHA = 0.05
"""Chance, over all comparisons of a report, of a flag by luck."""
_ROUNDING = 1e-12
"""A gap of exactly five points must not be lost to binary fractions."""


def flag_own_family(
    counts: Alignment, *, judge_families: Mapping[str, str], agent_families: Mapping[str, str]
) -> tuple[SelfEnhancementFlag, ...]:
    """Compare each judge's rates on its own family's agents with those on the others.

    Args:
        counts: Counts per judge, dimension and agent. Pass is the positive class.
        judge_families: judge -> declared family; judges without one are not compared.
        agent_families: agent -> declared family.

    Returns:
        TPR and false-pass rate per judge and dimension, for judges that share a
        family with an agent.
    """
    found: list[tuple[str, str, SelfEnhancement]] = []
    for judge in counts.judges:
        family = judge_families.get(judge)
        own = frozenset(a for a in counts.agents if agent_families.get(a) == family)
        if family is None or not own:
            continue
        for dimension in counts.dimensions:
            by_agent = {
                agent: counts.by_agent[judge, dimension, agent].matrix
                for agent in counts.agents
                if (judge, dimension, agent) in counts.by_agent
            }
            found += [(judge, dimension, side) for side in self_enhancement(by_agent, own)]
    adjusted = iter(holm([c.p_value for _, _, c in found if c.p_value is not None]))
    return tuple(
        _flag(
            judge,
            dimension,
            judge_families[judge],
            c,
            next(adjusted) if c.p_value is not None else None,
        )
        for judge, dimension, c in found
    )


def _flag(
    judge: str, dimension: str, family: str, c: SelfEnhancement, p_adjusted: float | None
) -> SelfEnhancementFlag:
    undefined = c.undefined
    if undefined is None and min(c.own_trials, c.others_trials) < SMALLEST_CLASS:
        undefined = (
            f"{c.own_trials} own and {c.others_trials} other items of the class; "
            f"needs {SMALLEST_CLASS} of each"
        )
    if undefined is not None or c.delta is None or p_adjusted is None:
        state = "insufficient"
    elif c.delta < MINIMUM_DELTA - _ROUNDING:
        state = "clear"
    else:
        state = "flagged" if p_adjusted <= ALPHA else "watch"
    return SelfEnhancementFlag(
        judge=judge,
        dimension=dimension,
        family=family,
        side=c.side,
        own_successes=c.own_successes,
        own_trials=c.own_trials,
        others_successes=c.others_successes,
        others_trials=c.others_trials,
        delta=c.delta,
        p_adjusted=p_adjusted,
        state=state,
        undefined=undefined,
    )
