"""Files are UTF-8 whatever the platform's locale says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import locale, sys
from pathlib import Path
assert locale.getpreferredencoding(False).lower().replace("-", "") not in {"utf8"}, "no test"
from assay.data import load_criteria, load_gold, load_labels
from assay.data import read_text, write_json, write_jsonl, write_text
folder = Path(sys.argv[1])
labels = load_labels(folder / "labels.jsonl").labels + load_labels(folder / "labels.csv").labels
write_jsonl(folder / "out.jsonl", labels)
write_json(folder / "out.json", {"id": labels[0].session_id})
write_text(folder / "out.txt", read_text(folder / "prompt.md"))
assert load_gold(folder / "gold.jsonl").questions[0].id == "\\u00fc1"
assert load_criteria(folder / "criteria.yaml")[0].question == "\\u00fc?"
"""
CRITERIA = 'criteria:\n- {dimension: a, weight: 1, question: "ü?", pass_when: p, fail_when: f}\n'
GOLD = '{"id":"ü1","question":"q","must_include":["x"]}\n'


def test_reading_and_writing_ignore_a_locale_that_is_not_utf8(tmp_path):
    files = {
        "labels.jsonl": '{"id":"ü1","label":"Pass"}\n',
        "labels.csv": "id;label;note\nü2;fail;naïve\n",
        "prompt.md": "Is it “right”?\n",
        "gold.jsonl": GOLD,
        "criteria.yaml": CRITERIA,
    }
    for name, text in files.items():
        (tmp_path / name).write_bytes(text.encode("utf-8"))
    env = {k: v for k, v in os.environ.items() if not k.startswith(("LC_", "LANG", "PYTHON"))}
    # PYTHONCOERCECLOCALE=0: without it Python itself turns the C locale into UTF-8.
    env |= {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)],
        env=env, cwd=Path(__file__).parents[3], capture_output=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
    written = (tmp_path / "out.jsonl").read_bytes()
    assert '"session_id":"ü1"'.encode() in written
    assert "naïve".encode() in written
    assert b"\r" not in written
    assert (tmp_path / "out.json").read_bytes() == '{\n  "id": "ü1"\n}\n'.encode()
    assert (tmp_path / "out.txt").read_bytes() == files["prompt.md"].encode()
