"""The gold loader raises on everything that would make a figure unreliable."""

from __future__ import annotations

import json

import pytest

from assay.data import load_gold
from assay.errors import InputError, LabelFileError

GOOD = {"id": "g1", "question": "How is a split made?", "must_include": ["by a seeded search"]}


@pytest.fixture
def write(tmp_path):
    def _write(*lines):
        path = tmp_path / "gold.jsonl"
        body = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        path.write_text("\n".join(body) + "\n", encoding="utf-8")
        return path

    return _write


def faults_of(path):
    with pytest.raises(LabelFileError) as caught:
        load_gold(path)
    return caught.value.faults


def test_a_good_set_loads_with_defaults(write):
    (question,) = load_gold(write(GOOD)).questions
    assert question.must_not_claim == ()
    assert question.expected_paths == ()


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"must_includes": ["x"]}, "did you mean 'must_include'"),
        ({"question": None}, "question is null"),
        ({"question": " "}, "question is blank"),
        ({"question": 3}, "question must be a text, got int"),
        ({"id": " g1"}, "space at an end"),
        ({"id": ""}, "id is blank"),
        ({"id": 7}, "id must be a text"),
        ({"must_include": []}, "would score 100%"),
        ({"must_include": None}, "must_include is null"),
        ({"must_include": "one"}, "must be a list, got str"),
        ({"must_include": ["a", 2]}, "must_include[2] must be a text"),
        ({"must_include": ["a", " "]}, "must_include[2] is blank"),
        ({"must_include": ["The cache.", "the  CACHE"]}, "says the same as must_include[1]"),
        ({"must_not_claim": ["By a  SEEDED search!"]}, "both required and forbidden"),
        ({"must_not_claim": [None]}, "must_not_claim[1] is null"),
        ({"expected_paths": "a.py"}, "expected_paths must be a list"),
        ({"shape": 1}, "shape must be a text"),
    ],
)
def test_each_fault_is_named_with_its_line(write, change, word):
    (fault,) = faults_of(write(GOOD | {"id": "g0"}, GOOD | change))
    assert fault.startswith("gold.jsonl:2: ")
    assert word in fault


def test_missing_null_blank_and_wrong_type_are_four_messages(write):
    base = {"id": "g5", "must_include": ["x"]}
    messages = set()
    for line in (base, base | {"question": None}, base | {"question": " "}, base | {"question": 3}):
        (fault,) = faults_of(write(line))
        assert fault.startswith("gold.jsonl:1: ")
        messages.add(fault)
    assert len(messages) == 4


@pytest.mark.parametrize("key", ["id", "question", "must_include"])
def test_a_missing_required_key_is_named(write, key):
    (fault,) = faults_of(write({k: v for k, v in GOOD.items() if k != key}))
    assert f"{key} is missing" in fault


def test_duplicate_ids_keys_and_broken_lines_are_reported_together(write):
    faults = faults_of(
        write(
            GOOD, GOOD, '{"id": "g2", "id": "g3", "question": "q", "must_include": ["x"]}', "{oops"
        )
    )
    assert [f.split(": ")[0] for f in faults] == ["gold.jsonl:2", "gold.jsonl:3", "gold.jsonl:4"]
    assert "the first is at line 1" in faults[0]
    assert "stands twice" in faults[1]


def test_a_missing_file_is_an_input_error(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        load_gold(tmp_path / "none.jsonl")


def test_delimited_text_is_no_gold_set(tmp_path):
    path = tmp_path / "gold.csv"
    path.write_text("id,question\ng1,q\n", encoding="utf-8")
    with pytest.raises(LabelFileError, match="JSON Lines"):
        load_gold(path)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"id": "a\nb"}, "line break"),
        ({"id": "g\u200b"}, "U+200B"),
        ({"must_not_claim": ["!?"], "must_include": ["..."]}, None),
        ({"must_not_claim": ["..."], "must_include": ["..."]}, "both required and forbidden"),
        ({"must_not_claim": ["x", "X."]}, "must_not_claim[2] says the same"),
        ({"must_include": {"a": 1}}, "must be a list, got dict"),
        ({"must_include": [True]}, "must_include[1] must be a text, got bool"),
        ({"must_not_claim": None}, "must_not_claim is null; give a list or leave the key out"),
        ({"notes": None}, "leave the key out"),
        ({"colour": 1}, "known keys: id, question"),
    ],
)
def test_faults_of_other_kinds_are_named_too(write, change, word):
    path = write(GOOD | change)
    if word is None:
        assert len(load_gold(path).questions) == 1
        return
    (fault,) = faults_of(path)
    assert fault.startswith("gold.jsonl:1: ")
    assert word in fault


def test_a_required_key_that_is_null_is_not_to_be_left_out(write):
    (fault,) = faults_of(write(GOOD | {"must_include": None}))
    assert fault == "gold.jsonl:1: must_include is null; give a list."


def test_an_id_is_known_even_when_its_question_has_another_fault(write):
    faults = faults_of(write(GOOD | {"question": ""}, GOOD))
    assert len(faults) == 2
    assert "id 'g1' again; the first is at line 1" in faults[1]


def test_ids_that_repeat_in_a_list_on_one_line_are_found(tmp_path):
    path = tmp_path / "gold.json"
    path.write_text(json.dumps([GOOD, GOOD]), encoding="utf-8")
    (fault,) = faults_of(path)
    assert "record 2: id 'g1' again; the first is at record 1" in fault


def test_several_faults_of_one_question_are_all_named(write):
    faults = faults_of(write({"id": "", "must_include": [], "must_not_clam": ["x"]}))
    assert len(faults) == 4
