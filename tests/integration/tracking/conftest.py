"""A migrated SQLite store, made once and copied: creating one takes seconds."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def migrated(tmp_path_factory):
    """A SQLite file with MLflow's tables and nothing else of ours."""
    from assay.tracking.quiet_mlflow import make_client

    path = tmp_path_factory.mktemp("template") / "mlflow.db"
    make_client(f"sqlite:///{path}")
    return path


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch):
    """No variable of the machine decides where these tests write."""
    for name in (
        "MLFLOW_TRACKING_URI",
        "MLFLOW_RUN_ID",
        "MLFLOW_EXPERIMENT_NAME",
        "ASSAY_PARENT_RUN_ID",
        "ASSAY_SWEEP",
    ):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def start(tmp_path, migrated):
    """A start folder with a migrated, empty store."""
    shutil.copy(migrated, tmp_path / "mlflow.db")
    return tmp_path


@pytest.fixture
def store(start):
    """An open store in the start folder."""
    from assay.schema import TrackingSpec
    from assay.tracking import open_store

    return open_store(TrackingSpec(), start=start)


PRELUDE = """
import os, signal, sys, time
from pathlib import Path
from assay.schema import TrackingSpec
from assay.tracking import *
start = Path(sys.argv[1])
store = open_store(TrackingSpec(), start=start)
def say(text): print(text, flush=True)
"""


@pytest.fixture
def process(start):
    """Start a Python process that has the store open; ended at the end of the test."""
    running: list[subprocess.Popen[str]] = []

    def launch(code: str, *, prelude: str = PRELUDE, folder: Path = start, **environ: str):
        child = subprocess.Popen(
            [sys.executable, "-c", prelude + code, str(folder)],
            cwd="/",
            env={**os.environ, "PYTHONPATH": str(ROOT), **environ},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        running.append(child)
        return child

    yield launch
    for child in running:
        if child.poll() is None:
            child.kill()
        child.communicate()
