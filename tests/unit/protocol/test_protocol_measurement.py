from __future__ import annotations

from dataclasses import replace

import pytest

from assay.errors import AlignmentError, InputError
from assay.protocol import measure
from assay.schema import (
    DimensionMetrics,
    HumanLabel,
    LabelSet,
    PairVerdict,
    PolicySpec,
    ValidationReport,
    Verdict,
)
from tests.labelled_worlds import one_dimension, planted, verdict

POLICY = PolicySpec()


def _measure(
    labels: LabelSet, verdicts: tuple[Verdict, ...], **options: object
) -> ValidationReport:
    return measure(labels, verdicts, kind="dev", policy=POLICY, **options)  # type: ignore[arg-type]


def _first(report: ValidationReport) -> DimensionMetrics:
    return report.headline.dimensions[0]


def test_pass_is_positive_and_a_false_pass_is_fp() -> None:
    labels, verdicts = planted({"a": (5, 1, 3, 2)})
    m = _first(_measure(labels, verdicts))
    assert (m.tp, m.fn, m.tn, m.fp) == (5, 1, 3, 2)
    assert (m.tpr.successes, m.tpr.trials) == (5, 6)
    assert (m.tnr.successes, m.tnr.trials) == (3, 5)
    assert m.recall == m.tpr


def test_abstained_errored_and_missing_are_three_states_and_none_is_a_fail() -> None:
    labels = one_dimension({"p1": "Pass", "p2": "Pass", "p3": "Pass", "f1": "Fail", "f2": "Fail"})
    said = {"p1": "pass", "p2": "abstained", "f1": "fail", "f2": "errored"}
    m = _first(_measure(labels, tuple(verdict(s, "correctness", v) for s, v in said.items())))
    assert (m.tp, m.fn, m.tn, m.fp) == (1, 0, 1, 0)
    assert (m.n, m.n_decided, m.n_abstained, m.n_errored, m.n_missing) == (5, 2, 1, 1, 1)
    assert m.reasons == {"timeout": 1, "unparseable": 1}
    assert (m.coverage.successes, m.coverage.trials) == (2, 5)
    assert m.tpr.value == 1.0
    # Held against the judge: p2 and p3 have no verdict.
    assert (m.conservative_tpr.successes, m.conservative_tpr.trials) == (1, 3)
    assert (m.conservative_tnr.successes, m.conservative_tnr.trials) == (1, 2)


def test_gates_read_the_conservative_counts() -> None:
    # 40 of 40 decided right on both sides confirm .90; with 20 non-verdicts on Pass, 40/60 fails.
    labels, verdicts = planted({"a": (60, 0, 40, 0)})
    silent = tuple(
        verdict(v.session_id, v.dimension, "abstained") if i < 20 else v
        for i, v in enumerate(verdicts)
    )
    assert _first(_measure(labels, verdicts)).gate.state == "confirmed_target"
    m = _first(_measure(labels, silent))
    assert m.tpr.value == 1.0
    assert m.gate.state == "fails_minimum"


def test_agents_are_counted_apart_and_add_up() -> None:
    labels, verdicts = planted({"a": (5, 1, 3, 2), "b": (7, 0, 0, 4)})
    report = _measure(labels, verdicts).headline
    assert [(m.agent, m.tp, m.fn, m.tn, m.fp) for m in report.agents] == [
        ("a", 5, 1, 3, 2),
        ("b", 7, 0, 0, 4),
    ]
    assert report.dimensions[0].tp == 12
    assert report.dimensions[0].fp == 6


def test_sessions_of_unknown_agents_count_in_the_totals_only() -> None:
    labels, verdicts = planted({"a": (5, 1, 3, 2)})
    known = {s: a for s, a in labels.agents.items() if s != "a-000"}
    report = _measure(replace(labels, agents=known), verdicts).headline
    assert report.dimensions[0].tp == 5
    assert report.agents[0].tp == 4


def test_only_the_first_repeat_counts_and_the_others_are_told() -> None:
    labels, verdicts = planted({"a": (5, 1, 3, 2)})
    again = tuple(v.model_copy(update={"repeat": 1, "outcome": "fail"}) for v in verdicts)
    report = _measure(labels, verdicts + again)
    assert _first(report).tp == 5
    assert report.warnings == ("11 verdicts of repeats after the first are not counted.",)


# What does not meet


def test_r23_verdicts_without_a_label_are_counted_and_shown_per_judge() -> None:
    labels, verdicts = planted({"a": (5, 1, 3, 2)})
    extra = tuple(verdict(f"zz{i}", "correctness", "pass") for i in range(5))
    report = _measure(labels, verdicts + extra).headline
    assert report.n_unmatched == 5
    assert report.dimensions[0].n == 11
    told = "5 verdicts meet no label and are not counted: zz0 (correctness), zz1 (correctness), "
    assert any(told in w for w in report.warnings)


