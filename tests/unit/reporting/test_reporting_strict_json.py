"""Strict JSON of anything a stage may print."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.metrics import Figure
from assay.reporting import strict_json


def test_records_tuples_sets_and_paths_have_a_json_form():
    value = {"figure": Figure(None, "why"), 1: {"b", "a"}, "path": Path("x/y"), "t": (1, 2.5)}
    assert json.loads(strict_json(value)) == {
        "figure": {"value": None, "undefined": "why"},
        "1": ["a", "b"],
        "path": "x/y",
        "t": [1, 2.5],
    }


def test_r57_nan_and_infinity_become_null():
    assert json.loads(strict_json([float("nan"), float("inf"), 1.0])) == [None, None, 1.0]


def test_what_has_no_json_form_is_refused_by_name():
    with pytest.raises(TypeError, match="no JSON form for object"):
        strict_json({"x": object()})


def test_one_line_without_indent():
    assert "\n" not in strict_json({"a": [1, {"b": 2}]}, indent=None)
