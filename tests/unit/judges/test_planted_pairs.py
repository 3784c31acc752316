"""Planted choices between two candidates."""

from __future__ import annotations

import pytest
from scipy.stats import binom

from assay.judges.loopback.planted import PLANTED, prefer

N = 2000


def assert_binomial(successes, trials, rate):
    # Fails a right implementation once in a million.
    tail = min(binom.cdf(successes, trials, rate), binom.sf(successes - 1, trials, rate))
    assert tail * 2 > 1e-6, f"{successes} of {trials} at planted {rate}"


def both_orders(model, i, better="A", seed=0):
    """The candidate named with A first and with B first; A is the better one."""
    a, b = b"a%d" % i, b"b%d" % i
    merit = {a: 0.9 if better == "A" else 0.5, b: 0.5}

    def choose(first, second):
        winner = prefer(
            seed,
            model=model,
            dimension="overall",
            items=(first, second),
            merits=(merit[first], merit[second]),
        )
        return {"FIRST": first, "SECOND": second, "TIE": b"tie"}[winner]

    return choose(a, b), choose(b, a)


@pytest.mark.parametrize("model", PLANTED)
def test_concordance_is_one_minus_the_planted_preference_for_the_first(model):
    concordant = sum(len(set(both_orders(model, i))) == 1 for i in range(N))
    assert_binomial(concordant, N, 1 - PLANTED[model].first_preference)


@pytest.mark.parametrize("model", PLANTED)
def test_concordant_choices_are_right_at_the_planted_accuracy(model):
    choices = [both_orders(model, i) for i in range(N)]
    concordant = [(i, c[0]) for i, c in enumerate(choices) if c[0] == c[1]]
    right = sum(choice == b"a%d" % i for i, choice in concordant)
    assert_binomial(right, len(concordant), PLANTED[model].pair_accuracy)


def test_cinder_is_the_one_that_falls_for_position():
    preference = {m: j.first_preference for m, j in PLANTED.items()}
    assert max(preference, key=preference.get) == "sim-cinder-1"
    assert preference["sim-cinder-1"] >= 3 * preference["sim-borealis-1"] - 1e-9


def test_a_swayed_judge_names_the_first_candidate_in_both_orders():
    for i in range(N):
        ab, ba = both_orders("sim-cinder-1", i)
        if ab != ba:
            assert (ab, ba) == (b"a%d" % i, b"b%d" % i)


def test_equal_merits_are_a_tie_unless_position_decides():
    choices = [both_orders("sim-atlas-1", i, better="neither") for i in range(N)]
    ties = sum(c == (b"tie", b"tie") for c in choices)
    assert_binomial(ties, N, 1 - PLANTED["sim-atlas-1"].first_preference)
