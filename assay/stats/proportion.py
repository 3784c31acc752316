"""How far can a proportion seen in n trials be from the true one?

Two intervals, for two uses. Wilson is shown beside every rate: it is close to
its nominal coverage on average and never leaves [0, 1]. The one-sided
Clopper-Pearson bound decides gates: it never promises more than it keeps.

References:
    Wilson (1927), JASA 22, 209-212. Clopper and Pearson (1934), Biometrika 26,
    404-413. Brown, Cai and DasGupta (2001), Statistical Science 16, 101-133.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from assay.errors import InputError


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval for a proportion, both ends in [0, 1]."""

    low: float
    high: float
    level: float
    """Coverage asked for, in (0, 1)."""
    method: str


def _check(successes: int, trials: int, level: float) -> None:
    if trials < 1:
        message = f"an interval needs at least 1 trial, got {trials}"
        raise InputError(message)
    if not 0 <= successes <= trials:
        message = f"successes must lie in [0, {trials}], got {successes}"
        raise InputError(message)
    if not 0.0 < level < 1.0:
        message = f"level must lie in (0, 1), got {level}"
        raise InputError(message)


def wilson(successes: int, trials: int, *, level: float = 0.95) -> Interval:
    """Wilson score interval for a proportion.

    Good at the small n of a test split, where the normal interval leaves [0, 1].

    Args:
        successes: Count in [0, trials].
        trials: Count, at least 1.
        level: Coverage asked for, in (0, 1).

    Returns:
        Interval with low <= successes / trials <= high.

    Raises:
        InputError: If a count is out of range or level is not in (0, 1).

    References:
        Wilson (1927), JASA 22, 209-212. Brown, Cai and DasGupta (2001).

    Example:
        >>> i = wilson(19, 20); f"{i.low:.2f} {i.high:.2f}"
        '0.76 0.99'
    """
    _check(successes, trials, level)
    z = -NormalDist().inv_cdf((1 - level) / 2)
    rate = successes / trials
    spread = z * z / trials
    centre = (rate + spread / 2) / (1 + spread)
    half = z * math.sqrt(rate * (1 - rate) / trials + spread / (4 * trials)) / (1 + spread)
    # The exact ends at 0 and n of n; rounding would leave 1e-17 in their place.
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == trials else min(1.0, centre + half)
    return Interval(low=low, high=high, level=level, method="wilson")


def clopper_pearson(successes: int, trials: int, *, level: float = 0.95) -> Interval:
    """Two-sided Clopper-Pearson ("exact") interval; coverage is never below level.

    Args:
        successes: Count in [0, trials].
        trials: Count, at least 1.
        level: Coverage asked for, in (0, 1).

    Returns:
        Interval whose ends are Beta quantiles.

    Raises:
        InputError: If a count is out of range or level is not in (0, 1).

    References:
        Clopper and Pearson (1934), Biometrika 26, 404-413.
    """
    _check(successes, trials, level)
    one_sided = 0.5 + level / 2
    return Interval(
        low=lower_bound(successes, trials, level=one_sided),
        high=upper_bound(successes, trials, level=one_sided),
        level=level,
        method="clopper-pearson",
    )


def lower_bound(successes: int, trials: int, *, level: float = 0.95) -> float:
    """One-sided Clopper-Pearson lower bound L: the truth is >= L with this confidence.

    Args:
        successes: Count in [0, trials].
        trials: Count, at least 1.
        level: One-sided confidence, in (0, 1).

    Returns:
        A proportion in [0, 1); 0 when successes is 0.

    Raises:
        InputError: If a count is out of range or level is not in (0, 1).

    Example:
        >>> f"{lower_bound(14, 14):.3f} {lower_bound(13, 13):.3f}"
        '0.807 0.794'
    """
    _check(successes, trials, level)
    if successes == 0:
        return 0.0
    from scipy.special import betaincinv

    return float(betaincinv(successes, trials - successes + 1, 1 - level))


def upper_bound(successes: int, trials: int, *, level: float = 0.95) -> float:
    """One-sided Clopper-Pearson upper bound U: the truth is <= U with this confidence.

    Args:
        successes: Count in [0, trials].
        trials: Count, at least 1.
        level: One-sided confidence, in (0, 1).

    Returns:
        A proportion in (0, 1]; 1 when successes equals trials.

    Raises:
        InputError: If a count is out of range or level is not in (0, 1).
    """
    _check(successes, trials, level)
    if successes == trials:
        return 1.0
    from scipy.special import betaincinv

    return float(betaincinv(successes + 1, trials - successes, level))
