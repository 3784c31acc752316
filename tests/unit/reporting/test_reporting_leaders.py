"""Who leads a sweep, and whether that is more than luck."""

from __future__ import annotations

import io

import pytest

from assay.reporting import (
    FailedJob,
    leader_row,
    print_leaders,
    rank,
    strict_json,
    which_to_trust,
)
from assay.reporting.streams import open_console


@pytest.fixture
def row(make_report):
    """A row from (tp, fn, tn, fp) of one dimension."""

    def build(variant, *cell, simulated=False):
        return leader_row(make_report(*cell, simulated=simulated), overrides=(f"judge={variant}",))

    return build


def test_a_confirmed_gate_leads_whatever_the_rates(row):
    # 60/60 confirms 0.90 (lower bound 0.951); 5/5 has perfect rates and confirms nothing.
    few, many = row("few", 5, 0, 5, 0), row("many", 59, 1, 59, 1)
    assert [r.variant for r in rank([few, many])] == ["many", "few"]


def test_within_a_gate_state_the_lowest_bound_decides(row):
    # Both at target, unconfirmed: 19/20 on the worse side against 18/20.
    better, worse = row("better", 19, 1, 20, 0), row("worse", 20, 0, 18, 2)
    assert [r.variant for r in rank([worse, better])] == ["better", "worse"]


def test_an_undefined_gate_comes_last_and_is_not_compared(row):
    undefined, poor = row("undefined", 20, 0, 0, 0), row("poor", 10, 10, 10, 10)
    ranked = rank([undefined, poor])
    assert [r.variant for r in ranked] == ["poor", "undefined"]
    assert ranked[1].remark == "not comparable: TNR undefined"


def test_the_order_of_rows_plays_no_part(row):
    rows = [row("a", 19, 1, 20, 0), row("b", 19, 1, 20, 0), row("c", 12, 8, 12, 8)]
    assert rank(rows) == rank(rows[::-1])


def test_overlapping_intervals_are_no_clear_difference_at_this_n(row):
    ranked = rank([row("a", 19, 1, 18, 2), row("b", 17, 3, 18, 2)])
    assert ranked[0].remark == "leads"
    assert ranked[1].remark == "no clear difference at n=20"
    assert "no clear difference at this n from b" in " ".join(which_to_trust(ranked))


def test_intervals_apart_are_said_with_their_side(row):
    # TNR 58/60 has Wilson low 0.89; 20/60 has Wilson high 0.46.
    ranked = rank([row("a", 58, 2, 58, 2), row("b", 58, 2, 20, 40)])
    assert ranked[1].remark == "lowest TNR clearly lower"
    assert "a leads clearly." in which_to_trust(ranked)


def test_a_trade_of_one_side_for_the_other_is_not_called_a_clear_lead(row):
    # TPR 60/60 (low 0.94) against 48/60 (0.68 to 0.88); TNR 44/60 (0.61 to 0.83) against 30/60.
    ranked = rank([row("a", 48, 12, 44, 16), row("b", 60, 0, 20, 40)])
    assert ranked[1].remark == "lowest TPR clearly higher; lowest TNR clearly lower"
    assert "weigh false passes against false fails" in " ".join(which_to_trust(ranked))


def test_nothing_confirmed_means_trust_none(row):
    text = " ".join(which_to_trust([row("a", 19, 1, 18, 2)]))
    assert text == "These labels confirm no variant: trust none of them yet."


def test_the_best_of_several_is_called_optimistic(row):
    text = " ".join(which_to_trust([row("a", 60, 0, 60, 0), row("b", 60, 0, 59, 1)]))
    assert text.startswith("To trust on these labels: a (target confirmed)")
    assert "The best of 2 on the same items looks better than it is" in text


def test_no_row_at_all_is_said():
    assert rank([]) == ()
    assert which_to_trust([]) == ("No variant came to a result.",)


def test_the_variant_comes_from_the_overrides(make_report):
    report = make_report(19, 1, 18, 2)
    assert leader_row(report, overrides=("panel=poll", "judge=strict")).variant == "strict"
    assert leader_row(report, overrides=("judge.temperature=1",)).variant == "judge.temperature=1"
    assert leader_row(report).variant == "as configured"


@pytest.mark.parametrize("width", [40, 80, 100, 140])
def test_failed_jobs_are_listed_with_overrides_and_error(row, width):
    failed = [FailedJob(overrides=("judge=x", "judge.temperature=9"), error="at most 2, got 9")]
    out = io.StringIO()
    console = open_console(out, width=width)
    print_leaders([row("a", 19, 1, 18, 2, simulated=True)], failed, console=console)
    text = " ".join(out.getvalue().split())
    assert "1 of 2 jobs failed judge=x judge.temperature=9 at most 2, got 9" in text
    assert "SIMULATED" in text
    assert max(len(line) for line in out.getvalue().splitlines()) <= width


def test_leader_rows_have_a_json_form(row):
    text = strict_json({"leaders": rank([row("a", 20, 0, 0, 0)]), "failed": []})
    assert '"undefined": "no item that people failed"' in text
