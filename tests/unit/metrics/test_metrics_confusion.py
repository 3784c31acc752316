from __future__ import annotations

import pytest

from assay.errors import InputError
from assay.metrics import ConfusionMatrix, rate

#            people Pass   people Fail
# judge Pass      tp 18         fp 4
# judge Fail      fn 2          tn 16
# no verdict         5             3
M = ConfusionMatrix(tp=18, fp=4, tn=16, fn=2, undecided_pass=5, undecided_fail=3)


def test_rates_are_read_off_the_right_cells():
    assert (M.tpr().successes, M.tpr().trials, M.tpr().value) == (18, 20, 0.9)
    assert (M.tnr().successes, M.tnr().trials, M.tnr().value) == (16, 20, 0.8)
    assert (M.precision().successes, M.precision().trials) == (18, 22)
    assert (M.coverage().successes, M.coverage().trials) == (40, 48)
    assert (M.decided, M.labelled) == (40, 48)


def test_conservative_rates_hold_every_non_verdict_against_the_judge():
    assert (M.conservative_tpr().successes, M.conservative_tpr().trials) == (18, 25)
    assert (M.conservative_tnr().successes, M.conservative_tnr().trials) == (16, 19 + 4)


def test_balanced_accuracy_is_the_mean_of_both_rates():
    assert M.balanced_accuracy().value == pytest.approx(0.85)


def test_kappa_by_hand():
    # Observed agreement 34/40 = .85. By chance: judge passes 22, people 20 of 40:
    # (22 * 20 + 18 * 20) / 1600 = .5. kappa = (.85 - .5) / (1 - .5) = .7.
    assert M.kappa().value == pytest.approx(0.7)


def test_kappa_of_agreement_no_better_than_chance_is_zero_and_of_reversal_minus_one():
    assert ConfusionMatrix(tp=5, fp=5, tn=5, fn=5).kappa().value == 0
    assert ConfusionMatrix(fp=7, fn=7).kappa().value == -1
    assert ConfusionMatrix(tp=7, tn=7).kappa().value == 1


def test_kappa_of_one_and_the_same_class_is_undefined_with_its_reason():
    for m in (ConfusionMatrix(tp=9), ConfusionMatrix(tn=9)):
        assert m.kappa().value is None
        assert m.kappa().undefined == "judge and people both used one and the same class only"


def test_kappa_is_defined_as_soon_as_one_item_differs_however_many_there_are():
    # Chance agreement is 1 - 1e-11 here; it is not 1. kappa = 0 as tn = 0, fp = 0 and
    # the judge's pass says nothing: (n - 1)/n observed, (n - 1)/n by chance.
    assert ConfusionMatrix(tp=10**11 - 1, fn=1).kappa().value == 0


def test_undefined_rates_say_why():
    empty = ConfusionMatrix()
    assert empty.tpr().undefined == "no item that people passed"
    assert empty.tnr().undefined == "no item that people failed"
    assert empty.precision().undefined == "the judge passed no labelled item"
    assert empty.coverage().undefined == "no labelled item"
    assert empty.kappa().undefined == "no decided item"
    assert empty.balanced_accuracy().undefined == "no item that people passed"
    for r in (empty.tpr(), empty.tnr(), empty.precision(), empty.coverage()):
        assert (r.value, r.low, r.high, r.trials) == (None, None, None, 0)


def test_a_class_that_was_labelled_but_never_decided_says_so():
    m = ConfusionMatrix(tp=3, undecided_fail=4)
    assert m.tnr().undefined == "no decided item that people failed (4 without a verdict)"
    assert m.conservative_tnr().value == 0
    assert m.balanced_accuracy().undefined == m.tnr().undefined


def test_a_rate_carries_its_wilson_interval_also_at_100_percent():
    found = rate(24, 24, undefined="none")
    assert (found.value, found.high, found.method) == (1.0, 1.0, "wilson")
    assert found.low == pytest.approx(0.8620, abs=5e-5)
    assert found.undefined is None


def test_a_rate_at_another_level_says_which():
    assert M.tpr(level=0.8).level == 0.8
    assert (M.tpr(level=0.8).low or 0) > (M.tpr().low or 0)


def test_counts_add_up_cell_by_cell():
    other = ConfusionMatrix(tp=1, fp=2, tn=3, fn=4, undecided_pass=5, undecided_fail=6)
    assert M + other == ConfusionMatrix(
        tp=19, fp=6, tn=19, fn=6, undecided_pass=10, undecided_fail=9
    )


@pytest.mark.parametrize("name", ["tp", "fp", "tn", "fn", "undecided_pass", "undecided_fail"])
def test_a_negative_count_is_refused_by_name(name):
    with pytest.raises(InputError, match=f"{name} must not be negative, got -1"):
        ConfusionMatrix(**{name: -1})


def test_successes_without_trials_are_refused():
    with pytest.raises(InputError):
        rate(1, 0, undefined="none")
