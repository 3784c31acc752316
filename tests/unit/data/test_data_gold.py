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
