"""Fixtures shared by all tests."""

from __future__ import annotations

import os
import sys
from pathlib import Path

# Before anything imports mlflow: no telemetry thread, no look-up of a host.
os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
os.environ.setdefault("DO_NOT_TRACK", "true")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
