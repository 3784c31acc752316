"""Nothing of the user's is lost, mixed or written elsewhere, whatever a file or a word says."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time

import pytest

from assay.app import run_door
from assay.app.plain_verbs import run_plain
from assay.stages.recording import folder_name

OFF = "tracking=off"


@pytest.mark.parametrize(
    "name", ["../../evil", "/etc/passwd", "..", ".", "a/b", "日本 j/1", "x" * 400, "a\\b", "con:1"]
)
def test_a_judges_name_never_leaves_its_folder_or_shares_one(name):
    folder = folder_name(name)
    assert "/" not in folder
    assert folder not in {"", ".", ".."}
    assert len(folder) < 120
    assert folder != folder_name(name + "!")


def test_plain_names_are_kept_as_they_are():
    assert folder_name("gpt-4.1_mini") == "gpt-4.1_mini"


def test_results_of_a_judge_with_a_hostile_name_stay_in_the_output_folder(tmp_path, capsys):
    (tmp_path / "work").mkdir()
    start = tmp_path / "work"
    (start / "l.csv").write_text("id,dimension,result\na,d,Pass\n", encoding="utf-8")
    (start / "v.csv").write_text(
        "id,dimension,judge,verdict\na,d,../../evil,Pass\n", encoding="utf-8"
    )
    assert (
        run_plain("validate", ["--labels", "l.csv", "--verdicts", "v.csv", OFF], start=start) == 0
    )
    assert [p.name for p in tmp_path.iterdir()] == ["work"]
    assert {p.name for p in start.iterdir()} == {"l.csv", "v.csv", "assay-out"}


@pytest.mark.parametrize("verb", ["split", "synth"])
@pytest.mark.parametrize("own", ["labels.jsonl", "labels.csv", "notes.txt"])
def test_the_synthetic_set_is_never_written_beside_files_of_ones_own(tmp_path, capsys, verb, own):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / own).write_text("mine\n", encoding="utf-8")
    assert run_door(verb, ["data.dir=mine"], start=tmp_path) == 2
    assert "nothing was written" in capsys.readouterr().err
    assert [p.name for p in (tmp_path / "mine").iterdir()] == [own]


def test_synth_refuses_the_users_own_data_group(tmp_path, capsys):
    assert run_door("synth", ["data=files", "data.dir=mine"], start=tmp_path) == 2
    assert not (tmp_path / "mine").exists()


def own_data(start):
    mine = start / "mine"
    mine.mkdir()
    for name in ("sessions.jsonl", "labels.jsonl"):
        shutil.copy(start / "bench" / name, mine / name)
    return mine


def test_labels_of_unknown_sessions_and_other_agents_are_refused_before_the_split(start, capsys):
    mine = own_data(start)
    words = ["data=files", "data.dir=mine"]
    before = (mine / "labels.jsonl").read_text(encoding="utf-8")
    extra = json.dumps({"session_id": "zzz", "dimension": "correctness", "result": "Pass"})
    (mine / "labels.jsonl").write_text(before + extra + "\n", encoding="utf-8")
    assert run_door("split", words, start=start) == 2
    assert "zzz" in capsys.readouterr().err
    first = json.loads(before.splitlines()[0]) | {"agent": "somebody-else"}
    lines = [json.dumps(first), *before.splitlines()[1:]]
    (mine / "labels.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert run_door("split", words, start=start) == 2
    assert "has agent 'somebody-else'" in capsys.readouterr().err
    assert not (mine / "split").exists()


def test_labels_changed_after_the_split_are_told_and_not_read(start, capsys):
    path = start / "bench" / "labels.jsonl"
    later = time.time() + 60
    os.utime(path, (later, later))
    assert run_door("dev", ["panel=solo", OFF], start=start) == 0
    assert "is newer than the split; the labels of the split count" in capsys.readouterr().err


def test_a_labels_file_of_another_ending_is_pointed_at(start, capsys):
    mine = own_data(start)
    (mine / "labels.jsonl").rename(mine / "labels.csv")
    assert run_door("split", ["data=files", "data.dir=mine"], start=start) == 2
    assert "data.labels=labels.csv" in capsys.readouterr().err


def test_of_repeats_the_lowest_counts_whatever_the_numbering(tmp_path, capsys):
    (tmp_path / "l.csv").write_text("id,dimension,result\na,d,Pass\nb,d,Fail\n", encoding="utf-8")
    (tmp_path / "v.csv").write_text(
        "id,dimension,judge,verdict,repeat\n"
        "a,d,j,Pass,1\na,d,j,Fail,2\nb,d,j,Fail,3\nb,d,j,Pass,7\n",
        encoding="utf-8",
    )
    words = ["--labels", "l.csv", "--verdicts", "v.csv", "--json", OFF]
    assert run_plain("validate", words, start=tmp_path) == 0
    report = json.loads(capsys.readouterr().out)
    column = report["judges"][0]["dimensions"][0]
    assert [column[k] for k in ("tp", "fp", "tn", "fn", "n_missing")] == [1, 0, 1, 0, 0]


def test_a_sweep_over_judges_with_recorded_verdicts_is_refused(start, capsys):
    (start / "v.csv").write_text("id,dimension,judge,verdict\ns1,d,j,Pass\n", encoding="utf-8")
    words = ["-m", "judge=strict,baseline", "panel=recorded", "panel.verdicts=v.csv", OFF]
    assert run_door("dev", words, start=start) == 2
    assert "asks no judge" in capsys.readouterr().err


@pytest.mark.parametrize("out", ["/proc/assay", "taken"])
def test_an_output_folder_that_cannot_be_written_is_an_input_error(tmp_path, capsys, out):
    (tmp_path / "taken").write_text("a file\n", encoding="utf-8")
    (tmp_path / "l.csv").write_text("id,dimension,result\na,d,Pass\n", encoding="utf-8")
    (tmp_path / "v.csv").write_text("id,dimension,judge,verdict\na,d,j,Pass\n", encoding="utf-8")
    words = ["--labels", "l.csv", "--verdicts", "v.csv", OFF, f"out={out}"]
    assert run_plain("validate", words, start=tmp_path) == 2
    assert "name a file or folder that can be used" in capsys.readouterr().err


def test_an_option_file_that_is_no_yaml_is_a_config_error(tmp_path, capsys):
    (tmp_path / "mine" / "judge").mkdir(parents=True)
    (tmp_path / "mine" / "judge" / "bad.yaml").write_text("name: [bad\n", encoding="utf-8")
    words = ["judge=bad", "--config-dir", "mine", OFF]
    assert run_door("dev", words, start=tmp_path) == 2
    assert "no YAML" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["labels", "synth"])
def test_a_reader_that_goes_away_ends_with_141_and_no_traceback(start, verb):
    words = {"labels": ["labels", "bench/labels.jsonl"], "synth": ["dev", "--cfg", "job"]}[verb]
    process = subprocess.Popen(
        [sys.executable, "-m", "assay", *words], cwd=start,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait(60) == 141, err
    assert "Traceback" not in err


def test_a_missing_key_leaves_no_run_behind(start, capsys, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert run_door("dev", ["panel=openai"], start=start) == 2
    assert "panel.members.0.api_key_env=null" in capsys.readouterr().err
    from mlflow import MlflowClient

    client = MlflowClient(tracking_uri=f"sqlite:///{start / 'mlflow.db'}")
    experiment = client.get_experiment_by_name("assay")
    assert client.search_runs([experiment.experiment_id]) == []
