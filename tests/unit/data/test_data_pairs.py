"""Pairs: a person's choice beside the judges' choices in both orders."""

from __future__ import annotations

import json

import pytest

from assay.data import load_pairs, load_sessions, write_jsonl
from assay.errors import LabelFileError
from assay.schema import PairLabel

GOOD = {"pair_id": "p", "human": "A", "judges": {"j": {"ab": "A", "ba": "B"}}}


@pytest.fixture
def write(tmp_path):
    def _write(*records):
        path = tmp_path / "pairs.jsonl"
        path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
        return path

    return _write


def test_our_own_records_come_back_and_may_share_a_pair_over_dimensions_and_people(tmp_path):
    pairs = [
        PairLabel(
            pair_id="p", dimension=d, session_a="a", session_b="b", winner="tie", annotator=who
        )
        for d in ("x", "y")
        for who in ("ann", "bob")
    ]
    path = tmp_path / "pairs.jsonl"
    write_jsonl(path, pairs)
    assert load_pairs(path).labels == tuple(pairs)


def test_our_own_records_must_not_repeat(write):
    one = {"pair_id": "p", "session_a": "a", "session_b": "b", "winner": "A"}
    with pytest.raises(
        LabelFileError, match=r"pairs.jsonl:2: pair_id 'p', dimension 'overall' again"
    ):
        load_pairs(write(one, one))


def test_votes_of_annotators_are_kept_beside_the_agreed_choice(write):
    pairs = load_pairs(write(GOOD | {"annotators": {"ann": "A", "bob": "tie"}}))
    assert [(v.annotator, v.winner) for v in pairs.votes] == [("ann", "A"), ("bob", "tie")]
    assert pairs.labels[0].annotator is None


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"human": "C"}, "human must be A, B, tie or null, got 'C'"),
        ({"judges": ["j"]}, "judges must be an object"),
        ({"judges": {"j": "A"}}, "must be an object with ab and ba"),
        ({"judges": {"j": {"first": "A"}}}, "must be an object with ab and ba"),
        ({"judges": {"j": {"ab": "first", "ba": None}}}, "judges['j'].ab must be A, B, tie"),
        ({"agents": "x"}, "agents must be an object"),
        ({"annotators": {"ann": "left"}}, "annotators['ann'] must be"),
        ({"orders": "ab-only"}, "orders says ab-only"),
        ({"pair_id": None}, "pair_id is null"),
        ({"pair_id": " p"}, "space at an end"),
        ({}, "again; the first is at line 1"),
    ],
)
def test_faults_are_named_with_their_line(write, change, word):
    with pytest.raises(LabelFileError) as caught:
        load_pairs(write(GOOD, GOOD | {"pair_id": "q"} | (change or {"pair_id": "p"})))
    (fault,) = caught.value.faults
    assert fault.startswith("pairs.jsonl:2: ")
    assert word in fault


def test_a_missing_choice_is_a_fault_and_null_is_counted(write):
    assert load_pairs(write(GOOD, GOOD | {"pair_id": "q", "human": None})).unlabelled == 1
    with pytest.raises(LabelFileError, match="human is missing"):
        load_pairs(write(GOOD, {"pair_id": "q", "judges": {}}))


@pytest.mark.parametrize("read", [load_pairs, load_sessions])
def test_delimited_text_is_refused_in_words(tmp_path, read):
    path = tmp_path / "x.csv"
    path.write_text("pair_id,winner\np,A\n", encoding="utf-8")
    with pytest.raises(LabelFileError, match=r"x.csv:1: .* are JSON Lines"):
        read(path)


def test_session_ids_that_are_numbers_are_read_as_text(tmp_path):
    path = tmp_path / "sessions.json"
    one = {"session_id": 7, "task_id": 1, "agent": "a", "agent_family": "f", "task_prompt": "t"}
    path.write_text(json.dumps([one, one | {"session_id": "007"}]), encoding="utf-8")
    assert [s.session_id for s in load_sessions(path)] == ["7", "007"]
    path.write_text(json.dumps([one, one | {"session_id": "7"}]), encoding="utf-8")
    with pytest.raises(LabelFileError, match=r"record 2: session_id '7' again; .* record 1"):
        load_sessions(path)
