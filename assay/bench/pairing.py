"""Pairs of sessions on the same task by different agents; the better work wins."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from assay.schema import PairLabel, Session

if TYPE_CHECKING:
    import numpy as np


def make_pairs(
    sessions: Sequence[Session], qualities: Sequence[float], count: int, rng: np.random.Generator
) -> tuple[PairLabel, ...]:
    """Pairs with a known winner.

    Args:
        sessions: All sessions.
        qualities: Weighted quality of each, in [0, 1]; equal ones make a tie.
        count: Pairs wanted.
        rng: Chooses the pairs and who is A.

    Returns:
        Up to `count` pairs, no two of the same sessions.
    """
    by_task: dict[str, list[int]] = defaultdict(list)
    for index, session in enumerate(sessions):
        by_task[session.task_id].append(index)
    candidates = [
        (i, j)
        for members in by_task.values()
        # Large sets have more pairs than anyone needs: neighbours suffice.
        for place, i in enumerate(members)
        for j in members[place + 1 : place + 8]
        if sessions[i].agent != sessions[j].agent
    ]
    chosen = rng.permutation(len(candidates))[:count]
    width = max(3, len(str(count)))
    pairs: list[PairLabel] = []
    for number, place in enumerate(chosen, start=1):
        i, j = candidates[place]
        a, b = (i, j) if rng.random() < 0.5 else (j, i)
        pairs.append(
            PairLabel(
                pair_id=f"p{number:0{width}d}",
                session_a=sessions[a].session_id,
                session_b=sessions[b].session_id,
                agent_a=sessions[a].agent,
                agent_b=sessions[b].agent,
                winner=_winner(qualities[a], qualities[b]),
                confidence=1.0,
                notes=f"weighted quality {qualities[a]:.2f} against {qualities[b]:.2f}",
                synthetic=True,
            )
        )
    return tuple(pairs)


def _winner(a: float, b: float) -> Literal["A", "B", "tie"]:
    if abs(a - b) < 1e-9:
        return "tie"
    return "A" if a > b else "B"
