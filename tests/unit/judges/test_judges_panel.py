"""Votes and majorities, recorded verdicts, and letters of pairs."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import InputError
from assay.judges import judged_from_record, majority, read_pair_reply, render_pair
from assay.judges.rendering import parse_candidates
from assay.schema import Criterion, PanelSpec, Session, Verdict, VerdictSet

PASS, FAIL = "pass", "fail"


def vote(judge, outcome, family="other", **values):
    reasons = {"errored": "timeout", "abstained": "unparseable"}
    return Verdict(
        session_id="s",
        dimension="d",
        judge=judge,
        family=family,
        outcome=outcome,
        reason=reasons.get(outcome),
        **values,
    )


def panel(quorum=1, **values):
    members = [{"name": n, "model": n, "family": "f"} for n in ("a", "b", "c")]
    given = {"name": "panel", "kind": "simulated", "members": members, "quorum": quorum}
    return PanelSpec.model_validate(given | values)


@pytest.mark.parametrize(
    ("outcomes", "quorum", "expected"),
    [
        ([PASS, PASS, FAIL], 1, (PASS, None)),
        ([FAIL, PASS, FAIL], 3, (FAIL, None)),
        ([PASS, FAIL], 1, ("abstained", "tie")),
        ([PASS, FAIL, "errored"], 2, ("abstained", "tie")),
        ([PASS, "errored", "errored"], 2, ("abstained", "quorum_not_met")),
        ([PASS, "abstained", "errored"], 1, (PASS, None)),
        (["abstained", "abstained", "errored"], 1, ("abstained", "quorum_not_met")),
        ([FAIL, FAIL, "errored"], 2, (FAIL, None)),
    ],
)
def test_errors_are_no_votes_a_tie_is_no_verdict_and_the_quorum_counts_usable_votes(
    outcomes, quorum, expected
):
    votes = [vote(name, outcome) for name, outcome in zip("abc", outcomes, strict=False)]
    verdict = majority(votes, panel=panel(quorum))
    assert (verdict.outcome, verdict.reason) == expected
    assert (verdict.judge, verdict.family, verdict.attempts) == ("panel", None, 0)


def test_every_vote_and_its_reason_is_in_the_rationale():
    votes = [
        vote("a", PASS, rationale="line 3\nis right"),
        vote("b", FAIL),
        vote("c", "errored", simulated=True),
    ]
    verdict = majority(votes, panel=panel(1))
    assert verdict.rationale == "a: Pass - line 3 is right\nb: Fail\nc: errored (timeout)"
    assert verdict.detail == "1 Pass, 1 Fail of 3 members (quorum 1); no vote: 1 timeout"
    assert verdict.simulated


def test_a_judge_of_the_agents_family_has_no_vote_when_excluded():
    votes = [vote("a", PASS, "acme"), vote("b", FAIL, "other"), vote("c", PASS, "third")]
    assert majority(votes, panel=panel(1), agent_family="acme").outcome == PASS
    strict = panel(2, exclude_own_family=True)
    assert majority(votes, panel=strict, agent_family="acme").reason == "tie"
    assert majority(votes, panel=strict, agent_family="nobody").outcome == PASS
    assert majority(votes, panel=strict).outcome == PASS
    short = majority(votes, panel=panel(3, exclude_own_family=True), agent_family="acme")
    assert short.reason == "quorum_not_met"
    assert "left out as own family: a" in short.detail
    assert short.rationale.startswith("a: Pass")


def recorded(*verdicts):
    return VerdictSet(verdicts=verdicts, source="verdicts.jsonl")


def test_recorded_verdicts_of_several_judges_get_a_majority_and_are_kept_as_they_are():
    spec = PanelSpec(name="panel", kind="recorded", verdicts="verdicts.jsonl")
    votes = (vote("x", PASS), vote("y", PASS), vote("z", FAIL))
    judged = judged_from_record(recorded(*votes), panel=spec)
    assert judged.verdicts[:3] == votes
    assert (judged.verdicts[3].judge, judged.verdicts[3].outcome) == ("panel", PASS)
    assert (judged.requests, judged.prompt_fingerprint) == (0, None)
    assert judged_from_record(recorded(votes[0]), panel=spec).verdicts == votes[:1]


def test_a_record_without_verdicts_or_with_the_panels_name_is_refused():
    spec = PanelSpec(name="panel", kind="recorded", verdicts="verdicts.jsonl")
    with pytest.raises(InputError, match=r"verdicts\.jsonl: no verdicts"):
        judged_from_record(recorded(), panel=spec)
    with pytest.raises(InputError, match="named 'panel'"):
        judged_from_record(recorded(vote("panel", PASS), vote("y", PASS)), panel=spec)


@pytest.mark.parametrize(
    ("reply", "ab", "ba"),
    [
        ('{"rationale": "r", "winner": "FIRST"}', "A", "B"),
        ('{"rationale": "r", "winner": "second"}', "B", "A"),
        ("WINNER: tie", "tie", "tie"),
        ('{"winner": "A"}', None, None),
        ('{"winner": "FIRST or SECOND"}', None, None),
    ],
)
def test_a_letter_is_mapped_back_to_its_candidate_once(reply, ab, ba):
    assert read_pair_reply(reply, order="ab").winner == ab
    assert read_pair_reply(reply, order="ba").winner == ba


def test_a_comparison_shows_both_candidates_in_the_order_given():
    unknown = dict.fromkeys(("session_id", "task_id", "agent", "agent_family"), "unknown")
    first = Session(**unknown, task_prompt="t", diff="+ one")
    second = Session(**unknown, task_prompt="t", diff="+ two")
    criterion = Criterion(
        dimension="correctness", weight=1, question="Better?", pass_when="y", fail_when="n"
    )
    conf = Path(__file__).resolve().parents[3] / "conf"
    template = (conf / "prompt" / "pairwise.md").read_text(encoding="utf-8")
    _, user = render_pair(first, second, criterion=criterion, template=template)
    assert parse_candidates(user["content"]) == (first, second)
    assert "\nQuestion: Better?\n" in user["content"]
    assert '"winner"' in user["content"]
