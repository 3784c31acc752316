"""The dev stage, run for real: the loopback server, the files, the exit codes."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from assay.app import run_door
from assay.data import load_verdicts, read_manifest
from assay.reporting import ARTIFACTS

OFF = "tracking=off"


def report_of(capsys):
    return json.loads(capsys.readouterr().out)


def test_a_dev_run_leaves_a_fixed_set_of_files_and_says_simulated_in_each(start, capsys):
    assert run_door("dev", ["judge=strict", OFF], start=start) == 0
    shown = capsys.readouterr()
    assert "SIMULATED" in shown.out
    (folder,) = (start / "assay-out" / "strict-poll").iterdir()
    assert {p.name for p in folder.iterdir()} <= set(ARTIFACTS)
    for name in ("report.html", "confusion.html", "summary.md", "disagreements.html"):
        assert "SIMULATED" in (folder / name).read_text(encoding="utf-8"), name
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert report["simulated"] is True
    verdicts = load_verdicts(folder / "verdicts.jsonl").verdicts
    assert all(v.simulated for v in verdicts)
    # 45 sessions x 5 dimensions x (3 members and their panel).
    dev = read_manifest(start / "bench" / "split").dev.session_ids
    assert len(verdicts) == len(dev) * 5 * 4


def test_the_same_command_twice_gives_the_same_report_and_overwrites_nothing(start, capsys):
    reports = []
    for _ in range(2):
        assert run_door("dev", [OFF, "panel=solo", "--json"], start=start) == 0
        reports.append(report_of(capsys))
    assert reports[0] == reports[1]
    assert len(list((start / "assay-out" / "baseline-solo").iterdir())) == 2


def test_few_shot_examples_come_from_train_only(start, capsys):
    assert run_door("dev", ["judge=few_shot", "panel=solo", OFF], start=start) == 0
    capsys.readouterr()
    (folder,) = (start / "assay-out" / "few_shot-solo").iterdir()
    prompts = (folder / "prompts.jsonl").read_text(encoding="utf-8")
    assert "<<<ANCHOR" in prompts
    manifest = read_manifest(start / "bench" / "split")
    sessions = {}
    for line in (start / "bench" / "sessions.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        sessions[record["session_id"]] = record
    shown = {
        i
        for i, s in sessions.items()
        # A commit id or branch number is in each session's commands and in no other's.
        if json.dumps("| " + s["commands"][0]["output"].split("\n")[0].split(" ")[0])[1:-1]
        in prompts
    }
    assert shown & set(manifest.train.session_ids)
    anchors_and_judged = set(manifest.train.session_ids) | set(manifest.dev.session_ids)
    assert {i for i in manifest.test.session_ids if sessions[i]["diff"] and i in shown} <= {
        i for i in manifest.test.session_ids if i in shown and i not in anchors_and_judged
    }


AUDITED = """
import sys
opened = []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
from assay.app import run_door
code = run_door("dev", ["panel=solo", "judge=few_shot", "tracking=off"])
bench = [p for p in opened if "bench" in p and p.endswith((".jsonl", ".json"))]
print("OPENED", sorted({p.rsplit("/", 1)[-1] for p in bench}))
sys.exit(code)
"""


def test_a_dev_process_opens_no_file_with_a_test_label(start):
    # Also with the labels of all parts together and those of test gone altogether.
    (start / "bench" / "split" / "labels.test.jsonl").unlink()
    (start / "bench" / "labels.jsonl").write_text("", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", AUDITED], cwd=start, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    line = next(x for x in done.stdout.splitlines() if x.startswith("OPENED"))
    opened = set(eval(line.removeprefix("OPENED ")))
    assert "labels.dev.jsonl" in opened
    assert "labels.train.jsonl" in opened
    assert not opened & {"labels.test.jsonl", "votes.test.jsonl", "labels.jsonl"}


def test_the_first_dev_run_makes_its_own_bench_set_in_another_process(tmp_path, capsys):
    assert run_door("dev", [OFF, "panel=solo"], start=tmp_path) == 0
    assert (tmp_path / "bench" / "split" / "split.json").is_file()
    assert "SYNTHETIC bench set" in capsys.readouterr().err


def test_recorded_verdicts_are_measured_without_a_call(start, capsys):
    assert run_door("dev", [OFF], start=start) == 0
    (folder,) = (start / "assay-out" / "baseline-poll").iterdir()
    live = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    members = [
        line
        for line in (folder / "verdicts.jsonl").read_text(encoding="utf-8").splitlines()
        if json.loads(line)["judge"] != "poll"
    ]
    (start / "mine.jsonl").write_text("\n".join(members) + "\n", encoding="utf-8")
    capsys.readouterr()
    words = ["panel=recorded", "panel.verdicts=mine.jsonl", "panel.quorum=2", OFF, "--json"]
    assert run_door("dev", words, start=start) == 0
    recorded = report_of(capsys)
    counts = [
        [(d["dimension"], d["tp"], d["fp"], d["tn"], d["fn"]) for d in r["judges"][0]["dimensions"]]
        for r in (live, recorded)
    ]
    assert counts[0] == counts[1]
    assert recorded["simulated"] is True


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["panel=recorded", "panel.verdicts=none.jsonl"], 2, "no such file"),
        (["data=files", "data.dir=elsewhere"], 2, "no such file"),
        (["data.criteria=nope"], 2, "no file criteria/nope.yaml"),
        (["judge.prompt=nope"], 2, "no file prompt/nope.md"),
        (["split.seed=5"], 2, "split.json was made with"),
        (["judge=few_shot", "judge.few_shot.per_class=10"], 3, "few-shot"),
        (["panel=openai", "panel.members.0.api_key_env=ASSAY_NO_SUCH_KEY"], 2, "ASSAY_NO_SUCH_KEY"),
    ],
)
def test_known_failures_exit_with_their_code_and_one_message(start, capsys, words, code, said):
    assert run_door("dev", [*words, OFF], start=start) == code
    shown = capsys.readouterr()
    assert said in shown.err
    assert "Traceback" not in shown.err
    assert shown.out == ""


def test_a_dead_endpoint_ends_with_exit_code_4(start, capsys, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-real-key-000")
    words = [
        "panel=openai", "panel.members.0.base_url=http://127.0.0.1:9/v1",
        "panel.max_attempts=1", "panel.deadline_s=5", OFF,
    ]  # fmt: skip
    assert run_door("dev", words, start=start) == 4
    shown = capsys.readouterr()
    assert "nothing was judged" in shown.err
    assert "not-a-real-key-000" not in shown.err + shown.out


def test_too_little_coverage_ends_with_exit_code_4_and_keeps_the_results(start, capsys):
    words = ["panel.simulation.error_rate=0.9", "panel.max_attempts=1", OFF]
    assert run_door("dev", words, start=start) == 4
    shown = capsys.readouterr()
    assert "below the policy's" in shown.err
    assert list((start / "assay-out" / "baseline-poll").iterdir())


def test_changed_dev_labels_are_noticed(start, capsys):
    path = start / "bench" / "split" / "labels.dev.jsonl"
    path.write_text(
        path.read_text(encoding="utf-8").replace('"Pass"', '"Fail"', 1), encoding="utf-8"
    )
    assert run_door("dev", [OFF], start=start) == 2
    assert "changed since the split" in capsys.readouterr().err
