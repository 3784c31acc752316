"""The MLflow UI on a real sweep: five variants side by side with the headline metrics readable."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

pytestmark = [pytest.mark.e2e, pytest.mark.browser, pytest.mark.xdist_group("wheel")]

BIN = Path(sys.executable).parent
CHROMIUM = shutil.which("chromium")
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--window-size=1700,900", "--virtual-time-budget=20000",
)  # fmt: skip
VARIANTS = ("baseline", "strict", "few_shot", "scratchpad", "commit_first")

if CHROMIUM is None:
    pytestmark.append(pytest.mark.skip(reason="needs Debian's chromium: apt-get install chromium"))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def demo(tmp_path_factory, clean_env):
    folder = tmp_path_factory.mktemp("ui")
    done = subprocess.run(
        [str(BIN / "assay"), "demo"], cwd=folder, env=clean_env, capture_output=True, text=True,
        timeout=180, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder, done.stdout


@pytest.fixture(scope="module")
def ui(demo, clean_env):
    """Address of the UI, started by the very command that the demo printed, on a free port."""
    folder, printed = demo
    command = next(x for x in printed.splitlines() if "mlflow ui" in x).partition(": ")[2].split()
    port = free_port()
    command[command.index("--port") + 1] = str(port)
    process = subprocess.Popen(
        [str(BIN / command[0]), *command[1:], "--host", "127.0.0.1"], cwd=folder, env=clean_env,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    base = f"http://127.0.0.1:{port}"
    try:
        for _ in range(240):
            try:
                urllib.request.urlopen(f"{base}/health", timeout=1)
                break
            except OSError:
                assert process.poll() is None
                time.sleep(0.25)
        yield base
    finally:
        subprocess.run(["pkill", "-TERM", "-s", str(process.pid)], check=False)
        process.wait(30)


def page(url, tmp_path, shot):
    """The page's DOM after its scripts ran, and a picture of it."""
    common = [CHROMIUM, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}"]
    dom = subprocess.run(
        [*common, "--dump-dom", url], capture_output=True, text=True, timeout=120, check=True
    )
    subprocess.run(
        [*common, f"--screenshot={shot}", url], capture_output=True, timeout=120, check=True
    )
    assert shot.stat().st_size > 20_000
    return dom.stdout


def test_the_printed_link_shows_five_variants_with_their_headline_metrics(demo, ui, tmp_path):
    printed = demo[1]
    link = next(x for x in printed.splitlines() if x.startswith("then open ")).removeprefix(
        "then open "
    )
    shown = page(link.replace("http://127.0.0.1:5000", ui), tmp_path, tmp_path / "runs.png")
    for variant in VARIANTS:
        assert f"SIMULATED {variant}" in shown, variant
    for metric in ("dev/min_tpr", "dev/min_tnr", "dev/balanced_accuracy", "dev/coverage"):
        assert metric in shown, metric


def test_a_runs_page_shows_the_verdict_and_its_confusion_page_opens(demo, ui, tmp_path):
    from mlflow import MlflowClient

    client = MlflowClient(tracking_uri=f"sqlite:///{demo[0] / 'assay-demo' / 'mlflow.db'}")
    experiment = client.get_experiment_by_name("assay")
    run = client.search_runs([experiment.experiment_id], max_results=1)[0]
    place = f"{ui}/#/experiments/{experiment.experiment_id}/runs/{run.info.run_id}"
    shown = page(f"{place}?workflowType=machine_learning", tmp_path, tmp_path / "run.png")
    assert "no real model gave these verdicts" in shown
    opened = page(
        f"{place}/artifacts/confusion.html?workflowType=machine_learning",
        tmp_path,
        tmp_path / "a.png",
    )
    assert "confusion.html" in opened
    assert "<iframe" in opened
