"""There is no way from measurement or examples to a label of the test part."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import assay.protocol

ROOM = Path(assay.protocol.__file__).parent
FILES = sorted(ROOM.glob("*.py"))
MAY_SAY_TEST = {"splits.py", "split_plan.py", "split_search.py", "outlook.py"}
"""Those that divide labels, and the one that counts what each part can confirm."""
OPENS = {
    "open",
    "read_text",
    "read_bytes",
    "load",
    "loads",
    "exec",
    "eval",
    "__import__",
    "getattr",
}
ALLOWED = {
    "__future__", "collections", "dataclasses", "hashlib", "itertools", "typing",
    "numpy", "assay",
}  # fmt: skip


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_the_room_imports_nothing_that_could_open_a_file(path: Path) -> None:
    roots: set[str] = set()
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            roots |= {alias.name.split(".")[0] for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            roots.add((node.module or "").split(".")[0])
    assert roots <= ALLOWED


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_the_room_calls_nothing_that_reads(path: Path) -> None:
    called = {
        node.func.id if isinstance(node.func, ast.Name) else node.func.attr
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute)
    }
    assert not called & OPENS


@pytest.mark.parametrize(
    "path", [p for p in FILES if p.name not in MAY_SAY_TEST], ids=lambda p: p.name
)
def test_no_other_file_names_the_test_part(path: Path) -> None:
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Attribute):
            assert node.attr not in {"test", "parts"}
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            assert node.value != "test"
            assert "labels.test" not in node.value


def test_the_guard_sees_what_it_is_meant_to_see() -> None:
    # split_plan.py does name the part: were the walk blind, this would fail.
    found = [
        node
        for node in ast.walk(_tree(ROOM / "split_plan.py"))
        if isinstance(node, ast.Constant) and node.value == "test"
    ]
    assert found
