"""Labels are read as text, faults are named with their place, and nothing is dropped in silence."""

from __future__ import annotations

import json

import pytest

from assay.data import LabelOptions, load_labels
from assay.errors import InputError, LabelFileError


@pytest.fixture
def write(tmp_path):
    def _write(content, name="labels.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        return path

    return _write


def read(labels):
    return {(x.session_id, x.dimension): x.result for x in labels.labels}


def faults_of(path, **options):
    with pytest.raises(LabelFileError) as caught:
        load_labels(path, options=LabelOptions(**options))
    return caught.value.faults


class TestSpellings:
    def test_every_documented_spelling_means_the_same_in_one_column(self, write):
        path = write("id,label\n1,TRUE\n2,true\n3,FALSE\n4,Pass \n5,fail\n6,1\n7,0.0\n8,yes\n")
        labels = load_labels(path)
        assert list(read(labels).values()) == [
            "Pass", "Pass", "Fail", "Pass", "Fail", "Pass", "Fail", "Pass",
        ]  # fmt: skip
        assert labels.spellings["TRUE"] == ("Pass", 1)
        assert sum(count for _, count in labels.spellings.values()) == 8

    def test_a_cell_means_the_same_whatever_stands_in_the_others(self, write):
        alone = read(load_labels(write("id,label\na,TRUE\n", "one.csv")))
        mixed = read(load_labels(write("id,label\na,TRUE\nb,Passed\nc,0\n", "two.csv")))
        assert alone["a", "overall"] == mixed["a", "overall"] == "Pass"

    def test_words_that_may_or_may_not_be_labels_need_a_mapping(self, write):
        path = write("id,label\nq1,Pass\nq2,NA\nq3,\n")
        (fault,) = faults_of(path)
        assert fault.startswith("labels.csv:3: record 2:")
        assert "'NA'" in fault
        labels = load_labels(path, options=LabelOptions(spellings={"NA": "unlabelled"}))
        assert (len(labels.labels), labels.unlabelled) == (1, 2)

    @pytest.mark.parametrize("word", ["None", "null", "n/a", "Skip", "NaN", "Maybe", "2", "P", "-"])
    def test_anything_else_is_refused_with_its_line_and_value(self, write, word):
        (fault,) = faults_of(write(f"id,label\nq1,Pass\nq2,{word}\n"))
        assert fault.startswith("labels.csv:3:")
        assert repr(word) in fault

    def test_json_booleans_and_numbers_read_like_their_spellings(self, write):
        values = [True, False, 1, 0, 1.0, "pass", None]
        lines = [json.dumps({"id": f"s{i}", "label": v}) for i, v in enumerate(values)]
        labels = load_labels(write("\n".join(lines), "l.jsonl"))
        assert list(read(labels).values()) == ["Pass", "Fail", "Pass", "Fail", "Pass", "Pass"]
        assert labels.unlabelled == 1

    def test_a_mapping_to_nonsense_is_refused(self, write):
        with pytest.raises(InputError, match="map to Pass, Fail or unlabelled"):
            load_labels(write("id,label\na,x\n"), options=LabelOptions(spellings={"x": "maybe"}))


class TestIdentifiers:
    @pytest.mark.parametrize("name", ["007", "7", "1E5", "12345678901234567890", "1.50", "True"])
    def test_ids_are_text_whatever_they_look_like(self, write, name):
        (label,) = load_labels(write(f"id,label\n{name},Pass\n")).labels
        assert label.session_id == name

    def test_a_missing_label_changes_no_other_id(self, write):
        labels = load_labels(write("id,label\n1,1\n2,\n3,0\n"))
        assert read(labels) == {("1", "overall"): "Pass", ("3", "overall"): "Fail"}
        assert labels.unlabelled == 1

    @pytest.mark.parametrize(
        ("cell", "word"), [("", "blank"), ("  ", "blank"), (" s1", "space at an end")]
    )
    def test_blank_and_padded_ids_are_refused(self, write, cell, word):
        (fault,) = faults_of(write(f"id,label\n{cell},Pass\n"))
        assert word in fault
        assert "labels.csv:2" in fault

    def test_a_second_label_and_a_conflicting_one_are_both_refused(self, write):
        faults = faults_of(write("id,label\na,Pass\na,Pass\nb,Pass\nb,Fail\n"))
        assert len(faults) == 2
        assert "a second label" in faults[0]
        assert "labels.csv:3" in faults[0]
        assert "conflicting" in faults[1]
        assert "line 4 says Pass" in faults[1]


class TestFiles:
    @pytest.mark.parametrize("name", ["l.csv", "l.tsv", "l.json", "l.jsonl"])
    def test_a_byte_order_mark_is_no_part_of_the_first_column(self, write, name):
        body = {
            "l.csv": '"id","label"\nb1,Pass\n',
            "l.tsv": "id\tlabel\nb1\tPass\n",
            "l.json": '[{"id": "b1", "label": "Pass"}]',
            "l.jsonl": '{"id": "b1", "label": "Pass"}\n',
        }[name]
        labels = load_labels(write(b"\xef\xbb\xbf" + body.encode(), name))
        assert read(labels) == {("b1", "overall"): "Pass"}

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
    def test_wide_encodings_are_refused_by_name(self, write, encoding):
        (fault,) = faults_of(write("id,label\nu1,Pass\nu2,Fail\n".encode(encoding)))
        assert "UTF-32" in fault if encoding == "utf-32" else "UTF-16" in fault
        assert "save the file as UTF-8" in fault

    def test_legacy_encodings_are_refused_with_the_line(self, write):
        (fault,) = faults_of(write("id,label,note\na,Pass,ok\nb,Pass,caf\xe9\n".encode("latin-1")))
        assert fault.startswith("labels.csv:3:")
        assert "Windows-1252 or Latin-1" in fault

    def test_semicolons_quoted_line_breaks_record_and_line_numbers(self, write):
        path = write('id;label;note\ns1;Pass;"first\nsecond"\ns2;Maybe;x\n')
        (fault,) = faults_of(path)
        assert fault.startswith("labels.csv:4: record 2:")
        assert "'Maybe'" in fault
        labels = load_labels(path, options=LabelOptions(spellings={"Maybe": "unlabelled"}))
        assert labels.labels[0].notes == "first\nsecond"

    def test_several_faults_are_reported_in_one_go(self, write):
        faults = faults_of(write("id,label\n,Pass\nb,Maybe\nc,Pass,extra\nd,Pass\n"))
        assert [f.split(": ")[0] for f in faults] == [
            "labels.csv:2", "labels.csv:3", "labels.csv:4",
        ]  # fmt: skip

    def test_a_long_list_of_faults_is_cut_with_its_count(self, write):
        faults = faults_of(write("id,label\n" + "".join(f"s{i},?\n" for i in range(50))))
        assert len(faults) == 21
        assert "and 30 more faults" in faults[-1]

    @pytest.mark.parametrize(
        ("content", "word"),
        [
            ("", "empty"), ("\n\n", "empty"), ("id,label\n", "no record"),
            ("id,id,label\na,b,Pass\n", "twice"), ("id,,label\na,b,Pass\n", "no name"),
            ("name,label\na,Pass\n", "no id"), ("id,grade\na,Pass\n", "no label"),
        ],
    )  # fmt: skip
    def test_files_that_hold_nothing_usable_say_so(self, write, content, word):
        assert any(word in fault for fault in faults_of(write(content)))

    @pytest.mark.parametrize(
        ("line", "word"),
        [
            ('{"id": "a", "label": "Pass"', "not a JSON object"),
            ('{"id": "a", "id": "b", "label": "Pass"}', "stands twice"),
            ('{"id": "a", "label": NaN}', "NaN"),
            ('["a", "Pass"]', "got list"),
            ('"a"', "got str"),
        ],
    )
    def test_broken_json_lines_are_named_with_their_line(self, write, line, word):
        path = write('{"id": "ok", "label": "Pass"}\n\n' + line + "\n", "l.jsonl")
        (fault,) = faults_of(path)
        assert fault.startswith("l.jsonl:3:")
        assert word in fault

    def test_a_missing_file_and_a_folder_are_input_errors(self, tmp_path):
        with pytest.raises(InputError, match="no such file"):
            load_labels(tmp_path / "none.csv")
        with pytest.raises(InputError, match="a folder"):
            load_labels(tmp_path)


class TestColumns:
    def test_a_misspelt_column_is_refused_with_the_likely_one(self, write):
        (fault,) = faults_of(write("id,label,anotator\na,Pass,x\n"))
        assert "did you mean 'annotator'" in fault

    @pytest.mark.parametrize(
        ("name", "meant"),
        [("lable", "label"), ("reslut", "result"), ("labels", "label"), ("humna", "human")],
    )
    def test_letters_in_the_wrong_order_find_the_right_word(self, write, name, meant):
        (fault, missing) = faults_of(write(f"id,{name}\na,Pass\n"))
        assert f"unknown column {name!r}; did you mean {meant!r}?" in fault
        assert "no label" in missing

    def test_an_unrelated_column_is_left_out_and_named(self, write):
        labels = load_labels(write("id,label,question\na,Pass,why?\n"))
        assert any("question" in notice for notice in labels.notices)

    def test_a_column_may_be_chosen_and_a_wrong_choice_lists_what_is_there(self, write):
        path = write("key,grade\na,Pass\n")
        labels = load_labels(
            path, options=LabelOptions(columns={"session_id": "key", "result": "grade"})
        )
        assert read(labels) == {("a", "overall"): "Pass"}
        with pytest.raises(InputError, match="there are: key, grade"):
            load_labels(path, options=LabelOptions(columns={"session_id": "nope"}))

    def test_agent_and_task_come_along_and_must_not_change(self, write):
        labels = load_labels(
            write("id,dimension,label,agent,task_id\na,x,Pass,bot,t1\na,y,Fail,bot,t1\n")
        )
        assert labels.agents == {"a": "bot"}
        assert labels.groups == {"a": "t1"}
        (fault,) = faults_of(write("id,dimension,label,agent\na,x,Pass,bot\na,y,Fail,other\n"))
        assert "'other' here but 'bot' above" in fault


class TestAnnotators:
    LONG = "id,label,annotator\na,Pass,ann\na,Pass,bob\na,Fail,cyd\nb,Pass,ann\nb,Fail,bob\n"

    def test_named_annotators_keep_all_votes_under_a_declared_rule(self, write):
        labels = load_labels(write(self.LONG))
        assert labels.aggregation == "majority"
        assert len(labels.votes) == 5
        # a: 2 of 3 Pass; b: one each, so no label.
        assert read(labels) == {("a", "overall"): "Pass"}
        assert labels.undecided == 1

    def test_unanimity_leaves_every_disagreement_undecided(self, write):
        labels = load_labels(write(self.LONG), options=LabelOptions(rule="unanimous"))
        assert (len(labels.labels), labels.undecided) == (0, 2)

    def test_one_annotator_twice_on_one_item_is_a_fault(self, write):
        (fault,) = faults_of(write("id,label,annotator\na,Pass,ann\na,Fail,ann\n"))
        assert "by ann" in fault

    def test_wide_by_annotator_equals_long(self, write):
        wide = load_labels(
            write("id,ann,bob,cyd\na,Pass,Pass,Fail\nb,Pass,Fail,\n", "wide.csv"),
            options=LabelOptions(annotator_columns=("ann", "bob", "cyd")),
        )
        long = load_labels(write(self.LONG, "long.csv"))
        assert set(wide.votes) == set(long.votes)
        assert wide.unlabelled == 1

    def test_wide_by_dimension_gives_one_label_per_cell(self, write):
        labels = load_labels(
            write("id,correctness,verification\na,Pass,Fail\nb,,Pass\n"),
            options=LabelOptions(dimension_columns=("correctness", "verification")),
        )
        assert read(labels) == {
            ("a", "correctness"): "Pass",
            ("a", "verification"): "Fail",
            ("b", "verification"): "Pass",
        }
        assert labels.unlabelled == 1


def test_the_digest_ignores_row_order_and_sees_every_change(write):
    one = load_labels(write("id,label\na,Pass\nb,Fail\n", "1.csv"))
    two = load_labels(write("id;label\nb;false\na;TRUE\n", "2.csv"))
    other = load_labels(write("id,label\na,Pass\nb,Pass\n", "3.csv"))
    assert one.digest == two.digest != other.digest


class TestNothingIsDroppedInSilence:
    def test_a_record_without_the_label_key_is_a_fault_and_null_is_counted(self, write):
        path = write('{"id": "a", "label": null}\n{"id": "b"}\n{"label": "Pass"}\n', "l.jsonl")
        faults = faults_of(path)
        assert faults == (
            "l.jsonl:2: label is missing; write null if there is none.",
            "l.jsonl:3: id is missing.",
        )

    def test_null_blank_and_wrong_ids_are_told_apart(self, write):
        lines = ['{"id": null', '{"id": " "', '{"id": 1.5', '{"id": true', '{"id": ["a"]']
        faults = faults_of(write("".join(f'{x}, "label": 1}}\n' for x in lines), "l.jsonl"))
        for fault, word in zip(faults, ["null", "blank", "float", "bool", "list"], strict=True):
            assert word in fault

    def test_keys_that_differ_in_case_cannot_hide_labels(self, write):
        faults = faults_of(write('{"id":"a","Label":1}\n{"id":"b","label":0}\n', "l.jsonl"))
        assert "'Label' and 'label' could all be result" in faults[0]

    def test_two_columns_of_labels_are_refused(self, write):
        (fault,) = faults_of(write("id,label,result\na,Pass,Fail\n"))
        assert "'result' and 'label' could all be result" in fault

    def test_our_own_id_goes_before_another_which_is_named(self, write):
        labels = load_labels(write("id,session_id,label\n1,a,Pass\n"))
        assert read(labels) == {("a", "overall"): "Pass"}
        assert labels.notices == ("labels.csv: left out, not used here: id",)

    def test_a_mistyped_key_in_one_record_is_found_there(self, write):
        good = '{"id": "a", "label": 1, "annotator": "x"}\n'
        (fault,) = faults_of(write(good + '{"id": "b", "label": 1, "anotator": "y"}\n', "l.jsonl"))
        assert fault.startswith("l.jsonl:2: unknown key 'anotator'; did you mean 'annotator'")

    def test_a_similar_name_beside_the_real_one_is_no_misspelling(self, write):
        labels = load_labels(write("idx,id,label,labels2\n0,a,Pass,x\n"))
        assert labels.notices == ("labels.csv: left out, not used here: idx, labels2",)
        quiet = LabelOptions(ignore=("idx", "labels2"))
        assert load_labels(write("idx,id,label,labels2\n0,a,Pass,x\n"), options=quiet).notices == ()

    def test_notes_keep_every_character(self, write):
        labels = load_labels(write('id,label,note\na,1, padded \nb,0,"a ""b"" c"\n'))
        assert [x.notes for x in labels.labels] == [" padded ", 'a "b" c']
        (zero,) = load_labels(write('{"id": "a", "label": 1, "note": 0}', "l.jsonl")).labels
        assert zero.notes == "0"

    def test_numbers_as_ids_are_read_as_text_with_a_word_about_it(self, write):
        labels = load_labels(write('{"id": 7, "label": 1}\n{"id": "007", "label": 0}\n', "l.jsonl"))
        assert [x.session_id for x in labels.labels] == ["7", "007"]
        assert any("1 ids are JSON numbers" in n for n in labels.notices)
        (fault,) = faults_of(write('{"id": 7, "label": 1}\n{"id": "7", "label": 0}\n', "l.jsonl"))
        assert "a conflicting label for '7'" in fault

    @pytest.mark.parametrize("mark", ["\u200b", "\ufeff", "\u2060"])
    def test_invisible_characters_at_the_end_of_an_id_are_named(self, write, mark):
        (fault,) = faults_of(write(f"id,label\nb1{mark},Pass\n"))
        assert f"U+{ord(mark):04X}" in fault

    def test_duplicates_in_a_list_on_one_line_are_found(self, write):
        (fault,) = faults_of(write('[{"id":"a","label":1},{"id":"a","label":0}]', "l.json"))
        assert "record 2: a conflicting label" in fault
        assert "record 1, line 1 says Pass" in fault

    def test_a_blank_dimension_beside_named_ones_is_refused(self, write):
        (fault,) = faults_of(write("id,dimension,label\na,x,Pass\nb,,Pass\n"))
        assert fault.startswith("labels.csv:3: record 2: the dimension is blank")

    def test_dimensions_that_differ_in_case_are_kept_apart_and_named(self, write):
        labels = load_labels(write("id,dimension,label\na,Tests,Pass\nb,tests,Pass\n"))
        assert any("Tests and tests differ in case only" in n for n in labels.notices)

    def test_a_file_with_judges_is_sent_to_its_own_reader(self, write):
        (fault,) = faults_of(
            write('{"item_id": "a", "human": "pass", "judges": {"j": "pass"}}\n', "c.jsonl")
        )
        assert "read it as a combined file" in fault

    @pytest.mark.parametrize("cell", ["1.5", "high", "0,9", "nan", "-0.1"])
    def test_a_confidence_outside_its_range_is_named(self, write, cell):
        (fault,) = faults_of(write(f"id;label;confidence\na;1;{cell}\n"))
        assert "confidence must be a number from 0 to 1, written like 0.9" in fault
        assert repr(cell) in fault

    def test_agents_of_rows_without_a_label_are_known_too(self, write):
        labels = load_labels(write("id,label,agent\na,,bot\n"))
        assert (labels.agents, labels.unlabelled) == ({"a": "bot"}, 1)


class TestOptions:
    @pytest.mark.parametrize(
        ("options", "word"),
        [
            ({"columns": {"sesion_id": "id"}}, "did you mean session_id"),
            ({"columns": {"result": "nope"}}, "no column 'nope'"),
            ({"annotator_columns": ("ann", "bop")}, "no column 'bop'"),
            ({"annotator_columns": ("ann",), "dimension_columns": ("x",)}, "not both"),
            ({"spellings": {"": "Fail"}}, "a blank cell is always unlabelled"),
            ({"spellings": {"NA": "Pass", "na": "Fail"}}, "keep one"),
        ],
    )
    def test_an_option_that_fits_nothing_is_refused(self, write, options, word):
        with pytest.raises(InputError, match=word):
            load_labels(write("id,ann\na,Pass\n"), options=LabelOptions(**options))

    def test_wide_json_with_a_mistyped_annotator_is_refused(self, write):
        with pytest.raises(InputError, match="no column 'an'; there are: id, ann"):
            load_labels(
                write('{"id": "a", "ann": 1}\n', "l.jsonl"),
                options=LabelOptions(annotator_columns=("an",)),
            )

    def test_every_bad_cell_of_a_wide_row_is_named_with_its_column(self, write):
        faults = faults_of(write("id,ann,bob\na,Maybe,Perhaps\n"), annotator_columns=("ann", "bob"))
        assert ["ann: 'Maybe'" in faults[0], "bob: 'Perhaps'" in faults[1]] == [True, True]

    def test_a_mapping_goes_before_the_documented_meaning(self, write):
        options = LabelOptions(spellings={"0": "Pass", "GOOD": "Pass", "1": "Fail"})
        labels = load_labels(write("id,label\na,0\nb,good \nc,1\n"), options=options)
        assert list(read(labels).values()) == ["Pass", "Pass", "Fail"]
        assert labels.spellings["good "] == ("Pass", 1)

    def test_a_mapping_for_verdicts_does_not_make_a_label(self, write):
        (fault,) = faults_of(write("id,label\na,dunno\n"), spellings={"dunno": "abstained"})
        assert "'dunno' is no known spelling" in fault


class TestVotes:
    def test_a_named_and_an_unnamed_label_for_one_item_are_refused(self, write):
        (fault,) = faults_of(write("id,label,annotator\na,Pass,ann\na,Fail,\n"))
        assert fault.startswith("labels.csv:3:")
        assert "name the annotator of each" in fault

    def test_one_annotator_alone_gives_labels_and_votes(self, write):
        labels = load_labels(write("id,label,annotator\na,Pass,ann\nb,Fail,ann\n"))
        assert (labels.aggregation, labels.votes) == ("single", labels.labels)

    def test_a_single_vote_keeps_its_confidence_and_notes(self, write):
        labels = load_labels(
            write("id,label,annotator,confidence,notes\na,1,ann,0.5,x\nb,1,ann,,p\nb,1,bob,,q\n")
        )
        a, b = labels.labels
        assert (a.confidence, a.notes, a.annotator) == (0.5, "x", "ann")
        assert (b.confidence, b.notes, b.annotator) == (None, "p; q", None)


class TestOddValues:
    """Values that JSON allows where a text is expected."""

    @pytest.mark.parametrize(
        ("extra", "word"),
        [
            ('"notes": ["a"]', "notes must be a text, got list"),
            ('"annotator": {"n": 1}', "annotator must be a text, got dict"),
            ('"agent": ["a"]', "agent must be a text, got list"),
            ('"confidence": true', "confidence must be a number"),
            ('"confidence": [1]', "confidence must be a number"),
            ('"synthetic": "perhaps"', "synthetic must be true or false"),
            ('"dimension": "two\\nlines"', "dimension 'two\\nlines' has a line break"),
        ],
    )
    def test_a_value_of_the_wrong_type_is_named(self, write, extra, word):
        (fault,) = faults_of(write('{"id": "a", "label": 1, ' + extra + "}\n", "l.jsonl"))
        assert fault.startswith("l.jsonl:1: ")
        assert word in fault

    @pytest.mark.parametrize("value", ["[]", '{"a": "' + "x" * 100 + '"}', "0.5", "2"])
    def test_a_label_that_is_no_label_is_named(self, write, value):
        (fault,) = faults_of(write('{"id": "a", "label": ' + value + "}\n", "l.jsonl"))
        assert "Pass" in fault
        assert len(fault) < 250

    def test_booleans_and_numbers_as_texts_are_kept_as_written(self, write):
        line = '{"id": "a", "label": 1, "dimension": 3, "agent": true, "synthetic": "yes"}'
        labels = load_labels(write(line, "l.jsonl"))
        (label,) = labels.labels
        assert (label.dimension, label.synthetic, labels.agents) == ("3", True, {"a": "true"})

    def test_an_option_for_the_dimension_goes_before_the_column_and_says_so(self, write):
        labels = load_labels(
            write("id,dimension,label\na,x,Pass\n"), options=LabelOptions(dimension="y")
        )
        assert read(labels) == {("a", "y"): "Pass"}
        assert any("not by column dimension" in n for n in labels.notices)
