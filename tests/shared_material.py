"""The one place that knows where optional third-party test material may lie."""

from __future__ import annotations

from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2] / "shared"


def shared_path(name: str) -> Path:
    """Path of a file of recorded judgements or failing inputs; skips where it is absent."""
    path = _ROOT / name
    if not path.exists():
        pytest.skip(f"optional material {name} is not on this machine")
    return path
