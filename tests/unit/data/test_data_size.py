"""A hundred thousand labels are read while a person waits."""

from __future__ import annotations

import json
import time

import pytest

from assay.data import load_labels

N = 100_000
SECONDS = 20
"""About fifteen times what it takes: this catches quadratic work, not a slow machine."""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["labels.jsonl", "labels.csv", "labels.json"])
def test_many_labels_load_in_seconds(tmp_path, name):
    path = tmp_path / name
    rows = [{"session_id": f"s{i}", "dimension": "x", "result": "Pass"} for i in range(N)]
    if name.endswith("csv"):
        body = "session_id,dimension,result\n" + "".join(f"s{i},x,Pass\n" for i in range(N))
    elif name.endswith("jsonl"):
        body = "".join(json.dumps(row) + "\n" for row in rows)
    else:
        body = json.dumps(rows)
    path.write_text(body, encoding="utf-8")
    start = time.perf_counter()
    labels = load_labels(path)
    assert len(labels.labels) == N
    assert time.perf_counter() - start < SECONDS
