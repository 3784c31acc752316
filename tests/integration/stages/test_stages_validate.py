"""Verdicts one already has: the same report, MLflow runs and artifacts, and no model called."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from assay.app.plain_verbs import run_plain
from tests.shared_material import shared_path

LABELS = """session_id,dimension,result,agent
s1,correctness,Pass,a
s2,correctness,Fail,a
s3,correctness,Pass,b
s4,correctness,Fail,b
s5,correctness,,b
"""
VERDICTS = """session_id,dimension,judge,verdict
s1,correctness,lenient,Pass
s2,correctness,lenient,Pass
s3,correctness,lenient,Pass
s4,correctness,lenient,
s9,correctness,lenient,Pass
s1,correctness,strict,Fail
s2,correctness,strict,Fail
s3,correctness,strict,Pass
s4,correctness,strict,Fail
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "l.csv").write_text(LABELS, encoding="utf-8")
    (tmp_path / "v.csv").write_text(VERDICTS, encoding="utf-8")
    return tmp_path


def validate(capsys, start, *words, code=0):
    assert run_plain("validate", [*words, "tracking=off"], start=start) == code
    return capsys.readouterr()


def columns(report):
    return {j["judge"]: j["dimensions"][0] for j in report["judges"]}


def test_counts_states_and_unmatched_verdicts_by_hand(files, capsys):
    words = ("--labels", "l.csv", "--verdicts", "v.csv", "--json", "policy.min_coverage=0.5")
    report = json.loads(validate(capsys, files, *words).out)
    found = columns(report)
    lenient, strict = found["lenient"], found["strict"]
    # lenient: s1 tp, s2 fp, s3 tp, s4 blank = abstained; s9 has no label.
    assert [lenient[k] for k in ("tp", "fp", "tn", "fn", "n_abstained", "n_missing", "n")] == [
        2, 1, 0, 0, 1, 0, 4,
    ]  # fmt: skip
    assert lenient["reasons"] == {"not_recorded": 1}
    # strict: s1 fn, s2 tn, s3 tp, s4 tn.
    assert [strict[k] for k in ("tp", "fp", "tn", "fn")] == [1, 0, 2, 1]
    assert next(j for j in report["judges"] if j["judge"] == "lenient")["n_unmatched"] == 1
    assert report["labels"]["n_unlabelled"] == 1
    assert report["positive_class"] == "Pass"
    assert report["simulated"] is False
    # Conservative TNR holds the blank verdict against the judge: 0 of 2, not 0 of 1.
    assert (lenient["tnr"]["trials"], lenient["conservative_tnr"]["trials"]) == (1, 2)


def test_low_coverage_of_any_judge_ends_with_4(files, capsys):
    shown = validate(capsys, files, "--labels", "l.csv", "--verdicts", "v.csv", code=4)
    assert "lenient: 3 of 4 decided" in shown.err


def test_the_mapping_of_spellings_is_printed_and_results_stay_on_stdout(files, capsys):
    shown = validate(capsys, files, "--labels", "l.csv", "--verdicts", "v.csv", code=4)
    assert "How values were read" in shown.err
    assert "Pass is the positive class" in shown.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "give one combined FILE, or both"),
        (("--labels", "l.csv"), "--verdicts FILE is missing"),
        (("--verdicts", "v.csv"), "--labels FILE is missing"),
        (("l.csv", "--labels", "l.csv"), "give one combined FILE, or both"),
        (("l.csv", "v.csv"), "got 2 files"),
        (("l.csv",), "not a combined file"),
        (("none.jsonl",), "no such file"),
        (("--labels", "l.csv", "--verdicts", "v.csv", "--map", "x"), "write --map"),
        (("--labels", "l.csv", "--verdicts", "v.csv", "policy.targt=0.9"), "did you mean 'target'"),
    ],
)
def test_misuse_ends_with_2_and_says_what_to_do(files, capsys, words, said):
    shown = validate(capsys, files, *words, code=2)
    assert said in shown.err
    assert shown.out == ""


def test_no_common_id_is_an_error_that_shows_ids_of_both_sides(files, capsys):
    (files / "w.csv").write_text(
        "session_id,dimension,verdict\nx1,correctness,Pass\n", encoding="utf-8"
    )
    shown = validate(capsys, files, "--labels", "l.csv", "--verdicts", "w.csv", code=2)
    assert "x1" in shown.err
    assert "s1" in shown.err


