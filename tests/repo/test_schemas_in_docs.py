"""The JSON Schemas in the docs are those of the code, and accept what the code writes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from assay.schema import HumanLabel, Verdict
from assay.schema.export import PUBLIC, json_schemas, main, text_of, write_schemas

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "reference" / "schema"
MEND = "run: python -m assay.schema.export docs/reference/schema"


@pytest.mark.parametrize("name", [record.__name__ for record in PUBLIC])
def test_the_docs_hold_the_schema_of_the_code(name):
    path = FOLDER / f"{name}.json"
    assert path.is_file(), MEND
    assert path.read_text(encoding="utf-8") == text_of(json_schemas()[name]), MEND


def test_the_docs_hold_no_schema_of_a_record_that_is_gone():
    assert {p.stem for p in FOLDER.glob("*.json")} == set(json_schemas()), MEND


def test_every_record_and_the_figures_in_it_say_what_they_are():
    for name, schema in json_schemas().items():
        for part, node in {name: schema, **schema.get("$defs", {})}.items():
            if "properties" in node:
                assert node.get("description"), part
                assert node["additionalProperties"] is False, part


def test_descriptions_come_from_the_text_under_each_field():
    schemas = json_schemas()
    label = schemas["HumanLabel"]["properties"]
    assert label["result"]["description"] == "Pass or Fail. Pass is the positive class."
    counts = schemas["DimensionMetrics"]["properties"]
    assert counts["fp"]["description"] == "People Fail, judge Pass: a false pass, too lenient."
    # Rate, Figure and Gate are plain dataclasses; their fields are described all the same.
    rate = schemas["DimensionMetrics"]["$defs"]["Rate"]["properties"]
    assert rate["trials"]["description"] == "The n of this rate."
    gate = schemas["ValidationReport"]["$defs"]["Gate"]["properties"]
    assert gate["reason"]["description"].startswith("One sentence")


def test_patterns_are_read_the_same_by_other_languages():
    # Python's engine here stands for the others: no syntax of one engine alone.
    import re

    pattern = json_schemas()["HumanLabel"]["properties"]["session_id"]["pattern"]
    assert re.search(pattern, "a b")
    assert not any(re.search(pattern, text) for text in (" a", "a\u200b", "\ufeffa", "a\nb"))


def test_what_the_code_writes_has_the_keys_of_the_schema():
    for record in (
        HumanLabel(session_id="s", dimension="d", result="Pass"),
        Verdict(session_id="s", dimension="d", judge="j", outcome="pass"),
    ):
        schema = json_schemas()[type(record).__name__]
        written = json.loads(record.model_dump_json())
        assert set(schema.get("required", ())) <= set(written) == set(schema["properties"])


def test_schemas_are_written_by_the_command_and_stale_ones_removed(tmp_path, capsys):
    folder = tmp_path / "schema"
    write_schemas(folder)
    (folder / "Gone.json").write_bytes((folder / "Verdict.json").read_bytes())
    assert main([str(folder)]) == 0
    assert capsys.readouterr().out == f"{len(PUBLIC)} schemas written to {folder}\n"
    assert not (folder / "Gone.json").exists()
    assert (folder / "Verdict.json").read_bytes() == (FOLDER / "Verdict.json").read_bytes()


def test_a_users_own_file_in_the_folder_is_never_removed(tmp_path, capsys):
    mine = tmp_path / "labels.json"
    mine.write_text("[]", encoding="utf-8")
    with pytest.raises(SystemExit) as stop:
        main([str(tmp_path)])
    assert stop.value.code == 2
    assert "labels.json: not a schema of assay" in capsys.readouterr().err
    assert mine.read_text(encoding="utf-8") == "[]"
    assert list(tmp_path.iterdir()) == [mine]


def test_the_module_runs_as_the_docs_say(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "assay.schema.export", str(tmp_path / "out")],
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
