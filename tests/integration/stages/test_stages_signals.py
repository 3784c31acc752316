"""Killed, terminated and racing processes leave MLflow in a state that is true."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.xdist_group("signals")

SLOW = ["panel=solo", "panel.simulation.latency_ms=250", "panel.max_in_flight=2"]


def start_dev(start, *words):
    env = {k: v for k, v in os.environ.items() if not k.startswith("MLFLOW_")}
    return subprocess.Popen(
        [sys.executable, "-m", "assay", "dev", *words],
        cwd=start, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def runs(start):
    from mlflow import MlflowClient

    if not (start / "mlflow.db").exists():
        return []
    client = MlflowClient(tracking_uri=f"sqlite:///{start / 'mlflow.db'}")
    experiment = client.get_experiment_by_name("assay")
    return client.search_runs([experiment.experiment_id]) if experiment else []


def wait_for_running(start, process, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        assert process.poll() is None, process.communicate()
        try:
            if found := [r for r in runs(start) if r.info.status == "RUNNING"]:
                # Past the opening of the run: judging has begun.
                time.sleep(1.0)
                return found[0]
        except Exception:  # noqa: BLE001 - the store is being made
            pass
        time.sleep(0.2)
    raise AssertionError("the run did not start")


@pytest.fixture
def store(start):
    """A store that is there already, so that watching it does not race its making."""
    done = subprocess.run(
        [sys.executable, "-m", "assay", "reap"],
        cwd=start,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return start


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_the_run_as_killed(store, number, code):
    process = start_dev(store, *SLOW)
    wait_for_running(store, process)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == code, err
    assert "Traceback" not in err
    (run,) = runs(store)
    assert run.info.status == "KILLED"
    assert run.data.tags["assay.partial"] == "true"


def test_the_same_command_takes_over_the_run_of_a_killed_process(store):
    first = start_dev(store, *SLOW)
    stale = wait_for_running(store, first)
    first.kill()
    first.communicate()
    (left,) = runs(store)
    assert left.info.status == "RUNNING"
    done = start_dev(store, *SLOW[:1], "panel.simulation.latency_ms=250", "panel.max_in_flight=2")
    _, err = done.communicate(timeout=120)
    assert done.returncode == 0, err
    (run,) = runs(store)
    assert run.info.run_id == stale.info.run_id
    assert run.info.status == "FINISHED"
    assert run.data.tags["assay.adopted"] == "1"


def test_reap_closes_what_nobody_takes_over(store):
    process = start_dev(store, *SLOW)
    stale = wait_for_running(store, process)
    process.kill()
    process.communicate()
    done = subprocess.run(
        [sys.executable, "-m", "assay", "reap"],
        cwd=store,
        capture_output=True,
        text=True,
        check=True,
    )
    assert stale.info.run_id in done.stdout
    assert runs(store)[0].info.status == "KILLED"


def test_six_processes_at_once_on_a_fresh_store_all_succeed(start):
    judges = ["baseline", "strict", "critique_first", "commit_first", "few_shot", "scratchpad"]
    processes = [start_dev(start, f"judge={j}", "panel=solo") for j in judges]
    ends = [(p.communicate(timeout=240), p.returncode) for p in processes]
    assert [code for _, code in ends] == [0] * 6, [err for (_, err), _ in ends]
    found = runs(start)
    assert len(found) == 6
    assert {r.info.status for r in found} == {"FINISHED"}
