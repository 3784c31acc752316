from __future__ import annotations

from typing import get_args

import pytest

from assay.errors import InputError
from assay.metrics import ConfusionMatrix, GateState, gate, labels_needed
from assay.metrics.gates import worst
from assay.stats import lower_bound


def side(right: int, trials: int) -> ConfusionMatrix:
    """A judge whose TPR is right/trials and whose TNR is beyond doubt."""
    return ConfusionMatrix(tp=right, fn=trials - right, tn=1000, fp=0)


@pytest.mark.parametrize(
    ("bar", "smallest"),
    [(0.80, (14, 22, 30, 37, 44, 50)), (0.90, (29, 46, 61, 76, 89, 103))],
)
def test_errors_allowed_at_each_size(bar, smallest):
    # The table of errors 0 to 5: the smallest n at which that many errors still
    # leave the one-sided 95% bound at or above the bar. One label fewer does not.
    for errors, n in enumerate(smallest):
        assert lower_bound(n - errors, n) >= bar
        assert lower_bound(n - 1 - errors, n - 1) < bar


def test_20_of_20_confirms_the_minimum_and_not_the_target():
    # .05^(1/20) = e^(-2.995732/20) = .86089: above .80, below .90.
    found = gate(ConfusionMatrix(tp=20, tn=20))
    assert found.state == "confirmed_minimum"
    assert found.tpr_lower == pytest.approx(0.05 ** (1 / 20))
    assert (found.needs_pass, found.needs_fail) == (0, 0)
    assert found.reason == "TPR 20/20 decides; its lower bound clears 0.80"


def test_19_of_20_looks_like_the_target_and_confirms_nothing():
    found = gate(side(19, 20))
    assert found.state == "provisional_target"
    # At a rate of .95, floor(.95 n) of n are right: from 21 to 30 that leaves 2 errors
    # (floor(19.95) = 19 of 21, floor(28.5) = 28 of 30), and 2 errors need 30 labels.
    assert found.needs_pass == 10
    assert found.reason == (
        "TPR 19/20: needs 10 more labels of class Pass at this rate to confirm 0.80"
    )


@pytest.mark.parametrize(
    ("right", "trials", "state"),
    [
        (29, 29, "confirmed_target"),
        (28, 28, "confirmed_minimum"),
        (14, 14, "confirmed_minimum"),
        (13, 13, "provisional_target"),
        (18, 20, "provisional_target"),
        (17, 20, "provisional_minimum"),
        (16, 20, "provisional_minimum"),
        (15, 20, "below_minimum"),
        # U of 12 in 20: P(X <= 12 | .80) = .0321 < .05, so .80 is ruled out;
        # P(X <= 13 | .80) = .0867, so at 13 it is not.
        (13, 20, "below_minimum"),
        (12, 20, "fails_minimum"),
        (0, 20, "fails_minimum"),
        (0, 1, "below_minimum"),
    ],
)
def test_states_of_one_side(right, trials, state):
    assert gate(side(right, trials)).state == state
    mirrored = ConfusionMatrix(tn=right, fp=trials - right, tp=1000)
    assert gate(mirrored).state == state


def test_the_worse_side_decides_and_is_named():
    found = gate(ConfusionMatrix(tp=50, tn=12, fp=8))
    assert found.state == "fails_minimum"
    assert found.reason == "TNR 12/20: even the upper bound is below 0.80"


def test_of_two_sides_in_one_state_the_lower_bound_decides():
    found = gate(ConfusionMatrix(tp=20, tn=15))
    assert found.state == "confirmed_minimum"
    assert found.reason.startswith("TNR 15/15")


def test_a_confirmed_target_says_which_bar_was_cleared():
    found = gate(ConfusionMatrix(tp=50, tn=29))
    assert found.reason == "TNR 29/29 decides; its lower bound clears 0.90"


def test_a_non_verdict_counts_against_the_judge():
    # 20/20 decided on both sides, but one passed item without a verdict: 20/21,
    # whose bound .7933 no longer clears .80 (one error needs 22).
    found = gate(ConfusionMatrix(tp=20, tn=20, undecided_pass=1))
    assert found.state == "provisional_target"
    assert found.tpr_lower == pytest.approx(lower_bound(20, 21))
    assert found.tnr_lower == pytest.approx(lower_bound(20, 20))
    assert "TPR 20/21" in found.reason
    found = gate(ConfusionMatrix(tp=20, tn=20, undecided_fail=1))
    assert "TNR 20/21" in found.reason


