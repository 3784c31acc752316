"""Recorded verdicts: a missing one is a state of its own; what assay writes it reads back."""

from __future__ import annotations

import pytest

from assay.data import VerdictOptions, load_combined, load_verdicts, sniff, write_jsonl
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
        '{"item_id": "b", "agent": "bot", "dimension": "d", "human": null,'
        ' "judges": {"j": "pass"}}\n',
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


def faults_of(path, **options):
    with pytest.raises(LabelFileError) as caught:
        load_verdicts(path, options=VerdictOptions(**options))
    return caught.value.faults


def test_all_other_columns_may_be_declared_as_judges(write):
    found = load_verdicts(
        write("id,dimension,agent,gpt,claude\na,x,bot,1,0\n"),
        options=VerdictOptions(other_columns_are_judges=True),
    )
    assert [(v.judge, v.outcome) for v in found.verdicts] == [("gpt", "pass"), ("claude", "fail")]
    with pytest.raises(InputError, match="not both"):
        load_verdicts(
            write("id,gpt\na,1\n"),
            options=VerdictOptions(judge_columns=("gpt",), other_columns_are_judges=True),
        )


def test_a_reason_beside_a_verdict_is_refused_not_forgotten(write):
    (fault,) = faults_of(write("id,verdict,reason\na,Pass,timeout\nb,,refused\n"))
    assert fault == "verdicts.csv:2: record 1: outcome pass takes no reason, got 'timeout'."


def test_a_judges_own_words_under_reason_are_its_rationale(write):
    found = load_verdicts(write("id,verdict,reason\na,Pass,It works.\nb,,\n"))
    assert [(v.rationale, v.reason) for v in found.verdicts] == [
        ("It works.", None), ("", "not_recorded"),
    ]  # fmt: skip
    assert any("read as the judge's rationale" in n for n in found.notices)


def test_words_and_reasons_in_one_column_are_told_apart_by_the_person(write):
    (fault,) = faults_of(write("id,verdict,reason\na,Pass,It works.\nb,,refused\n"))
    assert "belong in a column rationale" in fault


def test_a_mistyped_reason_gets_a_suggestion(write):
    (fault,) = faults_of(write("id,verdict,reason\na,,refusd\n"))
    assert "did you mean refused" in fault


def test_a_record_without_the_verdict_key_is_a_fault_and_null_is_a_state(write):
    path = write('{"id": "a", "verdict": null}\n{"id": "b"}\n', "v.jsonl")
    assert faults_of(path) == ("v.jsonl:2: verdict is missing; write null if there is none.",)


def test_a_blank_judge_beside_named_ones_is_refused(write):
    (fault,) = faults_of(write("id,judge,verdict\na,j,1\nb,,1\n"))
    assert "the judge is blank" in fault


def test_second_verdicts_in_a_list_on_one_line_are_found(write):
    (fault,) = faults_of(write('[{"id":"a","verdict":1},{"id":"a","verdict":0}]', "v.json"))
    assert "record 2: a second verdict" in fault


def test_every_fault_of_a_verdict_is_named(write):
    line = '{"id": "a", "verdict": 1, "cost_usd": -1, "attempts": "x", "usage": [1]}\n'
    assert len(faults_of(write(line, "v.jsonl"))) == 3


@pytest.mark.parametrize(
    ("content", "name", "form"),
    [
        ('{"item_id": "a", "human": "pass", "judges": {"j": "pass"}}', "x.jsonl", "combined"),
        ('{"item_id": "a", "human": "pass", "annotators": {"j": "pass"}}', "x.jsonl", "combined"),
        ('{"item_id": "a", "human": "pass"}', "x.jsonl", "labels"),
        ("id,label\na,1\n", "x.csv", "labels"),
        ("id,label,verdict\na,1,1\n", "x.csv", "labels"),
        ("id;Verdict\na;1\n", "x.csv", "verdicts"),
        ('{"pair_id": "p", "winner": "A"}', "x.jsonl", "pairs"),
    ],
)
def test_files_are_told_apart_by_the_names_they_use(write, content, name, form):
    assert sniff(write(content + "\n", name)) == form


def test_a_combined_file_must_not_contradict_itself(write):
    record = '{"item_id": "a", "human": "pass", "dimension": "%s", "agent": "%s"}\n'
    path = write(record % ("x", "bot") + record % ("y", "other"), "c.jsonl")
    with pytest.raises(LabelFileError, match=r"c.jsonl:2: 'a' has agent 'other' here but 'bot'"):
        load_combined(path)


def test_a_combined_record_without_human_is_a_fault(write):
    path = write('{"item_id": "a", "human": null}\n{"item_id": "b"}\n', "c.jsonl")
    with pytest.raises(LabelFileError, match=r"c.jsonl:2: human is missing; write null"):
        load_combined(path)


def test_unused_keys_of_a_combined_file_are_named(write):
    path = write('{"item_id": "a", "human": "pass", "colour": "red", "text": {}}\n', "c.jsonl")
    labels, _ = load_combined(path)
    assert labels.notices == ("c.jsonl: left out, not used here: colour",)


def test_the_table_of_spellings_counts_votes_apart_from_labels(write):
    path = write(
        '{"item_id": "a", "human": "pass", "annotators": {"x": "pass", "y": "fail"}}\n', "c.jsonl"
    )
    assert load_combined(path)[0].spellings == {
        "pass": ("Pass", 1), "fail (annotators)": ("Fail", 1), "pass (annotators)": ("Pass", 1),
    }  # fmt: skip


def test_cells_of_a_table_become_the_types_of_a_verdict(write):
    found = load_verdicts(
        write(
            "id;verdict;repeat;cost_usd;latency_s;attempts;simulated;usage;rationale\n"
            'a;1;2;0.5;1;3;true;"{""prompt_tokens"": 7}";007\n'
            "b;0;;;;;;;\n"
        )
    )
    a, b = found.verdicts
    assert (a.repeat, a.cost_usd, a.latency_s, a.attempts) == (2, 0.5, 1.0, 3)
    assert (a.simulated, a.usage, a.rationale) == (True, Usage(prompt_tokens=7), "007")
    assert (b.repeat, b.cost_usd, b.simulated, b.usage) == (0, None, False, Usage())


@pytest.mark.parametrize(
    ("column", "cell", "word"),
    [
        ("repeat", "1.5", "repeat must be a whole number, got '1.5'"),
        ("attempts", "-1", "attempts must be a whole number"),
        ("cost_usd", "0,5", "cost_usd must be a number, written like 0.9"),
        ("latency_s", "nan", "latency_s"),
        ("simulated", "perhaps", "simulated must be true or false"),
        ("usage", "many", "usage must be a JSON object"),
    ],
)
def test_a_cell_that_is_no_number_is_named(write, column, cell, word):
    (fault,) = faults_of(write(f"id;verdict;{column}\na;1;{cell}\n"))
    assert fault.startswith("verdicts.csv:2: record 1: ")
    assert word in fault
