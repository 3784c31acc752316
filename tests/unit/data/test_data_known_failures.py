"""Failures reported against other tools: the input that broke them, and what must happen here."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from assay.data import LabelOptions, load_gold, load_labels
from assay.errors import LabelFileError
from tests.shared_material import shared_path

CLASSES = {"label-import", "gold-set"}


@pytest.fixture
def case():
    lines = shared_path("cases/pain_points.jsonl").read_text(encoding="utf-8").split("\n")
    cases = [json.loads(line) for line in lines if line.strip()]
    known = {c["id"]: c for c in cases if c["fault_class"] in CLASSES}
    assert set(known) == set(CHECKS), "a reported failure has no test here"
    return lambda name: known[name]["repro_input"]


def write(folder, text, name="labels.csv", encoding="utf-8"):
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def faults_of(read, path, **options):
    with pytest.raises(LabelFileError) as caught:
        read(path, **options)
    return caught.value.faults


def results(path, **options):
    found = load_labels(path, options=LabelOptions(**options))
    return {x.session_id: x.result for x in found.labels}


def check_words_for_nothing(repro, folder):
    path = write(folder, repro)
    (fault,) = faults_of(load_labels, path)
    assert fault.startswith("labels.csv:3:")
    assert "'NA'" in fault
    found = load_labels(path, options=LabelOptions(spellings={"NA": "unlabelled"}))
    assert (len(found.labels), found.unlabelled) == (1, 2)


def check_mixed_spellings(repro, folder):
    found = load_labels(write(folder, repro))
    said = [x.result for x in found.labels]
    assert (said.count("Pass"), said.count("Fail")) == (5, 3)
    assert {raw.strip().lower(): m for raw, (m, _) in found.spellings.items()} == {
        "true": "Pass", "false": "Fail", "pass": "Pass", "fail": "Fail", "1": "Pass",
        "0.0": "Fail", "yes": "Pass",
    }  # fmt: skip


def check_byte_order_mark(repro, folder):
    assert results(write(folder, repro)) == {"b1": "Pass"}
    tabs = repro.replace(",", "\t")
    assert results(write(folder, tabs, "labels.tsv")) == {"b1": "Pass"}
    as_json = '\ufeff[{"id": "b1", "label": "Pass"}]'
    assert results(write(folder, as_json, "labels.json")) == {"b1": "Pass"}
    assert results(write(folder, as_json.replace("[", "").replace("]", ""), "l.jsonl")) == {
        "b1": "Pass"
    }


def check_other_encodings(repro, folder):
    for encoding in (repro["encoding"], "utf-16-le", "utf-16-be"):
        (fault,) = faults_of(load_labels, write(folder, repro["text"], encoding=encoding))
        assert "UTF-16" in fault


def check_ids_in_two_files(repro, folder):
    labels = results(write(folder, repro["labels"]))
    items = [item["id"] for item in repro["items"]]
    assert [i for i in items if i in labels] == ["007"]


def check_ids_beside_missing_labels(repro, folder):
    path = write(folder, repro["labels"])
    assert results(path) == {"1": "Pass", "3": "Fail"}
    assert load_labels(path).unlabelled == 1


def check_semicolons_and_line_breaks(repro, folder):
    (fault,) = faults_of(load_labels, write(folder, repro))
    assert fault.startswith("labels.csv:4: record 2:")
    assert "'Maybe'" in fault


def check_locale(repro, folder):
    path = write(folder, repro["line"] + "\n", "labels.jsonl")
    script = (
        "import sys; from pathlib import Path; from assay.data import load_labels, write_jsonl\n"
        "path = Path(sys.argv[1]); write_jsonl(path.with_name('out'), load_labels(path).labels)"
    )
    env = {**os.environ, **repro["env"]}
    subprocess.run([sys.executable, "-c", script, str(path)], env=env, check=True, timeout=60)
    assert results(path.with_name("out")) == {json.loads(repro["line"])["id"]: "Pass"}


def check_mistyped_key(repro, folder):
    faults = faults_of(load_gold, write(folder, repro, "gold.jsonl"))
    assert all(fault.startswith("gold.jsonl:1:") for fault in faults)
    assert "must_include" in faults[0]
    assert "did you mean" in faults[0]


def check_four_messages(repro, folder):
    messages = [faults_of(load_gold, write(folder, line, "gold.jsonl")) for line in repro]
    assert all(len(m) == 1 and m[0].startswith("gold.jsonl:1:") for m in messages)
    assert len(set(messages)) == len(repro) == 4


CHECKS = {
    "UP-082": check_words_for_nothing,
    "UP-084": check_mixed_spellings,
    "UP-086": check_byte_order_mark,
    "UP-087": check_other_encodings,
    "UP-088": check_ids_in_two_files,
    "UP-090": check_ids_beside_missing_labels,
    "UP-091": check_semicolons_and_line_breaks,
    "UP-092": check_locale,
    "UP-108": check_mistyped_key,
    "UP-111": check_four_messages,
}


@pytest.mark.parametrize("name", CHECKS)
def test_an_input_that_broke_another_tool_is_handled_here(case, tmp_path, name):
    CHECKS[name](case(name), tmp_path)
