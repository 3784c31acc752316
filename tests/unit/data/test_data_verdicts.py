"""Recorded verdicts: a missing one is a state of its own; what assay writes it reads back."""

from __future__ import annotations

import pytest

from assay.data import VerdictOptions, load_combined, load_verdicts, write_jsonl
from assay.errors import InputError, LabelFileError
from assay.schema import Usage, Verdict


@pytest.fixture
def write(tmp_path):
    def _write(content, name="verdicts.csv"):
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return path

    return _write


def test_a_blank_verdict_is_abstained_not_recorded_never_fail(write):
    found = load_verdicts(write("id,judge,verdict\na,j,Pass\nb,j,\nc,j,fail\n"))
    assert [(v.outcome, v.reason) for v in found.verdicts] == [
        ("pass", None), ("abstained", "not_recorded"), ("fail", None),
    ]  # fmt: skip


def test_reasons_decide_between_abstained_and_errored(write):
    found = load_verdicts(
        write("id,verdict,reason\na,,timeout\nb,,refused\nc,errored,\nd,abstained,tie\n")
    )
    assert [(v.outcome, v.reason) for v in found.verdicts] == [
        ("errored", "timeout"), ("abstained", "refused"),
        ("errored", "bad_response"), ("abstained", "tie"),
    ]  # fmt: skip


def test_wide_files_have_one_column_per_judge(write):
    found = load_verdicts(
        write("id,dimension,gpt,claude\na,x,Pass,Fail\nb,x,,Pass\n"),
        options=VerdictOptions(judge_columns=("gpt", "claude")),
    )
    assert found.judges == ("gpt", "claude")
    assert [v.outcome for v in found.verdicts] == ["pass", "fail", "abstained", "pass"]


def test_a_second_verdict_for_the_same_item_is_refused_but_repeats_are_not(write):
    with pytest.raises(LabelFileError, match=r"verdicts.csv:3.*a second verdict of j"):
        load_verdicts(write("id,judge,verdict\na,j,Pass\na,j,Fail\n"))
    both = load_verdicts(write("id,judge,verdict,repeat\na,j,Pass,0\na,j,Fail,1\n"))
    assert [v.repeat for v in both.verdicts] == [0, 1]


def test_an_unknown_reason_is_refused_with_its_line(write):
    with pytest.raises(LabelFileError, match=r"verdicts.csv:2.*reason"):
        load_verdicts(write("id,judge,verdict,reason\na,j,,whatever\n"))


def test_what_a_run_wrote_is_read_back_equal(tmp_path):
    verdicts = [
        Verdict(
            session_id="007", dimension="correctness", judge="j", family="f", outcome="abstained",
            reason="ambiguous", detail="two verdicts", rationale="line\nbreak", raw_text="{x}",
            prompt_fingerprint="ab", served_model="m", usage=Usage(prompt_tokens=3),
            cost_usd=0.5, latency_s=0.25, attempts=2, repeat=1, simulated=True,
        ),
        Verdict(session_id="1E5", dimension="correctness", judge="j", outcome="pass"),
    ]  # fmt: skip
    path = tmp_path / "verdicts.jsonl"
    write_jsonl(path, verdicts)
    assert list(load_verdicts(path).verdicts) == verdicts


def test_combined_records_keep_votes_apart_and_null_as_a_state(write):
    path = write(
        '{"item_id": "a", "agent": "bot", "dimension": "d", "human": "pass",'
        ' "annotators": {"x": "pass", "y": "fail"}, "judges": {"j": "fail", "k": null},'
        ' "question_id": "q1"}\n'
        '{"item_id": "b", "agent": "bot", "dimension": "d", "human": null, "judges": {"j": "pass"}}\n',
        "c.jsonl",
    )
    labels, verdicts = load_combined(path)
    assert [(x.session_id, x.result) for x in labels.labels] == [("a", "Pass")]
    assert [(v.annotator, v.result) for v in labels.votes] == [("x", "Pass"), ("y", "Fail")]
    assert labels.aggregation == "recorded"
    assert labels.unlabelled == 1
    assert labels.groups == {"a": "q1"}
    assert [(v.judge, v.outcome) for v in verdicts.verdicts] == [
        ("j", "fail"), ("k", "abstained"), ("j", "pass"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ('{"item_id": "a", "human": "perhaps", "judges": {}}', "'perhaps'"),
        ('{"item_id": "a", "human": "pass", "judges": {"j": "meh"}}', "'meh'"),
        ('{"item_id": "a", "human": "pass", "judges": ["j"]}', "must map names"),
        ('{"item_id": "a", "human": "pass", "juges": {"j": "pass"}}', "did you mean 'judges'"),
        ('{"item_id": " ", "human": "pass", "judges": {}}', "blank"),
    ],
)
def test_faults_of_combined_files_are_named_with_their_line(write, line, word):
    path = write('{"item_id": "ok", "human": "fail", "judges": {}}\n' + line + "\n", "c.jsonl")
    with pytest.raises(LabelFileError) as caught:
        load_combined(path)
    (fault,) = caught.value.faults
    assert fault.startswith("c.jsonl:2:")
    assert word in fault


def test_a_labels_file_given_as_combined_says_how_to_give_it(write):
    with pytest.raises(LabelFileError, match="--labels FILE --verdicts FILE"):
        load_combined(write("id,label\na,Pass\n"))


def test_verdict_mapping_may_name_the_states(write):
    path = write("id,verdict\na,dunno\n")
    options = VerdictOptions(spellings={"dunno": "abstained"})
    assert load_verdicts(path, options=options).verdicts[0].outcome == "abstained"
    with pytest.raises(InputError):
        load_verdicts(path, options=VerdictOptions(spellings={"dunno": "huh"}))
