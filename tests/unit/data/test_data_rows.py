"""Every row knows its place; what a lenient reader would change or drop is a fault."""

from __future__ import annotations

import json

import pytest

from assay.data.faults import Faults
from assay.data.rows import read_rows
from assay.errors import LabelFileError


@pytest.fixture
def read(tmp_path):
    def _read(content, name="x.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode())
        faults = Faults(name)
        table = read_rows(path, faults)
        return table, faults.sentences

    return _read


@pytest.fixture
def refused(read):
    def _refused(content, name="x.csv"):
        with pytest.raises(LabelFileError) as caught:
            read(content, name)
        return caught.value.faults

    return _refused


class TestDelimited:
    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    @pytest.mark.parametrize("delimiter", [",", ";", "\t"])
    def test_delimiter_and_line_end_are_read_off_the_file(self, read, delimiter, end):
        lines = ["id{0}label", 'a{0}"x{0}y"', "b{0}z"]
        table, faults = read(end.join(line.format(delimiter) for line in lines) + end)
        assert faults == []
        assert [r.values for r in table.rows] == [
            {"id": "a", "label": f"x{delimiter}y"}, {"id": "b", "label": "z"},
        ]  # fmt: skip
        assert [(r.record, r.line) for r in table.rows] == [(1, 2), (2, 3)]

    def test_other_delimiters_within_the_header_do_not_mislead(self, read):
        table, _ = read('id\tis it right, clear, and short?\t"a;b;c;d"\ns1\tPass\tx\n')
        assert table.columns == ("id", "is it right, clear, and short?", "a;b;c;d")

    def test_a_spreadsheet_hint_is_followed_and_lines_still_count(self, read):
        table, _ = read("sep=;\nid;label, if any\na;Pass\n")
        assert table.columns == ("id", "label, if any")
        assert (table.header_line, table.rows[0].line) == (2, 3)

    def test_lines_count_through_quoted_breaks_in_header_and_cells(self, read):
        table, _ = read('\n"id","the\nlabel"\n"a","1\n2\n3"\n\n"b","4"\n')
        assert table.columns == ("id", "the\nlabel")
        assert [(r.record, r.line) for r in table.rows] == [(1, 4), (2, 8)]

    def test_rows_without_content_are_left_out_and_counted(self, read):
        table, faults = read("id,label\na,Pass\n,\n , \nb,Fail\n,,,\n")
        assert faults == []
        assert [r.record for r in table.rows] == [1, 4]
        assert table.notices == ("x.csv: 3 rows without any content were left out",)

    def test_rows_of_another_width_are_named_and_the_others_kept(self, read):
        table, faults = read("id,label\na\nb,Pass,more\nc,Pass\n")
        assert faults[0].startswith("x.csv:2: record 1: 1 cells, but the header has 2 columns")
        assert faults[1].startswith("x.csv:3: record 2: 3 cells")
        assert [r.values["id"] for r in table.rows] == ["c"]

    @pytest.mark.parametrize(
        ("content", "word"),
        [
            ('id,label\na,"Pass\nb,Fail\n', "never closed"),
            ('id,label\na,"Pass" or so\n', "text follows a closing quote"),
            ("id,label\n", "header but no record"),
            ("id,label\n,\n", "header but no record"),
            ("id,ID2,id\na,b,c\n", "names id twice"),
            ("id,\na,b\n", "column 2 has no name"),
            ("id|label\na|Pass\n", "expected columns apart by comma, semicolon or tab"),
            ("", "empty"),
            ("\ufeff\n \n", "empty"),
        ],
    )
    def test_what_cannot_be_a_table_is_refused(self, refused, content, word):
        assert any(word in fault for fault in refused(content))

    def test_a_cell_longer_than_the_usual_limit_is_read(self, read):
        long = "x" * 200_000
        table, _ = read(f"id,note\na,{long}\n")
        assert table.rows[0].values["note"] == long


class TestJson:
    def test_lists_lines_and_one_object_over_several_lines_give_the_same_rows(self, read):
        records = [{"id": "a", "n": [1, {"x": None}]}, {"id": "b", "n": 0.5}]
        as_list = json.dumps(records)
        pretty = json.dumps(records, indent=2)
        lines = "\n\n".join(json.dumps(r) for r in records)
        for content, name in ((as_list, "x.json"), (pretty, "x.json"), (lines, "x.jsonl")):
            table, faults = read(content, name)
            assert (faults, [r.values for r in table.rows]) == ([], records)
        (only,) = read(json.dumps(records[0], indent=2), "x.json")[0].rows
        assert only.values == records[0]

    def test_rows_of_a_pretty_list_know_the_line_they_start_on(self, read):
        table, _ = read('[\n  {"id":\n   "a"},\n\n  {"id": "b"}, {"id": "c"}\n]\n', "x.json")
        assert [(r.record, r.line) for r in table.rows] == [(1, 2), (2, 5), (3, 5)]

    def test_line_separators_within_texts_end_no_record(self, read):
        table, _ = read('{"id": "a\u2028\u0085b"}\r\n{"id": "c"}\r\n', "x.jsonl")
        assert [r.values["id"] for r in table.rows] == ["a\u2028\u0085b", "c"]
        assert [r.line for r in table.rows] == [1, 2]

    @pytest.mark.parametrize(
        ("line", "word"),
        [
            ('{"id": "b"', "not a JSON object on one line"),
            ('{"id": "b"} {"id": "c"}', "something follows"),
            ('{"id": "b", "id": "c"}', "key 'id' stands twice"),
            ('{"id": {"x": 1, "x": 2}}', "key 'x' stands twice"),
            ('{"id": -Infinity}', "-Infinity is not valid JSON"),
            ('{"id": 1e999}', "too large"),
            (r'{"id": "\uD83D"}', "surrogate"),
            ('{"id": ' + "[" * 100_000, "nested too deeply"),
            ("[1, 2]", "expected a JSON object, got list"),
            ("null", "expected a JSON object, got NoneType"),
            ("id,label", "not a JSON object"),
        ],
    )
    def test_a_broken_line_is_named_and_reading_goes_on(self, read, line, word):
        table, (fault,) = read('{"id": "a"}\n' + line + '\n{"id": "z"}\n', "x.jsonl")
        assert fault.startswith("x.jsonl:2: ")
        assert word in fault
        assert [r.values["id"] for r in table.rows] == ["a", "z"]

    @pytest.mark.parametrize(
        ("content", "line", "word"),
        [
            ('[{"id": "a"}\n {"id": "b"}]', 2, "expected a comma or ]"),
            ('[{"id": "a"},\n]', 2, "not JSON"),
            ('[{"id": "a"},\n{"id": "b"}', 2, "not closed"),
            ('[{"id": "a"},\n', 2, "cut off"),
            ('[{"id": "a"}]\n{"id": "b"}', 2, "something follows"),
            ('[{"id": "a"},\n5]', 2, "got int"),
            ('[{"id": "a"},\n{"k": 1, "k": 2}]', 2, "stands twice"),
            ('[{"id": "a"},\n{"k": tru}]', 2, "not JSON"),
            ('{\n"id": "a"\n}\n{"id": "b"}', 4, "a second value"),
            ('{\n"id": \n}', 3, "not JSON"),
        ],
    )
    def test_a_broken_list_or_object_is_named_with_its_line(
        self, read, refused, content, line, word
    ):
        try:
            _, faults = read(content, "x.json")
        except LabelFileError as error:
            faults = error.faults
        assert len(faults) == 1
        assert faults[0].startswith(f"x.json:{line}: ")
        assert word in faults[0]

    def test_a_last_line_that_breaks_off_says_so(self, read):
        _, (fault,) = read('{"id": "a"}\n{"id": "b", "lab', "x.jsonl")
        assert fault.startswith("x.jsonl:2: ")
        assert "seems cut off" in fault
        _, (whole,) = read('{"id": "a"}\n{"id": "b", "lab\n', "x.jsonl")
        assert "cut off" not in whole

    @pytest.mark.parametrize("name", ["x.json", "x.jsonl"])
    def test_delimited_text_under_the_name_of_json_is_told_from_broken_json(self, refused, name):
        (fault,) = refused("id,label\na,Pass\n", name)
        assert "name the file .csv or .tsv" in fault

    def test_a_pair_of_surrogates_is_one_character(self, read):
        table, faults = read(r'{"id": "\ud83d\ude00"}', "x.jsonl")
        assert (faults, table.rows[0].values["id"]) == ([], "\U0001f600")

    @pytest.mark.parametrize("content", ["[]", " [ ]\n"])
    def test_an_empty_list_holds_no_record(self, refused, content):
        assert refused(content, "x.json") == ("x.json: holds no record.",)

    def test_the_beginning_decides_where_the_name_does_not(self, read):
        assert not read('{"id": "a"}\n', "x.txt")[0].delimited
        assert not read('{"id": "a"}\n', "x.csv")[0].delimited
        assert read("[id],label\na,b\n", "x.csv")[0].columns == ("[id]", "label")
        assert read("id,label\na,b\n", "x")[0].delimited

    def test_a_long_list_is_read_in_linear_time(self, read):
        records = [{"id": f"s{i}", "pad": "x" * 50} for i in range(20_000)]
        # Counting lines from the start for each of these took minutes.
        table, _ = read(json.dumps(records, indent=1), "x.json")
        assert len(table.rows) == 20_000
        assert table.rows[-1].line == 2 + 4 * 19_999
