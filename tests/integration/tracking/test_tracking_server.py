"""The same room against a real MLflow server over HTTP."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

from assay.protocol import measure
from assay.schema import PolicySpec, TrackingSpec
from assay.tracking import RunContent, open_run, open_store, record
from tests.labelled_worlds import planted

pytestmark = [pytest.mark.slow, pytest.mark.e2e]


@pytest.fixture
def server(tmp_path, migrated):
    """Address of an MLflow server on the loopback interface; stopped at the end."""
    shutil.copy(migrated, tmp_path / "server.db")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = (tmp_path / "server.log").open("w", encoding="utf-8")
    child = subprocess.Popen(
        [
            *(sys.executable, "-m", "mlflow", "server"),
            *("--host", "127.0.0.1", "--port", str(port), "--workers", "1"),
            *("--backend-store-uri", f"sqlite:///{tmp_path}/server.db"),
            *("--artifacts-destination", str(tmp_path / "artifacts")),
        ],
        cwd=tmp_path,
        env={**os.environ, "MLFLOW_DISABLE_TELEMETRY": "true"},
        stdout=log,
        stderr=log,
        start_new_session=True,
    )
    try:
        deadline = time.monotonic() + 180
        while not answers(port):
            assert child.poll() is None, (tmp_path / "server.log").read_text(encoding="utf-8")
            assert time.monotonic() < deadline, "the server did not start"
            time.sleep(0.5)
        yield f"http://127.0.0.1:{port}"
    finally:
        # Its own session: the workers end with it.
        os.killpg(child.pid, signal.SIGTERM)
        try:
            child.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        log.close()
    assert not answers(port)


def answers(port):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2):
            return True
    except OSError:
        return False


def test_a_run_over_http_is_complete_down_to_its_artifacts(server, tmp_path):
    labels, verdicts = planted({"a": (8, 2, 4, 1)})
    report = measure(labels, verdicts, kind="dev", policy=PolicySpec())
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "report.json").write_text("{}", encoding="utf-8")
    store = open_store(TrackingSpec(uri=server + "/"), start=tmp_path)
    assert store.is_server
    assert store.view_command is None
    assert store.link("x").startswith(f"{server}/#/experiments/{store.experiment_id}/runs/x?")
    with open_run(store, name="strict", identity="i", tags={}, params={"cfg/judge": "s"}) as run:
        record(
            run, RunContent(report=report, params={"k": 1}, description="# Verdict", folder=folder)
        )
    there = store.client.get_run(run.run_id)
    assert there.info.status == "FINISHED"
    assert there.data.params == {"cfg/judge": "s", "cfg/k": "1"}
    assert there.data.metrics["dev/min_tpr"] == pytest.approx(0.8)
    names = {artifact.path for artifact in store.client.list_artifacts(run.run_id)}
    assert {"report.json", "confusion.json", "description.md"} <= names
    assert (tmp_path / "artifacts").is_dir()
    assert not (tmp_path / "mlartifacts").exists()
    # A second opening meets the experiment that is there.
    assert open_store(TrackingSpec(uri=server), start=tmp_path).experiment_id == store.experiment_id
