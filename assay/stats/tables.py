"""Is a difference between two proportions more than chance, and how many were tried?

References:
    Fisher (1935), The Logic of Inductive Inference. Lancaster (1961), JASA 56,
    223-234 (mid-p). Holm (1979), Scandinavian Journal of Statistics 6, 65-70.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.errors import InputError


def fisher_one_sided(
    successes_a: int, trials_a: int, successes_b: int, trials_b: int, *, mid_p: bool = True
) -> float:
    """P-value that group a's rate is higher than group b's by chance alone.

    Args:
        successes_a: Count in [0, trials_a].
        trials_a: Count, at least 1.
        successes_b: Count in [0, trials_b].
        trials_b: Count, at least 1.
        mid_p: Count half of the observed table's probability, which removes
            most of the exact test's conservatism at small counts.

    Returns:
        A p-value in [0, 1] for the alternative rate a > rate b.

    Raises:
        InputError: If a count is out of range.

    References:
        Lancaster (1961), JASA 56, 223-234.
    """
    for successes, trials in ((successes_a, trials_a), (successes_b, trials_b)):
        if trials < 1 or not 0 <= successes <= trials:
            message = f"need 0 <= successes <= trials and trials >= 1, got {successes}/{trials}"
            raise InputError(message)
    from scipy.stats import hypergeom

    # Called on the law itself: freezing one per test takes longer than the test.
    law = (trials_a + trials_b, successes_a + successes_b, trials_a)
    here = float(hypergeom.pmf(successes_a, *law))
    above = float(hypergeom.sf(successes_a, *law))
    return min(1.0, above + (0.5 if mid_p else 1.0) * here)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjusted p-values, in the order given.

    Args:
        p_values: Values in [0, 1]; may be empty.

    Returns:
        Adjusted values in [0, 1]; comparing each with alpha keeps the chance of
        any false rejection at alpha.

    References:
        Holm (1979), Scandinavian Journal of Statistics 6, 65-70.

    Example:
        >>> holm([0.01, 0.04, 0.03])
        [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * len(p_values)
    running = 0.0
    for rank, index in enumerate(order):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = running
    return adjusted