def test_r23_a_judge_that_meets_no_label_is_an_error_with_ids_of_both_sides() -> None:
    labels, verdicts = planted({"a": (5, 1, 3, 2)})
    padded = tuple(v.model_copy(update={"session_id": f"0{v.session_id}"}) for v in verdicts)
    with pytest.raises(AlignmentError) as refusal:
        _measure(labels, padded)
    assert "a-000, a-001, a-002" in str(refusal.value)
    assert "0a-000, 0a-001, 0a-002" in str(refusal.value)


def test_r23_one_stranger_among_judges_is_an_error_too() -> None:
    labels, verdicts = planted({"a": (5, 1, 3, 2)})
    with pytest.raises(AlignmentError, match="judge lost: none of its 1 verdicts"):
        _measure(labels, (*verdicts, verdict("nowhere", "correctness", "pass", judge="lost")))


def test_r23_dimensions_written_otherwise_are_shown_on_both_sides() -> None:
    labels = one_dimension({"s1": "Pass", "s2": "Fail"})
    with pytest.raises(AlignmentError, match=r"dimensions correctness\n.*dimensions Correctness"):
        _measure(labels, (verdict("s1", "Correctness", "pass"),))


def test_r23_two_verdicts_of_one_judge_on_one_item_are_an_error_that_lists_them() -> None:
    labels, verdicts = planted({"a": (5, 1, 3, 2)})
    with pytest.raises(AlignmentError) as refusal:
        _measure(labels, (*verdicts, verdicts[3], verdicts[7]))
    assert "2 items have more than one verdict by one judge" in str(refusal.value)
    assert "x: a-003 (correctness)" in str(refusal.value)
    assert "x: a-007 (correctness)" in str(refusal.value)


def test_two_verdicts_on_an_unlabelled_item_are_an_error_too() -> None:
    labels, verdicts = planted({"a": (5, 1, 3, 2)})
    stray = verdict("zz", "correctness", "pass")
    with pytest.raises(AlignmentError, match=r"x: zz \(correctness\)"):
        _measure(labels, (*verdicts, stray, stray))


def test_two_labels_on_one_item_are_an_error() -> None:
    labels, verdicts = planted({"a": (5, 1, 3, 2)})
    with pytest.raises(AlignmentError, match=r"1 items have more than one label: a-000"):
        _measure(replace(labels, labels=(*labels.labels, labels.labels[0])), verdicts)


@pytest.mark.parametrize("which", ["labels", "verdicts"])
def test_nothing_to_compare_is_an_error(which: str) -> None:
    labels, verdicts = planted({"a": (5, 1, 3, 2)})
    with pytest.raises(AlignmentError, match=f"no {which}; there is nothing to compare"):
        _measure(
            LabelSet(()) if which == "labels" else labels, verdicts if which == "labels" else ()
        )


# Headline, order, summary figures


def test_the_panel_is_the_headline_and_comes_first() -> None:
    labels, one = planted({"a": (5, 1, 3, 2)}, judge="alpha")
    _, poll = planted({"a": (5, 1, 3, 2)}, judge="poll")
    report = _measure(labels, one + poll, roles={"poll": "panel", "alpha": "member"})
    assert [(j.judge, j.role) for j in report.judges] == [("poll", "panel"), ("alpha", "member")]
    assert report.headline_judge == "poll"
    assert report.warnings == ()
    assert report.overall_verdict.startswith("panel poll: ")


def test_several_judges_without_a_headline_take_the_first_by_name_and_say_so() -> None:
    labels, one = planted({"a": (5, 1, 3, 2)}, judge="zeta")
    _, other = planted({"a": (5, 1, 3, 2)}, judge="beta")
    report = _measure(labels, one + other)
    assert report.headline_judge == "beta"
    assert "no headline judge was named" in report.warnings[0]


def test_a_headline_judge_without_verdicts_is_refused() -> None:
    labels, verdicts = planted({"a": (5, 1, 3, 2)})
    with pytest.raises(InputError, match=r"headline judge 'poll'; there are: x\."):
        _measure(labels, verdicts, headline="poll")


def _two_dimensions() -> tuple[LabelSet, tuple[Verdict, ...]]:
    one, said_one = planted({"a": (9, 1, 8, 2)}, dimension="clarity")
    two, said_two = planted({"a": (8, 2, 6, 4)}, dimension="accuracy")
    return replace(one, labels=one.labels + two.labels), said_one + said_two


