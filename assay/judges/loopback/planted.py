"""How good are the simulated judges? Here it is declared, to the last figure.

Pass is the positive class: TPR is the chance of Pass on work that deserves it,
TNR the chance of Fail on work that does not. The rates in `PLANTED` hold for the
plainest prompt (the verdict alone, no examples). What else a prompt does is added
to them, in points, and the sum is cut to [0.02, 0.98].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from assay.judges.loopback.draws import item_draw, uniform
from assay.judges.reply_shapes import Shape

Winner = Literal["FIRST", "SECOND", "TIE"]

LOWEST, HIGHEST = 0.02, 0.98
SAME_MERIT = 1e-9
"""Two sums of the same weights may differ by this much in floating point."""


@dataclass(frozen=True)
class PlantedJudge:
    """One simulated model.

    Attributes:
        family: Model family, compared with the agents' families.
        rates: dimension -> (TPR, TNR) under the plainest prompt.
        own_family: Added to (TPR, TNR) on work of agents of its own family.
        pair_accuracy: Chance to prefer the better of two when it looks at merit.
        first_preference: Share of pairs in which it takes whichever candidate comes
            first, in both orders; concordance is expected to be 1 minus this.
    """

    family: str
    rates: Mapping[str, tuple[float, float]]
    own_family: tuple[float, float]
    pair_accuracy: float
    first_preference: float


@dataclass(frozen=True)
class PromptFeatures:
    """What in a prompt changes how a simulated judge errs.

    Attributes:
        reply: Shape of the reply that was asked for.
        anchors: Labelled examples were shown.
        strict: The prompt puts the burden of proof on the work.
    """

    reply: Shape = "verdict_only"
    anchors: bool = False
    strict: bool = False


PLANTED: Mapping[str, PlantedJudge] = MappingProxyType(
    {
        # The best of the three, without favour for its own.
        "sim-atlas-1": PlantedJudge(
            family="atlas",
            rates={
                "correctness": (0.94, 0.75),
                "verification": (0.95, 0.77),
                "completeness": (0.94, 0.79),
                "code_quality": (0.93, 0.73),
                "minimal_diff": (0.95, 0.74),
            },
            own_family=(0.0, 0.0),
            pair_accuracy=0.90,
            first_preference=0.05,
        ),
        # Lenient, and most of all with its own family's failures.
        "sim-borealis-1": PlantedJudge(
            family="borealis",
            rates={
                "correctness": (0.93, 0.70),
                "verification": (0.94, 0.70),
                "completeness": (0.93, 0.73),
                "code_quality": (0.92, 0.66),
                "minimal_diff": (0.93, 0.69),
            },
            own_family=(0.04, -0.24),
            pair_accuracy=0.86,
            first_preference=0.10,
        ),
        # Middling, and swayed by which candidate comes first.
        "sim-cinder-1": PlantedJudge(
            family="cinder",
            rates={
                "correctness": (0.92, 0.71),
                "verification": (0.92, 0.73),
                "completeness": (0.91, 0.74),
                "code_quality": (0.91, 0.69),
                "minimal_diff": (0.92, 0.70),
            },
            own_family=(0.0, 0.0),
            pair_accuracy=0.84,
            first_preference=0.30,
        ),
    }
)

REPLY_EFFECT: Mapping[Shape, tuple[float, float]] = MappingProxyType(
    {
        "verdict_only": (0.0, 0.0),
        "verdict_first": (-0.01, -0.03),
        "rationale_first": (0.01, 0.04),
        "scratchpad": (0.02, 0.11),
    }
)
"""Added to (TPR, TNR) for the shape of reply: reasons help when they come first."""
ANCHORS_EFFECT = (0.015, 0.09)
"""Added to (TPR, TNR) when labelled examples are shown."""
STRICT_EFFECT = (-0.10, 0.14)
"""Added to (TPR, TNR) when the burden of proof is on the work: harsher, not better."""


def planted_rates(
    model: str, dimension: str, agent_family: str, features: PromptFeatures
) -> tuple[float, float]:
    """(TPR, TNR) that a simulated judge has by construction.

    Args:
        model: Key of `PLANTED`.
        dimension: Key of its rates.
        agent_family: Family of the agent whose work is judged.
        features: Of the prompt.

    Returns:
        True positive and true negative rate, each in [0.02, 0.98].

    Raises:
        KeyError: If the model or dimension is not planted.

    Example:
        >>> planted_rates("sim-atlas-1", "correctness", "cinder", PromptFeatures())
        (0.94, 0.75)
    """
    judge = PLANTED[model]
    effects = [judge.rates[dimension], REPLY_EFFECT[features.reply]]
    if features.anchors:
        effects.append(ANCHORS_EFFECT)
    if features.strict:
        effects.append(STRICT_EFFECT)
    if agent_family == judge.family:
        effects.append(judge.own_family)
    tpr, tnr = (round(min(max(sum(e), LOWEST), HIGHEST), 6) for e in zip(*effects, strict=True))
    return tpr, tnr


def decide(
    seed: int,
    *,
    model: str,
    dimension: str,
    truth: bool,
    agent_family: str,
    features: PromptFeatures,
    item: bytes,
    prompt: bytes = b"",
) -> Literal["Pass", "Fail"]:
    """One planted verdict, the same for the same arguments on any machine.

    Args:
        seed: Of the simulation.
        model: Key of `PLANTED`.
        dimension: Key of its rates.
        truth: Whether the work deserves Pass.
        agent_family: Family of the agent whose work is judged.
        features: Of the prompt.
        item: Digest of the judged text.
        prompt: Digest of everything else that was sent.

    Returns:
        Pass with chance TPR where truth is Pass, with chance 1 - TNR where it is Fail.
    """
    tpr, tnr = planted_rates(model, dimension, agent_family, features)
    draw = item_draw(seed, model=model, dimension=dimension, item=item, prompt=prompt)
    return "Pass" if draw < (tpr if truth else 1.0 - tnr) else "Fail"


def prefer(
    seed: int,
    *,
    model: str,
    dimension: str,
    items: tuple[bytes, bytes],
    merits: tuple[float, float],
) -> Winner:
    """One planted choice between two candidates.

    Both draws depend on the pair and not on its order. So a judge that looks at
    merit names the same candidate in both orders, and one that takes the first
    candidate contradicts itself: concordance is 1 - `first_preference`.

    Args:
        seed: Of the simulation.
        model: Key of `PLANTED`.
        dimension: What is asked.
        items: Digests of the two texts, first candidate first.
        merits: How good they are, in the same order; higher is better.

    Returns:
        FIRST or SECOND, or TIE where merits are equal and position does not decide.
    """
    judge = PLANTED[model]
    pair = sorted(items)
    if uniform(seed, "position", model, dimension, *pair) < judge.first_preference:
        return "FIRST"
    if abs(merits[0] - merits[1]) < SAME_MERIT:
        return "TIE"
    right = uniform(seed, "merit", model, dimension, *pair) < judge.pair_accuracy
    return "FIRST" if (merits[0] > merits[1]) == right else "SECOND"
