"""Our intervals and tests beside independent software.

Sources: statsmodels 0.15 `proportion_confint` and `multipletests`; scipy 1.17
`binomtest`, `fisher_exact`; and plain enumeration with exact fractions.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy.stats import binomtest, fisher_exact

from assay.stats import clopper_pearson, fisher_one_sided, holm, lower_bound, upper_bound, wilson

COUNTS = [(x, n) for n in (1, 2, 5, 14, 20, 37, 50, 103) for x in sorted({0, 1, n // 3, n - 1, n})]
LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("function", "name"), [(wilson, "wilson"), (clopper_pearson, "beta")])
def test_two_sided_intervals_equal_those_of_statsmodels(function, name, level):
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    for x, n in COUNTS:
        low, high = proportion.proportion_confint(x, n, alpha=1 - level, method=name)
        ours = function(x, n, level=level)
        assert (ours.low, ours.high) == pytest.approx((low, high), abs=1e-9), (x, n)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("function", "name"), [(wilson, "wilson"), (clopper_pearson, "exact")])
def test_two_sided_intervals_equal_those_of_scipy(function, name, level):
    for x, n in COUNTS:
        theirs = binomtest(x, n).proportion_ci(level, method=name)
        ours = function(x, n, level=level)
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9), (x, n)


@pytest.mark.parametrize("level", LEVELS)
def test_one_sided_bounds_equal_those_of_scipy(level):
    for x, n in COUNTS:
        above = binomtest(x, n, alternative="greater").proportion_ci(level, method="exact")
        below = binomtest(x, n, alternative="less").proportion_ci(level, method="exact")
        assert lower_bound(x, n, level=level) == pytest.approx(above.low, abs=1e-9)
        assert upper_bound(x, n, level=level) == pytest.approx(below.high, abs=1e-9)


def tables(seed: int, count: int) -> list[tuple[int, int, int, int]]:
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        n, k = int(rng.integers(1, 60)), int(rng.integers(1, 60))
        found.append((int(rng.integers(0, n + 1)), n, int(rng.integers(0, k + 1)), k))
    return found


def test_fisher_without_mid_p_equals_that_of_scipy():
    for x, n, y, k in tables(1, 300):
        theirs = fisher_exact([[x, n - x], [y, k - y]], alternative="greater").pvalue
        assert fisher_one_sided(x, n, y, k, mid_p=False) == pytest.approx(
            theirs, rel=1e-8, abs=1e-12
        )


def enumerated_mid_p(x: int, n: int, y: int, k: int) -> Fraction:
    """Exact: tables with more successes in the first group, and half of the one seen."""
    total = x + y
    ways = {i: comb(n, i) * comb(k, total - i) for i in range(min(n, total) + 1)}
    above = sum(way for i, way in ways.items() if i > x)
    return (above + Fraction(ways[x], 2)) / comb(n + k, total)


def test_fisher_mid_p_equals_enumeration_in_exact_fractions():
    for x, n, y, k in tables(2, 300):
        exact = float(enumerated_mid_p(x, n, y, k))
        assert fisher_one_sided(x, n, y, k) == pytest.approx(exact, rel=1e-8, abs=1e-12)


def test_mid_p_of_both_directions_adds_up_to_one():
    for x, n, y, k in tables(3, 100):
        assert fisher_one_sided(x, n, y, k) + fisher_one_sided(y, k, x, n) == pytest.approx(1)


def test_holm_equals_that_of_statsmodels():
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    rng = np.random.default_rng(4)
    for size in (1, 2, 3, 10, 30):
        for _ in range(4):
            # Rounded, so that ties occur.
            p_values = [round(float(p), 2) for p in rng.random(size) ** 3]
            theirs = multitest.multipletests(p_values, method="holm")[1]
            assert holm(p_values) == pytest.approx(list(theirs))
