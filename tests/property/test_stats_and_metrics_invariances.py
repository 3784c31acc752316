"""What must hold for every table of counts."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.metrics import (
    ConfusionMatrix,
    broken_columns,
    concordance,
    count_pairs,
    first_position_rate,
    gate,
    self_enhancement,
)
from assay.metrics.gates import worst
from assay.stats import (
    clopper_pearson,
    fisher_one_sided,
    holm,
    lower_bound,
    upper_bound,
    wilson,
)

count = st.integers(0, 200)
matrices = st.builds(ConfusionMatrix, count, count, count, count, count, count)
levels = st.floats(0.01, 0.999)
# Away from n and 0 of huge n, where neighbouring bounds differ by less than rounding.
proportions = st.integers(1, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
choices = st.sampled_from(["A", "B", "tie", None])


def swapped(m: ConfusionMatrix) -> ConfusionMatrix:
    """The same answers with Pass and Fail exchanged, people's and the judge's."""
    return ConfusionMatrix(
        tp=m.tn,
        tn=m.tp,
        fp=m.fn,
        fn=m.fp,
        undecided_pass=m.undecided_fail,
        undecided_fail=m.undecided_pass,
    )


@given(matrices)
def test_swapping_pass_and_fail_exchanges_tpr_and_tnr(m):
    s = swapped(m)
    for one, other in (
        (m.tpr(), s.tnr()),
        (m.tnr(), s.tpr()),
        (m.conservative_tpr(), s.conservative_tnr()),
    ):
        assert (one.value, one.low, one.high) == (other.value, other.low, other.high)
    assert m.balanced_accuracy().value == s.balanced_accuracy().value
    assert m.kappa().value == pytest.approx(s.kappa().value)
    assert gate(m).state == gate(s).state
    assert (gate(m).needs_pass, gate(m).tpr_lower) == (gate(s).needs_fail, gate(s).tnr_lower)
    assert len(broken_columns(m, {})) == len(broken_columns(s, {}))


@given(matrices, st.integers(2, 5))
def test_duplicating_every_item_keeps_the_rates_and_narrows_the_intervals(m, times):
    more = sum([m] * times, ConfusionMatrix())
    for one, other in (
        (m.tpr(), more.tpr()),
        (m.tnr(), more.tnr()),
        (m.precision(), more.precision()),
        (m.coverage(), more.coverage()),
    ):
        assert other.value == pytest.approx(one.value)
        assert one.undefined == other.undefined or one.value is None
        if one.value is not None:
            assert (other.high or 0) - (other.low or 0) < (one.high or 0) - (one.low or 0)
    assert more.kappa().value == pytest.approx(m.kappa().value)


@given(matrices, matrices, matrices)
def test_adding_tables_is_adding_counts_in_any_order(a, b, c):
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)
    assert a + ConfusionMatrix() == a
    assert (a + b).decided == a.decided + b.decided
    assert (a + b).labelled == a.labelled + b.labelled


@given(matrices)
def test_a_conservative_rate_is_never_above_the_rate(m):
    for rate, conservative in (
        (m.tpr(), m.conservative_tpr()),
        (m.tnr(), m.conservative_tnr()),
    ):
        if rate.value is not None:
            assert conservative.value is not None
            assert conservative.value <= rate.value


@given(proportions, levels)
def test_an_interval_contains_its_estimate_and_lies_in_0_and_1(counts, level):
    x, n = counts
    for interval in (wilson(x, n, level=level), clopper_pearson(x, n, level=level)):
        assert 0 <= interval.low <= x / n <= interval.high <= 1


@given(proportions, levels)
def test_bounds_rise_with_successes(counts, level):
    x, n = counts
    if x == n:
        return
    assert lower_bound(x, n, level=level) < lower_bound(x + 1, n, level=level)
    assert upper_bound(x, n, level=level) < upper_bound(x + 1, n, level=level)
    assert wilson(x, n, level=level).low < wilson(x + 1, n, level=level).low


@given(proportions, levels)
def test_successes_and_failures_mirror_each_other(counts, level):
    x, n = counts
    assert upper_bound(x, n, level=level) == pytest.approx(
        1 - lower_bound(n - x, n, level=level), abs=1e-9
    )
    assert wilson(x, n, level=level).high == pytest.approx(
        1 - wilson(n - x, n, level=level).low, abs=1e-12
    )


@given(proportions, st.floats(0.5, 0.98))
def test_more_confidence_is_a_wider_interval(counts, level):
    x, n = counts
    for method in (wilson, clopper_pearson):
        narrow, wide = method(x, n, level=level), method(x, n, level=level + 0.01)
        assert wide.low <= narrow.low
        assert narrow.high <= wide.high


@given(matrices, st.sampled_from(["tp", "tn"]))
def test_one_more_right_verdict_never_worsens_the_gate(m, cell):
    better = m + ConfusionMatrix(**{cell: 1})
    states = [gate(m).state, gate(better).state]
    assert worst(states) == gate(m).state


@given(st.lists(st.tuples(choices, choices), max_size=30), st.randoms(use_true_random=False))
def test_the_order_of_pairs_plays_no_part(pairs, rng: random.Random):
    shuffled = list(pairs)
    rng.shuffle(shuffled)
    assert count_pairs(shuffled) == count_pairs(pairs)


@given(st.lists(st.tuples(choices, choices), max_size=30))
def test_exchanging_the_candidates_names_changes_neither_concordance_nor_position(pairs):
    other = {"A": "B", "B": "A", "tie": "tie", None: None}
    # What was shown first as A is now shown first as B: the two orders change places.
    renamed = [(other[ba], other[ab]) for ab, ba in pairs]
    one, two = count_pairs(pairs), count_pairs(renamed)
    assert concordance(one) == concordance(two)
    assert first_position_rate(one) == first_position_rate(two)


agents = st.dictionaries(st.sampled_from("abcde"), matrices, max_size=5)


@given(agents, st.frozensets(st.sampled_from("abcde")), st.randoms(use_true_random=False))
def test_the_order_of_agents_plays_no_part(by_agent, own, rng: random.Random):
    names = list(by_agent)
    rng.shuffle(names)
    again = {name: by_agent[name] for name in names}
    overall = sum(by_agent.values(), ConfusionMatrix())
    assert set(broken_columns(overall, by_agent)) == set(broken_columns(overall, again))
    for one, two in zip(self_enhancement(by_agent, own), self_enhancement(again, own), strict=True):
        assert one.delta == pytest.approx(two.delta)
        assert one.p_value == two.p_value


@given(count, count, count, count)
def test_a_p_value_is_a_probability(a, b, c, d):
    p = fisher_one_sided(a, a + b + 1, c, c + d + 1)
    assert 0 <= p <= 1


@given(st.lists(st.floats(0, 1), max_size=12))
def test_adjusting_never_lowers_a_p_value_and_keeps_the_order(p_values):
    adjusted = holm(p_values)
    assert all(p <= q <= 1 for p, q in zip(p_values, adjusted, strict=True))
    pairs = sorted(zip(p_values, adjusted, strict=True))
    assert [q for _, q in pairs] == sorted(q for _, q in pairs)
