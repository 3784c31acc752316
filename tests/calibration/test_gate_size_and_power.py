"""How often does the gate say yes to a judge that is bad, and to one that is good? Exact."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.stats import binom

from assay.metrics import ConfusionMatrix, GateState, gate

CONFIRMED = {"confirmed_minimum", "confirmed_target"}


@cache
def states(n: int) -> tuple[GateState, ...]:
    """State of the gate at 0 to n of n right on TPR, with TNR beyond doubt."""
    sure = ConfusionMatrix(tn=100_000)
    return tuple(gate(sure + ConfusionMatrix(tp=x, fn=n - x)).state for x in range(n + 1))


def chance(n: int, truth: float, wanted: set[str]) -> float:
    """Probability of these states on one side, at n labels and a true rate."""
    says = np.array([state in wanted for state in states(n)])
    return float(binom.pmf(np.arange(n + 1), n, truth) @ says)


@pytest.mark.parametrize("n", [14, 15, 20, 22, 30, 40, 50, 80])
def test_a_judge_at_the_minimum_is_confirmed_at_most_5_percent_of_the_time(n):
    # Per side. Both sides must hold, so for TPR = TNR = .80 it is at most .05^2.
    assert chance(n, 0.80, CONFIRMED) <= 0.05
    assert chance(n, 0.7999, CONFIRMED) <= 0.05


@pytest.mark.parametrize("n", [29, 46, 61, 80])
def test_a_judge_at_the_target_is_confirmed_for_it_at_most_5_percent_of_the_time(n):
    assert chance(n, 0.90, {"confirmed_target"}) <= 0.05


@pytest.mark.parametrize("n", [5, 14, 20, 50, 80])
def test_a_judge_at_the_minimum_is_said_to_fail_it_at_most_5_percent_of_the_time(n):
    assert chance(n, 0.80, {"fails_minimum"}) <= 0.05


@pytest.mark.parametrize(
    ("n", "percent"),
    [
        # .95^20 = .3585, squared .1285.
        (20, 13),
        # One error: .95^22 + 22 * .05 * .95^21 = .3235 + .3746 = .6981, squared .4874.
        (22, 49),
        # Five errors: .9622, squared .9259.
        (50, 93),
    ],
)
def test_power_of_a_judge_whose_true_rates_are_95_percent(n, percent):
    both = chance(n, 0.95, CONFIRMED) ** 2
    assert round(100 * both) == percent


def test_both_sides_together_are_the_product_of_each():
    n, truth = 16, 0.95
    law = binom.pmf(np.arange(n + 1), n, truth)
    both = sum(
        law[x] * law[y]
        for x in range(n + 1)
        for y in range(n + 1)
        if gate(ConfusionMatrix(tp=x, fn=n - x, tn=y, fp=n - y)).state in CONFIRMED
    )
    assert both == pytest.approx(chance(n, truth, CONFIRMED) ** 2)


def test_20_labels_of_a_class_cannot_confirm_the_target_at_all():
    assert chance(20, 1.0, {"confirmed_target"}) == 0
    assert chance(28, 1.0, {"confirmed_target"}) == 0
    assert chance(29, 1.0, {"confirmed_target"}) == pytest.approx(1)


def test_the_point_reading_would_confirm_a_judge_at_the_minimum_far_too_often():
    # Why the bound and not the rate decides: "at least 80% right" is said of a judge
    # whose true rate is .70 in P(X >= 16 | 20, .70) = .2375 of all samples.
    says = np.arange(21) >= 16
    assert binom.pmf(np.arange(21), 20, 0.70) @ says == pytest.approx(0.2375, abs=5e-5)
    assert chance(20, 0.70, CONFIRMED) < 0.001
