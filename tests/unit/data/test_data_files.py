"""Files are written whole or not at all, and only what any reader of JSON can read."""

from __future__ import annotations

import pytest

from assay.data import files as files_module
from assay.data import write_json, write_jsonl, write_text
from assay.errors import InputError
from assay.schema import HumanLabel


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"x": {1, 2}}, {"x": object()}])
def test_a_value_that_is_no_json_is_refused_and_nothing_is_written(tmp_path, value):
    path = tmp_path / "x.json"
    with pytest.raises(InputError, match="cannot be written as JSON"):
        write_json(path, value)
    with pytest.raises(InputError, match="cannot be written as JSON"):
        write_jsonl(path, [{"ok": 1}, {"v": value}])
    assert list(tmp_path.iterdir()) == []


def test_half_a_surrogate_pair_is_refused(tmp_path):
    with pytest.raises(InputError, match="surrogate"):
        write_text(tmp_path / "x", "\ud800")


def test_records_and_plain_values_are_written_in_utf8_with_plain_line_ends(tmp_path):
    label = HumanLabel(session_id="ü", dimension="x", result="Pass", notes="a\r\nb")
    write_jsonl(tmp_path / "x.jsonl", [label, {"id": 1}])
    lines = (tmp_path / "x.jsonl").read_bytes().split(b"\n")
    assert '"session_id":"ü"'.encode() in lines[0]
    assert lines[1:] == [b'{"id":1}', b""]
    write_json(tmp_path / "x.json", [1, None])
    assert (tmp_path / "x.json").read_bytes() == b"[\n  1,\n  null\n]\n"


def test_a_write_that_breaks_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "x.txt"
    write_text(path, "old\n")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files_module.os, "fsync", full)
    with pytest.raises(InputError, match="cannot be written: No space left on device"):
        write_text(path, "new\n", overwrite=True)
    assert path.read_bytes() == b"old\n"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_in_the_way_and_a_file_for_a_folder_are_input_errors(tmp_path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    for path in (tmp_path, tmp_path / "file" / "x.txt"):
        with pytest.raises(InputError):
            write_text(path, "x", overwrite=True)
    assert (tmp_path / "file").read_text(encoding="utf-8") == "x"


def test_results_are_as_readable_as_any_other_file(tmp_path):
    (tmp_path / "plain").touch()
    write_text(tmp_path / "ours", "x")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode
