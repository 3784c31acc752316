from __future__ import annotations

import math

import pytest

from assay.errors import InputError
from assay.stats import Interval, clopper_pearson, lower_bound, upper_bound, wilson

Z = 1.959963984540054  # 97.5% quantile of the standard normal law


def test_wilson_of_no_error_follows_its_closed_form():
    # At x = n the formula shrinks to n / (n + z^2): 24 / (24 + 3.8415) = 0.8620.
    assert wilson(24, 24).low == pytest.approx(24 / (24 + Z * Z), abs=1e-12)
    assert wilson(24, 24).low == pytest.approx(0.8620, abs=5e-5)
    assert wilson(24, 24).high == 1.0


def test_wilson_of_no_success_is_the_mirror_of_no_error():
    interval = wilson(0, 24)
    assert interval.low == 0.0
    assert interval.high == pytest.approx(Z * Z / (24 + Z * Z), abs=1e-12)


def test_wilson_of_19_in_20_by_hand():
    # p = .95, n = 20, z^2/n = .192073
    # centre = (.95 + .0960365) / 1.192073 = .877494
    # half is 1.959964 times the root of .95 * .05 / 20 + .192073 / 80 = .004775913,
    # over 1.192073: .113625
    interval = wilson(19, 20)
    assert interval.low == pytest.approx(0.763869, abs=2e-6)
    assert interval.high == pytest.approx(0.991119, abs=2e-6)


def test_an_interval_says_how_it_was_made():
    assert (wilson(1, 2).method, wilson(1, 2, level=0.9).level) == ("wilson", 0.9)
    assert (clopper_pearson(1, 2).method, clopper_pearson(1, 2, level=0.9).level) == (
        "clopper-pearson",
        0.9,
    )


def test_lower_bound_without_error_is_a_root_of_alpha():
    # x = n: L solves L^n = .05. At 14: .05^(1/14) = e^(-2.995732/14) = .80736.
    assert lower_bound(14, 14) == pytest.approx(math.exp(math.log(0.05) / 14), abs=1e-12)
    assert lower_bound(14, 14) == pytest.approx(0.80736, abs=5e-6)


def test_upper_bound_without_success_is_the_mirror_of_it():
    assert upper_bound(0, 14) == pytest.approx(1 - 0.05 ** (1 / 14), abs=1e-12)


def test_one_of_two_by_hand():
    # L of 1 in 2: P(X >= 1) = 1 - (1 - L)^2 = .05 -> L = 1 - sqrt(.95) = .025321.
    # U of 1 in 2: P(X <= 1) = 1 - U^2 = .05 -> U = sqrt(.95) = .974679.
    assert lower_bound(1, 2) == pytest.approx(1 - math.sqrt(0.95), abs=1e-12)
    assert upper_bound(1, 2) == pytest.approx(math.sqrt(0.95), abs=1e-12)


def test_bounds_at_the_ends_are_exactly_0_and_1():
    assert lower_bound(0, 5) == 0.0
    assert upper_bound(5, 5) == 1.0


def test_two_sided_clopper_pearson_spends_half_its_error_on_each_side():
    # x = n = 10: low = .025^(1/10) = .69150.
    interval = clopper_pearson(10, 10)
    assert interval.low == pytest.approx(0.025**0.1, abs=1e-12)
    assert interval.high == 1.0
    assert interval.low == lower_bound(10, 10, level=0.975)


@pytest.mark.parametrize("function", [wilson, clopper_pearson, lower_bound, upper_bound])
@pytest.mark.parametrize(
    ("successes", "trials", "level", "said"),
    [
        (0, 0, 0.95, "at least 1 trial, got 0"),
        (0, -3, 0.95, "at least 1 trial, got -3"),
        (-1, 5, 0.95, r"in \[0, 5\], got -1"),
        (6, 5, 0.95, r"in \[0, 5\], got 6"),
        (1, 5, 0.0, "level must lie in"),
        (1, 5, 1.0, "level must lie in"),
        (1, 5, 95, "got 95"),
        (1, 5, math.nan, "got nan"),
    ],
)
def test_impossible_counts_and_levels_are_refused(function, successes, trials, level, said):
    with pytest.raises(InputError, match=said):
        function(successes, trials, level=level)


@pytest.mark.parametrize("level", [1e-9, 0.5, 1 - 1e-12, math.nextafter(1, 0)])
def test_extreme_levels_give_an_interval_around_the_rate(level):
    interval = wilson(3, 7, level=level)
    assert 0 <= interval.low <= 3 / 7 <= interval.high <= 1


def test_an_interval_cannot_be_changed():
    with pytest.raises(AttributeError):
        Interval(0.1, 0.2, 0.95, "x").low = 0.0  # type: ignore[misc]
