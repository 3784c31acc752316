"""Criteria are opaque text with a weight; YAML's guesses never touch them."""

from __future__ import annotations

import pytest

from assay.app import conf_dir
from assay.data import load_criteria
from assay.errors import ConfigError

ENTRY = """\
  - dimension: {name}
    weight: {weight}
    question: {question}
    pass_when: "no"
    fail_when: 12:30
"""


@pytest.fixture
def write(tmp_path):
    def _write(text):
        path = tmp_path / "mine.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    return _write


def entry(name="a", weight="1", question="Is it ${amount}?"):
    return ENTRY.format(name=name, weight=weight, question=question)


def test_text_stays_as_written(write):
    (criterion,) = load_criteria(write("criteria:\n" + entry(question="123E456")))
    assert criterion.question == "123E456"
    assert criterion.pass_when == "no"
    assert criterion.fail_when == "12:30"
    (other,) = load_criteria(write("criteria:\n" + entry()))
    assert other.question == "Is it ${amount}?"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("criteria:\n" + entry(weight="0.5"), "add up to 0.5"),
        ("criteria:\n" + entry(weight="0.5") + entry(weight="0.5"), "'a' comes twice"),
        ("criteria:\n" + entry(weight="heavy"), "weight must be a number"),
        ("criteria:\n" + entry().replace("pass_when", "pass_wen"), "did you mean 'pass_when'"),
        ("criteria: []\n", "at least one"),
        ("other: 1\n", "one key, criteria"),
        ("criteria: [\n", "not YAML"),
        ("criteria:\n  - text\n", "is a mapping"),
    ],
)
def test_faults_are_config_errors_that_say_what(write, text, word):
    with pytest.raises(ConfigError, match=word):
        load_criteria(write(text))


def test_the_packaged_criteria_have_the_declared_weights():
    criteria = load_criteria(conf_dir() / "criteria" / "coding_agents.yaml")
    assert {c.dimension: c.weight for c in criteria} == {
        "correctness": 0.35, "verification": 0.20, "completeness": 0.20,
        "code_quality": 0.15, "minimal_diff": 0.10,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("change", "line", "word"),
    [
        (("weight: 1", "weight: 1\n    weight: 1"), 4, "key 'weight' stands twice"),
        (("Is it ${amount}?", ""), 4, "question is null"),
        (("Is it ${amount}?", "~"), 4, "question is null"),
        (("Is it ${amount}?", '""'), 4, "question is blank"),
        (("Is it ${amount}?", "[a, b]"), 4, "must be a text, got a list"),
        (("weight: 1", "weight: nan"), 3, "above 0 and at most 1, got 'nan'"),
        (("weight: 1", "weight: 1.5"), 3, "above 0 and at most 1"),
        (("    weight: 1\n", ""), 2, "weight is missing"),
        (("dimension: a", "dimension: a b"), 2, "dimension"),
        (("question: Is it", "question: Is: it"), 4, "not YAML"),
    ],
)
def test_faults_are_named_with_their_line(write, change, line, word):
    with pytest.raises(ConfigError) as caught:
        load_criteria(write("criteria:\n" + entry().replace(*change)))
    (fault,) = str(caught.value).split("\n")
    assert fault.startswith(f"mine.yaml:{line}: ")
    assert word in fault


def test_a_quoted_null_and_yes_are_texts(write):
    (criterion,) = load_criteria(write("criteria:\n" + entry(question='"null"')))
    assert criterion.question == "null"
    (criterion,) = load_criteria(write("criteria:\n" + entry(question="yes")))
    assert criterion.question == "yes"


def test_several_faults_are_named_in_one_go(write):
    with pytest.raises(ConfigError) as caught:
        load_criteria(write("criteria:\n" + entry(weight="x") + entry(question="")))
    assert [f.split(": ")[0] for f in str(caught.value).split("\n")] == [
        "mine.yaml:3",
        "mine.yaml:9",
    ]


def test_nothing_in_a_criteria_file_is_run(write):
    with pytest.raises(ConfigError):
        load_criteria(write("criteria: !!python/object/apply:os.getcwd []\n"))
