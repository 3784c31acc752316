from __future__ import annotations

import pytest

from assay.metrics import ConfusionMatrix, self_enhancement


def tpr(right: int, of: int) -> ConfusionMatrix:
    return ConfusionMatrix(tp=right, fn=of - right)


def test_98_percent_on_own_work_against_92_and_91_is_six_and_a_half_points():
    # Own 98/100; the others 92/100 and 91/100: 98 - (92 + 91)/2 = +6.5 points, and
    # not 98 - (92 + 98 + 91)/3 = +4.33, which counts the judge's own among "the mean".
    by_agent = {"subq": tpr(92, 100), "claude": tpr(98, 100), "codex": tpr(91, 100)}
    side, _ = self_enhancement(by_agent, frozenset({"claude"}))
    assert side.side == "tpr"
    assert side.delta == pytest.approx(0.065, abs=1e-12)
    assert (side.own_successes, side.own_trials) == (98, 100)
    assert (side.others_successes, side.others_trials) == (183, 200)
    assert side.p_value is not None
    assert side.p_value < 0.05


def test_the_mean_of_the_others_is_not_weighted_by_their_sizes():
    # Others at 10/10 and 0/90: the mean of the rates is .5, the pooled rate .1.
    by_agent = {"own": tpr(10, 10), "b": tpr(10, 10), "c": tpr(0, 90)}
    side, _ = self_enhancement(by_agent, frozenset({"own"}))
    assert side.delta == pytest.approx(0.5)


def test_a_judge_that_passes_its_own_failures_shows_in_the_false_pass_rate():
    # TPR is the same everywhere; own failed work is passed 15/20, the others' 4/20, 2/20.
    by_agent = {
        "own": ConfusionMatrix(tp=18, fn=2, fp=15, tn=5),
        "b": ConfusionMatrix(tp=18, fn=2, fp=4, tn=16),
        "c": ConfusionMatrix(tp=18, fn=2, fp=2, tn=18),
    }
    on_tpr, on_false_pass = self_enhancement(by_agent, frozenset({"own"}))
    assert on_tpr.delta == pytest.approx(0)
    assert on_false_pass.side == "false_pass_rate"
    assert on_false_pass.delta == pytest.approx(0.75 - 0.15)
    assert on_false_pass.p_value is not None
    assert on_false_pass.p_value < 0.001


def test_several_own_agents_are_taken_together():
    by_agent = {"x": tpr(9, 10), "y": tpr(5, 10), "z": tpr(5, 10)}
    side, _ = self_enhancement(by_agent, frozenset({"x", "y"}))
    assert (side.own_successes, side.own_trials) == (14, 20)
    assert side.delta == pytest.approx(0.7 - 0.5)


def test_harshness_to_ones_own_is_no_self_enhancement():
    by_agent = {"own": tpr(5, 20), "b": tpr(20, 20)}
    side, _ = self_enhancement(by_agent, frozenset({"own"}))
    assert side.delta == pytest.approx(-0.75)
    assert side.p_value is not None
    assert side.p_value > 0.99


@pytest.mark.parametrize(
    ("by_agent", "tpr_reason", "false_pass_reason"),
    [
        ({}, "no own agents' work that people passed", "no own agents' work that people failed"),
        (
            {"own": ConfusionMatrix(tp=3, tn=3)},
            "no other agents' work that people passed",
            "no other agents' work that people failed",
        ),
        (
            {"own": ConfusionMatrix(undecided_pass=3), "b": ConfusionMatrix(tp=3, tn=2)},
            "no own agents' work that people passed",
            "no own agents' work that people failed",
        ),
    ],
)
def test_what_cannot_be_compared_says_why(by_agent, tpr_reason, false_pass_reason):
    sides = self_enhancement(by_agent, frozenset({"own"}))
    assert [s.undefined for s in sides] == [tpr_reason, false_pass_reason]
    assert all(s.delta is None and s.p_value is None for s in sides)


def test_an_other_agent_without_items_of_the_class_is_left_out_of_the_mean():
    by_agent = {"own": tpr(10, 10), "b": tpr(8, 10), "c": ConfusionMatrix(tn=4)}
    side, _ = self_enhancement(by_agent, frozenset({"own"}))
    assert side.delta == pytest.approx(0.2)
