"""Do the labels at hand confirm that a judge is good enough?

A point estimate above the target says little at 20 items a class. The gate
asks whether the one-sided 95% Clopper-Pearson bound clears it, on conservative
counts (a non-verdict counts against the judge), and the worse of TPR and TNR
decides. Where the bound settles nothing, the point estimate gives a
provisional state and the gate says how many more labels would.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from assay.errors import InputError
from assay.metrics.confusion import ConfusionMatrix
from assay.stats import lower_bound, upper_bound

GateState = Literal[
    "confirmed_target",
    "confirmed_minimum",
    "provisional_target",
    "provisional_minimum",
    "below_minimum",
    "fails_minimum",
    "undefined",
]

_WORST_FIRST: tuple[GateState, ...] = (
    "undefined",
    "fails_minimum",
    "below_minimum",
    "provisional_minimum",
    "provisional_target",
    "confirmed_minimum",
    "confirmed_target",
)
_SEARCH_LIMIT = 5_000
"""Beyond this many labels of one class nobody will label; the answer is then None."""


@dataclass(frozen=True, slots=True)
class Gate:
    """Whether TPR and TNR clear the policy's bars, each with its one-sided bound."""

    state: GateState
    """The state of the worse side."""
    tpr_lower: float | None
    """One-sided lower bound of the conservative TPR; None when no item was passed by people."""
    tnr_lower: float | None
    """One-sided lower bound of the conservative TNR; None when no item was failed by people."""
    needs_pass: int | None
    """More human-Pass labels to confirm the minimum at this rate; None if no number would."""
    needs_fail: int | None
    """More human-Fail labels to confirm the minimum at this rate; None if no number would."""
    reason: str
    """One sentence: which side decided, the worse of the two, and what it needs."""


def labels_needed(successes: int, trials: int, *, bar: float, level: float = 0.95) -> int | None:
    """More labels of one class until the lower bound would clear the bar.

    Assumes that the rate seen so far goes on: at n labels, floor(rate * n) right.
    The bound saw-tooths in n, since errors come whole: one label more than the
    number given can fall short again by a hair.

    Args:
        successes: Right verdicts so far, in [0, trials].
        trials: Labels of this class so far; 0 means that nothing is known, and a
            judge without error is assumed.
        bar: The rate to confirm, in (0, 1).
        level: One-sided confidence, in (0, 1).

    Returns:
        0 if the bar is cleared already, None if the present rate never clears it
        within 5,000 labels.

    Raises:
        InputError: If a count is out of range, or bar or level is not in (0, 1).

    Example:
        >>> labels_needed(10, 10, bar=0.8)
        4
    """
    if not 0 < bar < 1:
        message = f"the bar to confirm must lie in (0, 1), got {bar}"
        raise InputError(message)
    if not 0 <= successes <= trials:
        message = f"successes must lie in [0, {trials}], got {successes}"
        raise InputError(message)
    if trials and lower_bound(successes, trials, level=level) >= bar:
        return 0
    right, of = (successes, trials) if trials else (1, 1)
    if right / of <= bar:
        return None
    for total in range(trials + 1, _SEARCH_LIMIT + 1):
        # Whole numbers throughout: 0.95 * 20 in binary fractions floors to 18.
        if lower_bound(right * total // of, total, level=level) >= bar:
            return total - trials
    return None


def gate(
    matrix: ConfusionMatrix, *, target: float = 0.90, minimum: float = 0.80, level: float = 0.95
) -> Gate:
    """Judge a confusion matrix against a target and a minimum for both TPR and TNR.

    Args:
        matrix: Counts; Pass is the positive class.
        target: Bar for `confirmed_target`, in (0, 1).
        minimum: Bar for `confirmed_minimum`, in (0, target].
        level: One-sided confidence of the bounds, in (0, 1).

    Returns:
        A Gate; `undefined` when one class has no label at all.

    Raises:
        InputError: If the bars are not 0 < minimum <= target < 1.

    References:
        Clopper and Pearson (1934), Biometrika 26, 404-413.
    """
    if not 0 < minimum <= target < 1:
        message = f"gate: need 0 < minimum <= target < 1, got {minimum} and {target}"
        raise InputError(message)
    sides = {
        "TPR": (matrix.tp, matrix.tp + matrix.fn + matrix.undecided_pass, "Pass"),
        "TNR": (matrix.tn, matrix.tn + matrix.fp + matrix.undecided_fail, "Fail"),
    }
    states: dict[str, GateState] = {}
    lowers: dict[str, float | None] = {}
    needs: dict[str, int | None] = {}
    for side, (right, trials, _) in sides.items():
        lowers[side] = lower_bound(right, trials, level=level) if trials else None
        needs[side] = labels_needed(right, trials, bar=minimum, level=level)
        states[side] = _state(right, trials, target=target, minimum=minimum, level=level)
    # Of two sides in the same state, the one with the lower bound decides.
    decisive = min(sides, key=lambda side: (_WORST_FIRST.index(states[side]), lowers[side] or 0))
    return Gate(
        state=states[decisive],
        tpr_lower=lowers["TPR"],
        tnr_lower=lowers["TNR"],
        needs_pass=needs["TPR"],
        needs_fail=needs["TNR"],
        reason=_reason(
            decisive,
            sides[decisive],
            states[decisive],
            needs=needs[decisive],
            target=target,
            minimum=minimum,
        ),
    )


def worst(states: Sequence[GateState]) -> GateState:
    """The state that decides when several gates must all hold; `undefined` for none."""
    for state in _WORST_FIRST:
        if state in states:
            return state
    return "undefined"


def _state(right: int, trials: int, *, target: float, minimum: float, level: float) -> GateState:
    if trials == 0:
        return "undefined"
    low, high = lower_bound(right, trials, level=level), upper_bound(right, trials, level=level)
    point = right / trials
    if low >= target:
        return "confirmed_target"
    if low >= minimum:
        return "confirmed_minimum"
    if high < minimum:
        return "fails_minimum"
    if point >= target:
        return "provisional_target"
    if point >= minimum:
        return "provisional_minimum"
    return "below_minimum"


def _reason(
    side: str,
    counts: tuple[int, int, str],
    state: GateState,
    *,
    needs: int | None,
    target: float,
    minimum: float,
) -> str:
    right, trials, label = counts
    if state == "undefined":
        return f"{side} is undefined: no item with human label {label}"
    seen = f"{side} {right}/{trials}"
    if state == "confirmed_target":
        return f"{seen} decides; its lower bound clears {target:.2f}"
    if state == "confirmed_minimum":
        return f"{seen} decides; its lower bound clears {minimum:.2f}"
    if state == "fails_minimum":
        return f"{seen}: even the upper bound is below {minimum:.2f}"
    if needs is None:
        return f"{seen}: at this rate no number of labels confirms {minimum:.2f}"
    return (
        f"{seen}: needs {needs} more labels of class {label} at this rate to confirm {minimum:.2f}"
    )
