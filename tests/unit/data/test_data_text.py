"""Bytes become text only when they are UTF-8; anything else is named, never guessed."""

from __future__ import annotations

import pytest

from assay.data.text import decode, read_text
from assay.errors import InputError, LabelFileError

TABLE = "id,label,note\nu1,Pass,ok\nu2,Fail,no\n"


def refusal(raw):
    with pytest.raises(LabelFileError) as caught:
        decode(raw, name="labels.csv")
    (fault,) = caught.value.faults
    return fault


def test_utf8_is_read_with_one_mark_with_two_and_without():
    for marks in (0, 1, 2):
        assert decode(b"\xef\xbb\xbf" * marks + "ü1".encode(), name="x") == "ü1"


@pytest.mark.parametrize(
    ("encoding", "named"),
    [
        ("utf-16", "UTF-16"), ("utf-16-le", "UTF-16"), ("utf-16-be", "UTF-16"),
        ("utf-32", "UTF-32"), ("utf-32-le", "UTF-32"), ("utf-32-be", "UTF-32"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("note", ["plain", "прошёл проверку", "合格しました"])
def test_wide_encodings_are_named_whatever_the_script(encoding, named, note):
    fault = refusal(TABLE.replace("ok", note).encode(encoding))
    assert named in fault
    assert "save the file as UTF-8" in fault


@pytest.mark.parametrize(
    ("encoding", "word", "named"),
    [
        ("latin-1", "café", "Windows-1252 or Latin-1"),
        ("cp1252", "“quoted”", "Windows-1252 or Latin-1"),
        ("shift_jis", "合格しました", "Shift-JIS"),
        ("gb18030", "通过", "GB18030"),
        ("cp1251", "прошёл проверку", "Windows-1251"),
    ],
)
def test_legacy_encodings_are_named_with_the_line(encoding, word, named):
    fault = refusal(TABLE.encode() + b"u3,Pass," + word.encode(encoding) + b"\n")
    assert fault.startswith("labels.csv:4: ")
    assert named in fault


@pytest.mark.parametrize(
    ("head", "named"),
    [
        (b"PK\x03\x04", ".xlsx"), (b"\xd0\xcf\x11\xe0", ".xls"), (b"\x1f\x8b\x08", "gzip"),
        (b"PAR1", "Parquet"), (b"SQLite format 3\x00", "SQLite"), (b"%PDF-1.7", "PDF"),
    ],
)  # fmt: skip
def test_files_that_are_no_text_are_named_with_what_to_do(head, named):
    assert named in refusal(head + bytes(range(256)))


def test_a_single_zero_byte_is_named_with_its_line_and_is_not_taken_for_utf16():
    fault = refusal(b"id,label\na,Pass\nb\x00,Fail\n")
    assert fault.startswith("labels.csv:3: holds a zero byte")
    assert "UTF-16" not in fault


def test_a_file_cut_off_within_a_character_says_so():
    assert "cut off" in refusal("id,label\na,Pass\né".encode()[:-1])


def test_a_missing_file_a_folder_and_an_endless_name_are_input_errors(tmp_path):
    for path, word in (
        (tmp_path / "none", "no such file"),
        (tmp_path, "a folder"),
        (tmp_path / ("x" * 300), "not readable"),
    ):
        with pytest.raises(InputError, match=word):
            read_text(path)
