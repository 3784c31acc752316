from __future__ import annotations

import pytest

from assay.metrics import PairCounts, concordance, count_pairs, first_position_rate


def test_the_same_candidate_in_both_orders_is_concordant():
    counts = count_pairs([("A", "A"), ("B", "B"), ("tie", "tie")])
    # With A first, "A" is the first shown; with B first, "A" is the second.
    assert counts == PairCounts(concordant=3, discordant=0, first=2, second=2, undecided=0)
    assert concordance(counts).value == 1
    assert first_position_rate(counts).value == 0.5


def test_always_choosing_the_first_shown_is_never_concordant():
    counts = count_pairs([("A", "B")] * 4)
    assert counts == PairCounts(discordant=4, first=8)
    assert concordance(counts).value == 0
    assert first_position_rate(counts).value == 1


def test_always_choosing_the_second_shown_is_seen_too():
    assert first_position_rate(count_pairs([("B", "A")] * 4)).value == 0


def test_a_tie_in_one_order_only_is_discordant_and_no_choice_of_a_position():
    counts = count_pairs([("A", "tie")])
    assert counts == PairCounts(discordant=1, first=1)


def test_a_missing_order_leaves_the_pair_undecided_but_its_other_half_is_counted():
    counts = count_pairs([("A", None), (None, "A"), (None, None)])
    assert counts == PairCounts(undecided=3, first=1, second=1)
    assert concordance(counts).value is None
    assert concordance(counts).undefined == "no pair was decided in both orders"


def test_only_ties_say_nothing_about_position():
    counts = count_pairs([("tie", "tie")])
    assert concordance(counts).value == 1
    assert first_position_rate(counts).undefined == "no verdict chose a candidate"


def test_no_pairs_at_all():
    assert count_pairs([]) == PairCounts()


def test_rates_carry_their_n_and_level():
    counts = count_pairs([("A", "A")] * 47 + [("A", "B")] * 3)
    found = concordance(counts, level=0.9)
    assert (found.successes, found.trials, found.level) == (47, 50, 0.9)
    # z = 1.644854, z^2/n = .0541109; centre = (.94 + .0270555) / 1.0541109 = .917413;
    # half = 1.644854 * sqrt(.94 * .06 / 50 + .0541109 / 200) / 1.0541109 = .058355.
    assert found.low == pytest.approx(0.859058, abs=2e-6)
