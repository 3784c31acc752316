"""A bench set with its split, made once by the real command and copied for each test."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest


@pytest.fixture(scope="session")
def made_bench(tmp_path_factory):
    """Folder with bench/ in it, as `assay split` leaves it."""
    folder = tmp_path_factory.mktemp("made")
    subprocess.run(
        [sys.executable, "-m", "assay", "split"], cwd=folder, check=True, capture_output=True
    )
    return folder


@pytest.fixture
def start(made_bench, tmp_path, monkeypatch):
    """A start folder of its own for one test, with the bench set and no MLflow variables."""
    shutil.copytree(made_bench / "bench", tmp_path / "bench")
    for name in [n for n in os.environ if n.startswith("MLFLOW_") and "TELEMETRY" not in n]:
        monkeypatch.delenv(name)
    return tmp_path