def test_each_judge_is_a_run_of_its_own_beside_the_others(files, capsys):
    from mlflow import MlflowClient

    words = ["--labels", "l.csv", "--verdicts", "v.csv", "policy.min_coverage=0.5"]
    uri = f"sqlite:///{files / 'store.db'}"
    assert run_plain("validate", [*words, f"tracking.uri='{uri}'"], start=files) == 0
    client = MlflowClient(tracking_uri=uri)
    experiment = client.get_experiment_by_name("assay")
    runs = client.search_runs([experiment.experiment_id])
    assert {r.info.run_name for r in runs} == {"lenient", "strict"}
    assert {r.info.status for r in runs} == {"FINISHED"}
    assert len({r.data.tags["assay.sweep"] for r in runs}) == 1
    by_name = {r.info.run_name: r for r in runs}
    assert by_name["strict"].data.metrics["validate/min_tnr"] == 1.0
    # No TN and one FP: TNR is 0 of 1, a value; nothing undefined here.
    assert by_name["lenient"].data.metrics["validate/correctness/tnr"] == 0.0
    assert "mlflow ui" in capsys.readouterr().out


def test_an_undefined_rate_is_no_metric_but_a_tag(files, capsys):
    from mlflow import MlflowClient

    (files / "one.csv").write_text(
        "session_id,dimension,result\ns1,correctness,Pass\ns3,correctness,Pass\n", encoding="utf-8"
    )
    uri = f"sqlite:///{files / 'store.db'}"
    words = ["--labels", "one.csv", "--verdicts", "v.csv", f"tracking.uri='{uri}'"]
    assert run_plain("validate", words, start=files) == 0
    client = MlflowClient(tracking_uri=uri)
    experiment = client.get_experiment_by_name("assay")
    for run in client.search_runs([experiment.experiment_id]):
        assert "validate/correctness/tnr" not in run.data.metrics
        assert "validate/correctness/tnr" in run.data.tags["undefined_metrics"]
    shown = " ".join(capsys.readouterr().out.split())
    assert "undefined (no item that people failed)" in shown


def test_counts_on_real_verdicts_equal_an_independent_computation(tmp_path):
    pandas = pytest.importorskip("pandas")
    path = shared_path("data/nq301_openqa.binary.jsonl")
    done = subprocess.run(
        [sys.executable, "-m", "assay", "validate", str(path), "--json", "tracking=off"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    report = json.loads(done.stdout)
    frame = pandas.read_json(path, lines=True)
    judges = list(frame["judges"][0])
    assert {j["judge"] for j in report["judges"]} == set(judges)
    assert frame["agent"].nunique() == 12
    for judge in report["judges"]:
        said = frame["judges"].map(lambda cell, name=judge["judge"]: cell[name])
        cells = pandas.crosstab([frame["agent"], frame["human"]], said.fillna("none"))
        for m in judge["agents"]:

            def count(human, verdict, cells=cells, agent=m["agent"]):
                return int(cells.get(verdict, {}).get((agent, human), 0))

            assert m["tp"] == count("pass", "pass")
            assert m["fn"] == count("pass", "fail")
            assert m["fp"] == count("fail", "pass")
            assert m["tn"] == count("fail", "fail")
            assert m["n_abstained"] == count("pass", "none") + count("fail", "none")


@pytest.mark.parametrize(
    ("name", "counts"),
    [("evalsbench_annotation", (12, 0, 12, 0))],
)
def test_other_real_files_give_their_published_counts(tmp_path, capsys, name, counts):
    path = shared_path(f"data/{name}.binary.jsonl")
    report = json.loads(validate(capsys, tmp_path, str(path), "--json").out)
    (column,) = columns(report).values()
    assert tuple(column[k] for k in ("tp", "fp", "tn", "fn")) == counts


def test_a_file_without_any_verdict_says_so(tmp_path, capsys):
    path = shared_path("data/evalsbench_benchmark.binary.jsonl")
    shown = validate(capsys, tmp_path, str(path), code=2)
    assert "no judge's verdict" in shown.err


def test_wide_files_with_spellings_of_ones_own_from_the_command_line(tmp_path, capsys):
    (tmp_path / "l.csv").write_text(
        "key,ann,bob\na,good,good\nb,Fail,Fail\nc,NA,Fail\n", encoding="utf-8"
    )
    (tmp_path / "v.csv").write_text(
        "id,one,two\na,Pass,Fail\nb,,Pass\nc,Fail,Fail\n", encoding="utf-8"
    )
    words = (
        "--labels", "l.csv", "--annotators", "ann,bob", "--column", "session_id=key",
        "--map", "NA=unlabelled", "--map", "good=Pass", "--verdicts", "v.csv",
        "--judges", "one,two", "--policy.min_coverage", "0.5", "--json",
    )  # fmt: skip
    report = json.loads(validate(capsys, tmp_path, *words).out)
    found = columns(report)
    # People: a Pass, b Fail, c Fail (one vote). one: tp, blank, tn. two: fn, fp, tn.
    assert [found["one"][k] for k in ("tp", "fp", "tn", "fn", "n_abstained")] == [1, 0, 1, 0, 1]
    assert [found["two"][k] for k in ("tp", "fp", "tn", "fn", "n_abstained")] == [0, 1, 1, 1, 0]
    assert report["labels"]["aggregation"] == "majority"
