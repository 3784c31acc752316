"""The built wheel works in a fresh environment, from an empty folder, without the checkout."""

from __future__ import annotations

import json
import subprocess

import pytest

pytestmark = [pytest.mark.e2e, pytest.mark.xdist_group("wheel")]


def run(installed, clean_env, cwd, *words, timeout=180):
    return subprocess.run(
        [str(installed / "assay"), *words],
        cwd=cwd,
        env=clean_env,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=timeout,
        check=False,
    )


def test_the_wheel_carries_conf_and_prompts(installed, clean_env, tmp_path):
    shown = run(installed, clean_env, tmp_path, "dev", "--cfg", "job", "judge=strict")
    assert shown.returncode == 0, shown.stderr
    assert "name: strict" in shown.stdout
    assert list(tmp_path.iterdir()) == []


def test_demo_runs_from_an_empty_folder_and_says_simulated(installed, clean_env, tmp_path):
    done = run(installed, clean_env, tmp_path, "demo")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "SIMULATED" in done.stdout
    assert "mlflow ui --backend-store-uri sqlite:///" in done.stdout + done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["assay-demo"]


def test_validate_needs_no_configuration(installed, clean_env, tmp_path):
    (tmp_path / "labels.csv").write_text(
        "session_id,dimension,result\ns1,correctness,Pass\ns2,correctness,Fail\n", encoding="utf-8"
    )
    (tmp_path / "verdicts.csv").write_text(
        "session_id,dimension,judge,verdict\ns1,correctness,j,Pass\ns2,correctness,j,Pass\n",
        encoding="utf-8",
    )
    done = run(
        installed, clean_env, tmp_path,
        "validate", "--labels", "labels.csv", "--verdicts", "verdicts.csv", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (column,) = json.loads(done.stdout)["judges"][0]["dimensions"]
    assert (column["tp"], column["fp"], column["tn"], column["fn"]) == (1, 1, 0, 0)
