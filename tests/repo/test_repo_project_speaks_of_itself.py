"""Text rules of the repository: no machine paths, no registry addresses, no foreign folders."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def tracked_files():
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    return [ROOT / line for line in listed.stdout.splitlines() if (ROOT / line).is_file()]


def test_only_one_helper_names_the_optional_material():
    mention = re.compile(r"[\"'/]shared[\"'/]")
    guilty = [
        str(p.relative_to(ROOT))
        for p in tracked_files()
        if p.suffix in {".py", ".md", ".toml", ".yaml"}
        and mention.search(p.read_text(encoding="utf-8"))
    ]
    assert [
        g
        for g in guilty
        if g not in {"tests/shared_material.py", "tests/repo/" + Path(__file__).name}
    ] == []


def test_no_file_names_a_registry_or_a_path_of_this_machine():
    # Spelt in pieces so that this file does not find itself.
    words = [
        "pypi" + ".org",
        "files." + "pythonhosted",
        "registry." + "npmjs",
        "/work" + "/main",
        "/root" + "/",
    ]
    found = [
        f"{p.relative_to(ROOT)}: {w}"
        for p in tracked_files()
        if p.suffix not in {".png", ".whl"}
        for w in words
        if w in p.read_text(encoding="utf-8", errors="replace")
    ]
    assert found == []


def test_constraints_hold_versions_without_addresses():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert all(
        re.match(r"^[A-Za-z0-9._-]+(\[[a-z,]+\])?==\S+( ;.*)?$", line) for line in lines if line
    )


def test_every_mlproject_command_is_one_line_with_declared_parameters():
    import yaml

    project = yaml.safe_load((ROOT / "MLproject").read_text(encoding="utf-8"))
    for name, entry in project["entry_points"].items():
        command = entry["command"]
        assert "\n" not in command, name
        assert "\\" not in command, name
        assert "mlflow run" not in command, name
        assert set(re.findall(r"\{(\w+)\}", command)) == set(entry["parameters"]), name


def test_source_files_keep_to_their_size():
    long = {
        str(p.relative_to(ROOT)): n
        for p in tracked_files()
        if p.suffix == ".py" and p.is_relative_to(ROOT / "assay")
        if (n := len(p.read_text(encoding="utf-8").splitlines())) > 300
    }
    assert long == {}
