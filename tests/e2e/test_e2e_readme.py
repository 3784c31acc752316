"""Every command of the README is run, in its order, by a newcomer with a fresh checkout."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.scripted_endpoint import ScriptedServer, completion

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
pytestmark = [pytest.mark.e2e, pytest.mark.xdist_group("readme")]

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)
COMMANDS = [
    line for block in BLOCKS for line in block.replace("\\\n", " ").splitlines() if line.strip()
]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """What git would clone."""
    folder = tmp_path_factory.mktemp("clone") / "assay"
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    for name in listed.stdout.splitlines():
        source = ROOT / name
        if source.is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, folder / name)
    return folder


def run(words, cwd, clean_env, **variables):
    env = {**clean_env, "PATH": f"{BIN}:/usr/bin:/bin", **variables}
    return subprocess.run(
        words,
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=400,
        check=False,
    )


def test_the_readme_holds_the_commands_that_are_run_here():
    known = ("make demo", "make test", "assay ", "mlflow run", "python -m experiments")
    assert COMMANDS
    for command in COMMANDS:
        assert command.startswith(known), command


@pytest.mark.slow
def test_make_demo_on_a_fresh_checkout_does_everything(checkout, clean_env):
    done = subprocess.run(
        ["make", "demo"],
        cwd=checkout,
        env=clean_env,
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "SIMULATED" in done.stdout
    assert "mlflow ui --backend-store-uri" in done.stdout


def test_all_other_commands_work_in_their_order(checkout, clean_env):
    examples = re.search(r"```text\n(.*?)```", TEXT, re.DOTALL)[1].splitlines()
    for name, half in (("labels.csv", 0), ("verdicts.csv", 1)):
        cells = [re.split(r"\s{2,}", line.strip())[half] for line in examples if line.strip()]
        (checkout / name).write_text("\n".join(cells) + "\n", encoding="utf-8")
    # The reader's own data: here the synthetic sessions under another name.
    made = run([str(BIN / "assay"), "synth", "data.dir=mine"], checkout, clean_env)
    assert made.returncode == 0, made.stderr
    with ScriptedServer(lambda body, number: completion()) as server:
        for command in COMMANDS:
            if command.startswith("make "):
                continue
            words = shlex.split(command.replace("http://127.0.0.1:8000/v1", server.url))
            if words[0] == "python":
                words[0] = sys.executable
            if "panel=recorded" in words:
                write_recorded(checkout)
            done = run(words, checkout, clean_env, OPENAI_API_KEY="not-a-real-key-000")
            assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
            assert "Traceback" not in done.stderr, command
        assert server.count > 0


def write_recorded(checkout):
    """Recorded verdicts of a judge that passes everything, for the reader's own sessions."""
    lines = (checkout / "mine" / "sessions.jsonl").read_text(encoding="utf-8").splitlines()
    dimensions = ("correctness", "verification", "completeness", "code_quality", "minimal_diff")
    rows = [
        {
            "session_id": json.loads(line)["session_id"],
            "dimension": d,
            "judge": "mine",
            "verdict": "Pass",
        }
        for line in lines
        for d in dimensions
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (checkout / "verdicts.jsonl").write_text(text, encoding="utf-8")
