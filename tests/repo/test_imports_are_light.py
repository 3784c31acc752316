"""Importing the pure rooms costs little: each in a fresh interpreter, nothing heavy comes along."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = (
    "mlflow", "openai", "sklearn", "scipy", "matplotlib", "hydra", "omegaconf", "pandas", "aiohttp",
)  # fmt: skip
ROOMS = (
    "assay",
    "assay.errors",
    "assay.stats",
    "assay.schema, assay.metrics, assay.config",
    "assay.schema.export",
)


def loaded(statement: str) -> list[str]:
    code = f"import sys\n{statement}\nprint(*[m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return done.stdout.split()


@pytest.mark.parametrize("rooms", ROOMS)
def test_importing_loads_nothing_heavy(rooms):
    assert loaded(f"import {rooms}") == []


def test_scipy_comes_only_when_a_bound_is_asked_for():
    asked = "from assay.stats import {0}; {0}(3, 4)"
    assert loaded(asked.format("wilson")) == []
    assert loaded(asked.format("lower_bound")) == ["scipy"]