def test_a_judge_that_decided_nothing_fails_rather_than_is_undefined():
    assert gate(ConfusionMatrix(undecided_pass=20, undecided_fail=20)).state == "fails_minimum"


@pytest.mark.parametrize(
    ("matrix", "reason"),
    [
        (ConfusionMatrix(tp=40), "TNR is undefined: no item with human label Fail"),
        (ConfusionMatrix(tn=40), "TPR is undefined: no item with human label Pass"),
    ],
)
def test_a_class_without_labels_leaves_the_gate_undefined(matrix, reason):
    found = gate(matrix)
    assert found.state == "undefined"
    assert found.reason == reason
    assert None in {found.tpr_lower, found.tnr_lower}
    # 14 labels without error would do on the side of which nothing is known.
    assert 14 in {found.needs_pass, found.needs_fail}


def test_no_label_at_all_is_undefined():
    found = gate(ConfusionMatrix())
    assert (found.state, found.tpr_lower, found.tnr_lower) == ("undefined", None, None)


def test_a_rate_at_the_minimum_is_never_confirmed_by_more_labels():
    found = gate(side(16, 20))
    assert found.needs_pass is None
    assert found.reason == "TPR 16/20: at this rate no number of labels confirms 0.80"


@pytest.mark.parametrize(
    ("target", "minimum"), [(0.8, 0.9), (1.0, 0.8), (0.9, 0.0), (90, 80), (0.9, -0.1)]
)
def test_bars_out_of_order_are_refused(target, minimum):
    with pytest.raises(InputError, match="0 < minimum <= target < 1"):
        gate(ConfusionMatrix(tp=1, tn=1), target=target, minimum=minimum)


def test_equal_bars_leave_no_state_between():
    found = gate(side(20, 20), target=0.8, minimum=0.8)
    assert found.state == "confirmed_target"


class TestLabelsNeeded:
    def test_ten_without_error_need_four_more(self):
        assert labels_needed(10, 10, bar=0.8) == 4

    def test_nothing_known_takes_a_judge_without_error(self):
        assert labels_needed(0, 0, bar=0.8) == 14
        assert labels_needed(0, 0, bar=0.9) == 29

    def test_a_cleared_bar_needs_none(self):
        assert labels_needed(14, 14, bar=0.8) == 0
        assert labels_needed(20, 22, bar=0.8) is not None

    def test_a_rate_at_or_below_the_bar_never_gets_there(self):
        assert labels_needed(8, 10, bar=0.8) is None
        assert labels_needed(0, 10, bar=0.8) is None

    def test_a_rate_just_above_the_bar_is_beyond_what_anybody_labels(self):
        # 801/1000: about (1.645 * .4 / .001)^2 = 430,000 labels.
        assert labels_needed(801, 1000, bar=0.8) is None

    def test_the_number_given_is_enough_and_one_fewer_is_not(self):
        for right, of in ((19, 20), (17, 20), (9, 10), (45, 50)):
            more = labels_needed(right, of, bar=0.8)
            assert more is not None
            total = of + more
            assert lower_bound(right * total // of, total) >= 0.8
            assert lower_bound(right * (total - 1) // of, total - 1) < 0.8

    def test_whole_multiples_of_a_rate_are_not_lost_to_binary_fractions(self):
        # 29 of 50 is .58, and int(.58 * 100) is 57 in binary fractions. At a rate of
        # .58 the bar .50 is first cleared at the n with floor(.58 n) right.
        more = labels_needed(29, 50, bar=0.5)
        assert more is not None
        assert all(lower_bound(29 * n // 50, n) < 0.5 for n in range(50, 50 + more))

    @pytest.mark.parametrize(
        ("right", "of", "bar"), [(1, 0, 0.8), (-1, 4, 0.8), (5, 4, 0.8), (1, 2, 0), (1, 2, 1)]
    )
    def test_impossible_input_is_refused(self, right, of, bar):
        with pytest.raises(InputError):
            labels_needed(right, of, bar=bar)


class TestWorst:
    def test_a_chain_is_as_strong_as_its_weakest_state(self):
        assert worst(["confirmed_target", "provisional_minimum", "confirmed_minimum"]) == (
            "provisional_minimum"
        )

    def test_undefined_is_worse_than_a_clear_failure(self):
        assert worst(["fails_minimum", "undefined"]) == "undefined"

    def test_no_gate_at_all_is_undefined(self):
        assert worst([]) == "undefined"

    def test_every_state_has_a_rank(self):
        for state in get_args(GateState):
            assert worst([state]) == state