def test_summary_figures_take_the_lowest_and_the_weighted_mean() -> None:
    labels, verdicts = _two_dimensions()
    report = _measure(labels, verdicts, weights={"clarity": 0.75, "accuracy": 0.25})
    assert [m.dimension for m in report.headline.dimensions] == ["clarity", "accuracy"]
    assert report.headline.min_tpr.value == pytest.approx(0.8)
    assert report.headline.min_tnr.value == pytest.approx(0.6)
    # clarity (.9 + .8) / 2 = .85, accuracy (.8 + .6) / 2 = .70; .75 * .85 + .25 * .70 = .8125
    assert report.headline.balanced_accuracy.value == pytest.approx(0.8125)


def test_dimensions_count_alike_without_weights_or_with_some_missing() -> None:
    labels, verdicts = _two_dimensions()
    plain = _measure(labels, verdicts)
    some = _measure(labels, verdicts, weights={"clarity": 0.9})
    assert plain.headline.balanced_accuracy.value == pytest.approx(0.775)
    assert some.headline.balanced_accuracy.value == pytest.approx(0.775)
    assert plain.warnings == ()
    assert some.warnings == ("no weight for accuracy: all dimensions count alike.",)


def test_r31_the_lowest_of_some_and_an_unknown_is_unknown_with_the_reason() -> None:
    one, said_one = planted({"a": (9, 1, 8, 2)}, dimension="clarity")
    two, said_two = planted({"a": (8, 2, 0, 0)}, dimension="accuracy")
    labels = replace(one, labels=one.labels + two.labels)
    report = _measure(labels, said_one + said_two)
    assert report.headline.min_tpr.value == pytest.approx(0.8)
    assert report.headline.min_tnr.value is None
    assert report.headline.min_tnr.undefined == "accuracy: no item that people failed"
    assert report.headline.balanced_accuracy.value is None
    assert report.headline.state == "undefined"
    assert report.overall_verdict.startswith("judge x: cannot be assessed; worst: accuracy (TNR is")


# The sentence


def test_the_worst_dimension_is_the_one_that_decides_the_state() -> None:
    # clarity has far lower rates, but accuracy has no Fail label at all.
    one, said_one = planted({"a": (9, 11, 8, 12)}, dimension="clarity")
    two, said_two = planted({"a": (50, 0, 0, 0)}, dimension="accuracy")
    report = _measure(replace(one, labels=one.labels + two.labels), said_one + said_two)
    assert "cannot be assessed; worst: accuracy (TNR is undefined" in report.overall_verdict


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        # Lower bounds: 30/30 .905, 14/14 .807.
        ((30, 0, 30, 0), "judge x: meets the target 0.90 on correctness with 95% confidence"),
        ((30, 0, 14, 0), "judge x: meets the minimum 0.80 on correctness with 95% confidence"),
        ((30, 0, 13, 0), "judge x: promising on correctness, but not yet confirmed; worst: "),
        ((30, 0, 14, 6), "judge x: not yet trustworthy; worst: correctness (TNR 14/20"),
        ((30, 0, 5, 15), "judge x: not trustworthy; worst: correctness (TNR 5/20"),
    ],
)
def test_the_overall_verdict_is_as_sure_as_the_bounds(
    cells: tuple[int, int, int, int], says: str
) -> None:
    labels, verdicts = planted({"a": cells})
    assert _measure(labels, verdicts).overall_verdict.startswith(says)


def test_the_overall_verdict_says_how_many_labels_are_missing() -> None:
    labels, verdicts = planted({"a": (30, 0, 13, 0)})
    # 13/13 has the lower bound .794; one more right label makes 14/14 with .807.
    assert "needs 1 more labels of class Fail" in _measure(labels, verdicts).overall_verdict


def test_simulated_verdicts_are_said_first() -> None:
    labels, verdicts = planted({"a": (5, 1, 3, 2)})
    pretend = tuple(v.model_copy(update={"simulated": True}) for v in verdicts)
    report = _measure(labels, pretend)
    assert report.simulated
    assert report.headline.simulated
    assert report.overall_verdict.startswith("SIMULATED: judge x: ")


def test_low_coverage_is_in_the_sentence_and_the_warnings() -> None:
    labels, verdicts = planted({"a": (50, 0, 50, 0)})
    report = _measure(labels, verdicts[:85])
    assert "lowest coverage 85/100 on correctness" in report.overall_verdict
    assert (
        "judge x, correctness: only 85 of 100 labelled items have a Pass or Fail verdict "
        "(0 abstained, 0 errored, 15 missing); the policy asks for 90%"
    ) in report.headline.warnings


# Pairs


