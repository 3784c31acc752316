from __future__ import annotations

import pytest

from assay.errors import InputError
from assay.stats import fisher_one_sided, holm


def test_fisher_by_counting_hands():
    # 3 of 3 against 0 of 3: of the C(6, 3) = 20 ways to deal three successes over
    # six places, one gives all to the first group. p = 1/20; mid-p counts half.
    assert fisher_one_sided(3, 3, 0, 3, mid_p=False) == pytest.approx(1 / 20)
    assert fisher_one_sided(3, 3, 0, 3) == pytest.approx(1 / 40)


def test_fisher_the_other_way_round_is_the_rest():
    # 0 of 3 against 3 of 3 is the least extreme table there is: p = 1, mid-p = 1 - 1/40.
    assert fisher_one_sided(0, 3, 3, 3, mid_p=False) == pytest.approx(1)
    assert fisher_one_sided(0, 3, 3, 3) == pytest.approx(39 / 40)


def test_the_lady_tasting_tea():
    # Fisher (1935): 3 of 4 cups right. P(3) + P(4) = (16 + 1) / 70; mid-p (8 + 1) / 70.
    assert fisher_one_sided(3, 4, 1, 4, mid_p=False) == pytest.approx(17 / 70)
    assert fisher_one_sided(3, 4, 1, 4) == pytest.approx(9 / 70)


def test_equal_groups_are_at_one_half():
    assert fisher_one_sided(5, 10, 5, 10) == pytest.approx(0.5)
    assert fisher_one_sided(10, 10, 20, 20) == pytest.approx(0.5)


@pytest.mark.parametrize("counts", [(1, 0, 1, 2), (3, 2, 1, 2), (1, 2, -1, 2), (0, 0, 0, 0)])
def test_impossible_counts_are_refused(counts):
    with pytest.raises(InputError, match="successes <= trials"):
        fisher_one_sided(*counts)


def test_holm_by_hand():
    # Sorted .01 .03 .04 by 3 2 1: .03 .06 .04, and never falling: .03 .06 .06.
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])


def test_holm_stops_at_one_and_keeps_ties_and_the_empty_list():
    assert holm([0.6, 0.5]) == [1.0, 1.0]
    assert holm([0.02, 0.02]) == pytest.approx([0.04, 0.04])
    assert holm([]) == []
    assert holm([0.2]) == [0.2]
