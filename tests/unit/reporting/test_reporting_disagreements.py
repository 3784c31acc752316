"""The disagreement table: the right rows, the right kind, safe in a sheet and a page."""

from __future__ import annotations

import csv
import io

from assay.reporting import disagreement_rows, disagreements_csv, disagreements_html
from assay.schema import HumanLabel, LabelSet, Session, Verdict


def one(result, outcome, **fields):
    label = HumanLabel(session_id="s", dimension="d", result=result, notes=fields.pop("notes", ""))
    verdict = Verdict(session_id="s", dimension="d", judge="j", outcome=outcome, **fields)
    return LabelSet((label,)), (verdict,)


def test_rows_are_the_false_passes_then_the_false_fails_of_one_judge(judged):
    labels, verdicts = judged
    rows = disagreement_rows(labels, verdicts, judge="gpt-x")
    # s3: human Fail, judge Pass. s2: human Pass, judge Fail. s4 abstained: no disagreement.
    assert [(r.session_id, r.kind, r.agent, r.rationale) for r in rows] == [
        ("s3", "false pass", "cinder-cli", "why s3"),
        ("s2", "false fail", "borealis-dev", "why s2"),
    ]


def test_repeats_and_verdicts_without_a_label_are_passed_over():
    labels, verdicts = one("Fail", "pass", repeat=1)
    assert disagreement_rows(labels, verdicts, judge="j") == ()
    assert disagreement_rows(LabelSet(()), verdicts, judge="j") == ()


def test_the_agent_is_taken_from_the_sessions_where_labels_lack_it():
    labels, verdicts = one("Fail", "pass")
    session = Session(
        session_id="s", task_id="t", agent="atlas-coder", agent_family="atlas", task_prompt="p"
    )
    rows = disagreement_rows(labels, verdicts, judge="j", sessions=[session])
    assert rows[0].agent == "atlas-coder"


def test_the_csv_has_short_columns_first_and_long_text_last(judged):
    labels, verdicts = judged
    text = disagreements_csv(disagreement_rows(labels, verdicts, judge="gpt-x"))
    read = list(csv.DictReader(io.StringIO(text)))
    assert list(read[0]) == [
        "session_id", "dimension", "agent", "human", "judge", "kind", "note", "rationale",
    ]  # fmt: skip
    assert read[0]["human"] == "Fail"
    assert read[0]["judge"] == "Pass"


def test_no_cell_of_the_csv_is_a_formula_and_line_breaks_survive():
    labels, verdicts = one(
        "Fail", "pass", notes="=HYPERLINK(1)", rationale='+1\nsays "no", then\x00'
    )
    text = disagreements_csv(disagreement_rows(labels, verdicts, judge="j"))
    row = next(csv.DictReader(io.StringIO(text)))
    assert row["note"] == "'=HYPERLINK(1)"
    assert row["rationale"] == '\'+1\nsays "no", then\\x00'


def test_the_page_shows_kind_in_words_and_cuts_long_text_with_a_pointer(single):
    labels, verdicts = one("Fail", "pass", rationale="<b>" + "x" * 5000)
    page = disagreements_html(single, disagreement_rows(labels, verdicts, judge="j"))
    assert "False passes: 1. False fails: 0." in page
    assert "false pass (too lenient)" in page
    assert "&lt;b&gt;xxx" in page
    assert "(cut; see disagreements.csv)" in page


def test_a_page_without_disagreements_says_so(single):
    assert "No disagreement." in disagreements_html(single, ())
