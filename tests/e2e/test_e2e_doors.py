"""Three doors, one room: the command, `python -m experiments.dev` and `mlflow run` log the same."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
pytestmark = [pytest.mark.e2e, pytest.mark.xdist_group("doors")]

AWKWARD = 'a=b, it\'s #1: "quoted"'


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of what `mlflow run` needs, with a bench set: runs must not litter the checkout."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("conf", "experiments", "MLproject", "python_env.yaml", "constraints.txt"):
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)
    done = run([str(BIN / "assay"), "synth"], folder)
    assert done.returncode == 0, done.stderr
    done = run([str(BIN / "assay"), "split"], folder)
    assert done.returncode == 0, done.stderr
    return folder


def run(words, cwd, *, env=None, timeout=240):
    import os

    base = {k: v for k, v in os.environ.items() if not k.startswith("MLFLOW_RUN_ID")}
    # conda and pyenv are hidden on purpose: the documented command must not need them.
    base["PATH"] = f"{BIN}:/usr/bin:/bin"
    return subprocess.run(
        words, cwd=cwd, env={**base, **(env or {})}, capture_output=True,
        text=True, encoding="utf-8", timeout=timeout, check=False,
    )  # fmt: skip


def store(folder):
    from mlflow import MlflowClient

    return MlflowClient(tracking_uri=f"sqlite:///{folder / 'mlflow.db'}")


def runs_of(folder, name="assay"):
    client = store(folder)
    experiment = client.get_experiment_by_name(name)
    return client.search_runs([experiment.experiment_id]) if experiment else []


def artifact_names(client, run_id, path=None):
    names = set()
    for item in client.list_artifacts(run_id, path):
        names |= artifact_names(client, run_id, item.path) if item.is_dir else {item.path}
    return names


@pytest.fixture(scope="module")
def by_door(checkout):
    uri = f"sqlite:///{checkout / 'mlflow.db'}"
    doors = {
        "command": [str(BIN / "assay"), "dev", "judge=strict", "panel=poll"],
        "module": [sys.executable, "-m", "experiments.dev", "judge=strict", "panel=poll"],
        "mlflow": [
            str(BIN / "mlflow"), "run", ".", "-e", "dev", "--env-manager", "local",
            "--experiment-name", "assay", "-P", "judge=strict", "-P", "panel=poll",
        ],
    }  # fmt: skip
    found = {}
    for door, words in doors.items():
        before = (
            {r.info.run_id for r in runs_of(checkout)}
            if (checkout / "mlflow.db").exists()
            else set()
        )
        done = run(words, checkout, env={"MLFLOW_TRACKING_URI": uri})
        assert done.returncode == 0, f"{door}: {done.stdout}\n{done.stderr}"
        new = [r for r in runs_of(checkout) if r.info.run_id not in before]
        assert len(new) == 1, f"{door} made {len(new)} runs"
        found[door] = new[0]
    return found


def test_all_doors_log_the_same_parameters(by_door):
    params = {
        door: {k: v for k, v in r.data.params.items() if k.startswith("cfg/")}
        for door, r in by_door.items()
    }
    assert params["command"] == params["module"] == params["mlflow"]
    assert params["command"]
    assert len(params["command"]) <= 30


def test_all_doors_log_the_same_metrics(by_door):
    metrics = {door: r.data.metrics for door, r in by_door.items()}
    assert metrics["command"] == metrics["module"] == metrics["mlflow"]
    assert "dev/min_tpr" in metrics["command"]


def test_all_doors_log_the_same_artifacts(by_door, checkout):
    client = store(checkout)
    names = {door: artifact_names(client, r.info.run_id) for door, r in by_door.items()}
    assert names["command"] == names["module"] == names["mlflow"]
    assert names["command"]


def test_every_run_is_finished_and_says_simulated(by_door):
    for door, r in by_door.items():
        assert r.info.status == "FINISHED", door
        assert r.data.tags["assay.simulated"] == "true", door


def mlflow_run(checkout, *words, env=None):
    return run(
        [
            str(BIN / "mlflow"),
            "run",
            ".",
            "--env-manager",
            "local",
            "--experiment-name",
            "assay",
            *words,
        ],
        checkout,
        env={"MLFLOW_TRACKING_URI": f"sqlite:///{checkout / 'mlflow.db'}", **(env or {})},
    )


def test_values_with_comma_equals_quotes_and_hash_arrive_verbatim(checkout, by_door):
    before = {r.info.run_id for r in runs_of(checkout)}
    done = mlflow_run(checkout, "-e", "dev", "-P", f"note={AWKWARD}", "-P", "judge=")
    assert done.returncode == 0, done.stderr
    (new,) = [r for r in runs_of(checkout) if r.info.run_id not in before]
    assert AWKWARD in new.data.tags["mlflow.note.content"]
    # An empty value means the default.
    assert new.data.params["cfg/judge"] == "baseline"


def test_an_undeclared_parameter_works_as_an_override_and_a_misspelt_one_is_named(
    checkout, by_door
):
    good = mlflow_run(checkout, "-e", "dev", "-P", "judge.temperature=0.3")
    assert good.returncode == 0, good.stderr
    newest = runs_of(checkout)[0]
    assert newest.data.params["cfg/temperature"] == "0.3"
    bad = mlflow_run(checkout, "-e", "dev", "-P", "judge.temprature=0.3")
    assert bad.returncode != 0
    assert "did you mean 'temperature'" in bad.stdout + bad.stderr


def test_a_sweep_under_mlflow_run_leaves_no_stranger_and_no_empty_run(checkout, by_door):
    before = {r.info.run_id for r in runs_of(checkout)}
    done = mlflow_run(checkout, "-e", "dev_sweep", "-P", "judge=baseline,strict")
    assert done.returncode == 0, done.stderr
    new = [r for r in runs_of(checkout) if r.info.run_id not in before]
    sweeps = {r.data.tags.get("assay.sweep") for r in new}
    assert len(new) == 3, "the project's run holds the leader table, and one run per variant"
    assert len(sweeps) == 1
    assert None not in sweeps
    assert all(r.info.status == "FINISHED" for r in new)
