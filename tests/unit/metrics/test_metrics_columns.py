from __future__ import annotations

import pytest

from assay.metrics import ConfusionMatrix, broken_columns

SOUND = ConfusionMatrix(tp=19, fn=1, tn=18, fp=2)


def kinds(overall: ConfusionMatrix, by_agent=None) -> list[tuple[str, str | None]]:
    return [(w.kind, w.agent) for w in broken_columns(overall, by_agent or {})]


def total(by_agent: dict[str, ConfusionMatrix]) -> ConfusionMatrix:
    return sum(by_agent.values(), ConfusionMatrix())


def test_a_sound_judge_gets_no_warning():
    by_agent = {"a": SOUND, "b": SOUND, "c": SOUND}
    assert broken_columns(total(by_agent), by_agent) == []


def test_no_decided_item_gives_no_warning():
    assert broken_columns(ConfusionMatrix(undecided_pass=4), {}) == []


def test_a_judge_that_passes_everything_never_says_fail():
    (warning,) = broken_columns(ConfusionMatrix(tp=30, fp=12), {})
    assert warning.kind == "class_never_predicted"
    assert warning.agent is None
    assert warning.message == "never says Fail (42 decided, 12 of them failed by people)"


def test_a_judge_that_fails_everything_never_says_pass():
    (warning,) = broken_columns(ConfusionMatrix(fn=30, tn=12), {})
    assert warning.message == "never says Pass (42 decided, 30 of them passed by people)"


def test_a_judge_that_never_fails_what_people_never_failed_is_not_blamed():
    assert broken_columns(ConfusionMatrix(tp=30), {}) == []
    assert broken_columns(ConfusionMatrix(tn=30), {}) == []


def test_a_judge_worse_than_its_own_negation():
    # TPR 2/30 = .07, TNR 3/20 = .15; negated they would be .93 and .85.
    (warning,) = broken_columns(ConfusionMatrix(tp=2, fn=28, tn=3, fp=17), {})
    assert warning.kind == "worse_than_negation"
    assert warning.message == "worse than its own negation: TPR 0.07 + TNR 0.15 is below 1"


@pytest.mark.parametrize("n", range(2, 60))
def test_a_judge_exactly_at_chance_is_not_below_it(n):
    # TPR x/n and TNR (n - x)/n add up to 1 exactly; their binary fractions need not.
    for x in range(1, n):
        assert kinds(ConfusionMatrix(tp=x, fn=n - x, tn=n - x, fp=x)) == []


def test_one_agent_judged_worse_is_named_and_the_others_are_not_blamed():
    # c: 10/40 against 80/80. Looked at both ways, a would stand at 40/40 against
    # 50/80 on "the others" and be blamed for c's fault.
    fine = ConfusionMatrix(tp=40, tn=20)
    by_agent = {"a": fine, "b": fine, "c": ConfusionMatrix(tp=10, fn=30, tn=20)}
    found = broken_columns(total(by_agent), by_agent)
    assert [(w.kind, w.agent) for w in found] == [("agent_far_off", "c")]
    assert found[0].message == (
        "c far off: TPR 10/40 (0.25) against 80/80 (1.00) on the other agents"
    )


def test_false_passes_of_one_agent_are_seen_in_its_tnr():
    fine = ConfusionMatrix(tp=40, tn=20)
    by_agent = {"a": ConfusionMatrix(tp=40, tn=4, fp=16), "b": fine, "c": fine}
    (warning,) = broken_columns(total(by_agent), by_agent)
    assert (warning.kind, warning.agent) == ("agent_far_off", "a")
    assert warning.message.startswith("a far off: TNR 4/20 (0.20) against 40/40")


def test_of_two_agents_the_worse_judged_one_is_named():
    by_agent = {
        "a": ConfusionMatrix(tp=40, tn=20),
        "b": ConfusionMatrix(tp=20, fn=20, tn=20),
    }
    assert kinds(total(by_agent), by_agent) == [("agent_far_off", "b")]


def test_a_certain_gap_of_less_than_15_points_is_not_far_off():
    # 860/1000 against 1000/1000 is certain, and 14 points.
    by_agent = {
        "a": ConfusionMatrix(tp=860, fn=140, tn=10),
        "b": ConfusionMatrix(tp=1000, tn=10),
    }
    assert kinds(total(by_agent), by_agent) == []


def test_a_gap_of_exactly_15_points_is_wide_enough():
    # 1 - .85 is .15000000000000002 and .95 - .8 is .1499999999999999 in binary fractions.
    by_agent = {
        "a": ConfusionMatrix(tp=800, fn=200, tn=10),
        "b": ConfusionMatrix(tp=950, fn=50, tn=10),
    }
    assert kinds(total(by_agent), by_agent) == [("agent_far_off", "a")]


def test_a_wide_gap_on_few_items_is_not_called_far_off():
    # 2/4 against 4/4: 50 points, mid-p = 1/2 * C(4,2)C(4,4)/C(8,6) = 1/2 * 6/28 = .107.
    by_agent = {"a": ConfusionMatrix(tp=2, fn=2, tn=4), "b": ConfusionMatrix(tp=4, tn=4)}
    assert kinds(total(by_agent), by_agent) == []


def test_one_agent_alone_is_compared_with_nobody():
    assert kinds(SOUND, {"a": ConfusionMatrix(tp=1, fn=1)}) == []


def test_the_gravest_warning_comes_first():
    by_agent = {
        "a": ConfusionMatrix(tp=1, fn=29, tn=29, fp=1),
        "b": ConfusionMatrix(tp=29, fn=1, tn=1, fp=29),
        "c": ConfusionMatrix(tp=1, fn=99, tn=1, fp=99),
    }
    found = [kind for kind, _ in kinds(total(by_agent), by_agent)]
    assert found[0] == "worse_than_negation"
    assert set(found[1:]) == {"agent_far_off"}
