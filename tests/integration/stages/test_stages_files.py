"""The verbs that read and write files: synth, split, labels, gold."""

from __future__ import annotations

import json
import shutil

import pytest

from assay.app import run_door
from assay.app.plain_verbs import run_plain
from assay.data import read_manifest, read_tuning_labels

DIMENSIONS = ("correctness", "verification", "completeness", "code_quality", "minimal_diff")


def test_synth_again_changes_nothing_and_another_set_is_not_written_over_it(tmp_path, capsys):
    assert run_door("synth", ["data.dir=b"], start=tmp_path) == 0
    before = {p.name: p.read_bytes() for p in (tmp_path / "b").iterdir()}
    assert set(before) == {"sessions.jsonl", "labels.jsonl", "pairs.jsonl"}
    assert "SYNTHETIC" in capsys.readouterr().out
    assert run_door("synth", ["data.dir=b", "--json"], start=tmp_path) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["synthetic"] is True
    assert told["records"]["sessions.jsonl"] == 100
    assert run_door("synth", ["data.dir=b", "data.seed=1"], start=tmp_path) == 2
    assert "already with other content" in capsys.readouterr().err
    assert {p.name: p.read_bytes() for p in (tmp_path / "b").iterdir()} == before
    assert b'"synthetic":true' in before["labels.jsonl"].splitlines()[0]


def test_split_says_what_each_part_can_certify_and_keeps_tasks_together(start, capsys):
    assert run_door("split", [], start=start) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert ".90 cannot be confirmed (needs 29 Fail)" in shown
    manifest = read_manifest(start / "bench" / "split")
    task = {}
    for line in (start / "bench" / "sessions.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        task[record["session_id"]] = record["task_id"]
    parts = [{task[i] for i in getattr(manifest, p).session_ids} for p in ("train", "dev", "test")]
    assert not parts[0] & parts[1]
    assert not parts[0] & parts[2]
    assert not parts[1] & parts[2]
    assert manifest.largest_deviation is not None
    assert manifest.synthetic


def test_another_split_of_the_same_data_is_refused(start, capsys):
    assert run_door("split", ["split.seed=9"], start=start) == 2
    assert "another split is already there" in capsys.readouterr().err


def test_small_strata_are_refused_by_name_or_merged_on_request(start, capsys):
    shutil.rmtree(start / "bench" / "split")
    words = ["split.min_per_stratum=12"]
    assert run_door("split", words, start=start) == 3
    shown = capsys.readouterr().err
    assert "split.small_strata=merge" in shown
    assert any(d in shown for d in DIMENSIONS)
    assert run_door("split", [*words, "split.small_strata=merge"], start=start) == 0
    assert read_manifest(start / "bench" / "split").merged_strata


def test_wide_labels_with_names_and_spellings_of_ones_own_can_be_split(start, capsys):
    mine = start / "mine"
    mine.mkdir()
    shutil.copy(start / "bench" / "sessions.jsonl", mine / "sessions.jsonl")
    rows: dict[str, dict[str, str]] = {}
    for line in (start / "bench" / "labels.jsonl").read_text(encoding="utf-8").splitlines():
        x = json.loads(line)
        word = {"Pass": "good", "Fail": "0"}[x["result"]]
        rows.setdefault(x["session_id"], {})[x["dimension"]] = word
    lines = [";".join(("key", *DIMENSIONS))]
    lines += [";".join((k, *(v[d] for d in DIMENSIONS))) for k, v in rows.items()]
    (mine / "labels.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    words = [
        "data=files", "data.dir=mine", "data.labels=labels.csv",
        "data.reading.columns.session_id=key", "data.reading.spellings.good=Pass",
        f"data.reading.dimension_columns=[{','.join(DIMENSIONS)}]",
    ]  # fmt: skip
    assert run_door("split", words, start=start) == 0
    ours = read_manifest(start / "bench" / "split")
    theirs = read_manifest(mine / "split")
    assert theirs.dev.session_ids == ours.dev.session_ids
    assert theirs.dev.labels_digest == ours.dev.labels_digest
    assert read_tuning_labels(mine / "split", "dev").digest == ours.dev.labels_digest


def test_labels_counts_what_is_there_and_names_other_files(start, capsys):
    assert run_plain("labels", ["bench/labels.jsonl", "--json"], start=start) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["labels"] == 500
    assert sum(c["n"] for c in found["counts"]) == 500
    assert run_plain("labels", ["bench/pairs.jsonl"], start=start) == 2
    assert "holds pairs, not labels" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ('{"id": "g1", "question": "q", "must_include": ["x"]}', 0, "No fault found"),
        ('{"id": "g1", "question": "q", "must_includes": ["x"]}', 2, "did you mean 'must_include'"),
    ],
)
def test_gold_check_passes_or_names_the_fault(tmp_path, capsys, line, code, said):
    (tmp_path / "g.jsonl").write_text(line + "\n", encoding="utf-8")
    assert run_plain("gold", ["check", "g.jsonl"], start=tmp_path) == code
    shown = capsys.readouterr()
    assert said in shown.out + shown.err