def test_pairs_are_reported_per_judge_with_what_is_wrong() -> None:
    labels, verdicts = planted({"a": (5, 1, 3, 2)})
    pairs = tuple(
        PairVerdict(pair_id=f"p{i}", judge="x", ab=ab, ba=ba)  # type: ignore[arg-type]
        for i, (ab, ba) in enumerate([("A", "A")] * 6 + [("A", "B")] * 3 + [("A", None)])
    )
    report = _measure(labels, verdicts, pair_verdicts=pairs)
    (record,) = report.pairwise
    assert (record.n, record.n_undecided) == (10, 1)
    assert (record.concordance.successes, record.concordance.trials) == (6, 9)
    # First shown: 10 times A in order ab; in order ba, B is first: 3 times.
    assert (record.first_position_rate.successes, record.first_position_rate.trials) == (13, 19)
    assert any("concordance 6/9 (0.67) is below 0.85" in w for w in report.warnings)


def test_pairs_read_by_position_are_suspected() -> None:
    labels, verdicts = planted({"a": (5, 1, 3, 2)})
    pairs = tuple(PairVerdict(pair_id=f"p{i}", judge="x", ab="A", ba="B") for i in range(9))
    report = _measure(labels, verdicts, pair_verdicts=pairs)
    assert any("read as verdicts by candidate" in w for w in report.warnings)


def test_one_order_is_not_measurable() -> None:
    labels, verdicts = planted({"a": (5, 1, 3, 2)})
    report = _measure(
        labels, verdicts, pair_verdicts=(PairVerdict(pair_id="p", judge="x", ab="A"),)
    )
    assert report.pairwise[0].concordance.value is None
    assert any("not measurable: no pair was decided in both orders" in w for w in report.warnings)


def test_two_verdicts_on_one_pair_are_an_error() -> None:
    labels, verdicts = planted({"a": (5, 1, 3, 2)})
    pair = PairVerdict(pair_id="p", judge="x", ab="A", ba="A")
    with pytest.raises(AlignmentError, match=r"judge x has more than one verdict on 1 pairs: p"):
        _measure(labels, verdicts, pair_verdicts=(pair, pair))


# People


def _votes(*rows: tuple[str, str, str]) -> tuple[HumanLabel, ...]:
    return tuple(
        HumanLabel(session_id=s, dimension="correctness", annotator=a, result=r)  # type: ignore[arg-type]
        for s, a, r in rows
    )


def test_agreement_between_people_is_the_mean_kappa_of_pairs_by_shared_items() -> None:
    labels, verdicts = planted({"a": (2, 0, 2, 0)})
    rows = [
        ("s1", "Pass", "Pass"),
        ("s2", "Pass", "Fail"),
        ("s3", "Fail", "Fail"),
        ("s4", "Pass", "Pass"),
    ]
    votes = [(s, "ann", one) for s, one, _ in rows] + [(s, "bob", two) for s, _, two in rows]
    # Observed 3/4; chance (3/4)(2/4) + (1/4)(2/4) = 1/2; kappa (3/4 - 1/2) / (1/2) = 1/2.
    # eve meets ann on s3 and s4 only, and agrees: kappa 1. eve and bob: 1. Weighted by the
    # items shared: (4 x 1/2 + 2 x 1 + 2 x 1) / 8 = 3/4.
    votes += [("s3", "eve", "Fail"), ("s4", "eve", "Pass"), ("s5", "eve", "Pass")]
    found = _measure(replace(labels, votes=_votes(*votes)), verdicts).labels
    assert found.annotator_agreement.value == pytest.approx(0.75)
    assert found.n_doubly_labelled == 4


def test_agreement_is_undefined_with_a_reason() -> None:
    labels, verdicts = planted({"a": (2, 0, 2, 0)})
    nobody = _measure(labels, verdicts).labels.annotator_agreement
    alone = replace(labels, votes=_votes(("s1", "ann", "Pass"), ("s2", "bob", "Pass")))
    same = replace(labels, votes=_votes(("s1", "ann", "Pass"), ("s1", "bob", "Pass")))
    assert nobody.undefined == "annotators are not named"
    assert (
        _measure(alone, verdicts).labels.annotator_agreement.undefined
        == "no item was labelled by two annotators"
    )
    assert "one and the same class" in str(
        _measure(same, verdicts).labels.annotator_agreement.undefined
    )


def test_the_report_says_what_it_was_measured_against() -> None:
    labels, verdicts = planted({"a": (5, 1, 3, 2)})
    report = _measure(
        replace(labels, unlabelled=3, undecided=2, aggregation="majority"),
        verdicts,
        split_digest="d" * 64,
        prompt_fingerprint="f" * 64,
    )
    summary = report.labels
    assert (summary.n_sessions, summary.n_labels) == (11, 11)
    assert (summary.n_unlabelled, summary.n_undecided) == (3, 2)
    assert summary.aggregation == "majority"
    assert summary.digest == labels.digest
    assert (report.target, report.minimum, report.level) == (0.90, 0.80, 0.95)
    assert (report.split_digest, report.prompt_fingerprint) == ("d" * 64, "f" * 64)
    assert ValidationReport.model_validate_json(report.model_dump_json()) == report
