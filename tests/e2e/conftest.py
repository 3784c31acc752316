"""A wheel, built once from this checkout and installed into a fresh environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def clean_env() -> dict[str, str]:
    """The environment of a user: no MLflow variables of this process, no telemetry."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("MLFLOW_", "PYTHON", "COV"))}
    return {**kept, "MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true"}


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built wheel."""
    out = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--outdir", str(out), str(ROOT)],
        check=True,
        capture_output=True,
        timeout=240,
    )
    (built,) = out.glob("assayers_bench-*.whl")
    return built


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`bin` folder of a fresh environment with only the wheel and its dependencies."""
    env = tmp_path_factory.mktemp("fresh") / "env"
    subprocess.run([sys.executable, "-m", "venv", str(env)], check=True, timeout=120)
    python = env / "bin" / "python"
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    tool = (
        [uv, "pip", "install", "--python", str(python)]
        if uv
        else [str(python), "-m", "pip", "install"]
    )
    subprocess.run(
        [*tool, "--quiet", "-c", str(ROOT / "constraints.txt"), str(wheel)],
        check=True,
        capture_output=True,
        timeout=600,
    )
    return env / "bin"
