"""`assay --help` answers at once: nothing heavy is imported for it."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = (
    "mlflow",
    "openai",
    "sklearn",
    "scipy",
    "matplotlib",
    "hydra",
    "omegaconf",
    "pandas",
    "aiohttp",
)


@pytest.mark.parametrize("words", [["--help"], ["--version"]])
def test_help_and_version_load_nothing_heavy(words):
    code = (
        "import sys\n"
        "from assay.cli import main\n"
        f"try:\n    main({words!r})\nexcept SystemExit as stop:\n    assert not stop.code\n"
        f"print('LOADED', [m for m in {HEAVY!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("LOADED []")
