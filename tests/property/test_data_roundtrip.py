"""Any id and any note comes back as it was written, in every kind of file."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.data import load_labels, load_verdicts, write_jsonl
from assay.data.cells import identifier
from assay.errors import LabelFileError
from assay.schema import HumanLabel, Verdict

settings.register_profile("files", max_examples=60, deadline=None)
quick = settings(
    settings.get_profile("files"), suppress_health_check=[HealthCheck.function_scoped_fixture]
)

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
LOOKALIKES = st.sampled_from(
    [
        "007",
        "7",
        "1E5",
        "1.0",
        "True",
        "NA",
        "nan",
        "null",
        "-",
        "=1+1",
        "12345678901234567890",
        "ü1",
    ]
)


def _is_id(text):
    try:
        return identifier(text) == text
    except ValueError:
        return False


IDS = LOOKALIKES | TEXT.filter(_is_id)
LABELS = st.lists(
    st.builds(
        HumanLabel,
        session_id=IDS,
        dimension=st.sampled_from(["correctness", "minimal_diff"]),
        result=st.sampled_from(["Pass", "Fail"]),
        confidence=st.none() | st.floats(0, 1),
        notes=TEXT,
    ),
    min_size=1,
    max_size=8,
    unique_by=lambda x: (x.session_id, x.dimension),
)


@quick
@given(labels=LABELS, delimiter=st.sampled_from([",", ";", "\t"]), mark=st.booleans())
def test_labels_written_as_delimited_text_are_read_back_equal(tmp_path, labels, delimiter, mark):
    path = tmp_path / "labels.csv"
    out = io.StringIO()
    # Python's own writer leaves a bare carriage return unquoted; spreadsheets quote it.
    quoting = csv.QUOTE_ALL if any("\r" in x.notes for x in labels) else csv.QUOTE_MINIMAL
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n", quoting=quoting)
    writer.writerow(["session_id", "dimension", "result", "confidence", "notes"])
    for x in labels:
        confidence = "" if x.confidence is None else repr(x.confidence)
        writer.writerow([x.session_id, x.dimension, x.result, confidence, x.notes])
    path.write_bytes(b"\xef\xbb\xbf" * mark + out.getvalue().encode("utf-8"))
    assert load_labels(path).labels == tuple(labels)


@quick
@given(labels=LABELS)
def test_labels_written_as_json_lines_and_as_a_list_are_read_back_equal(tmp_path, labels):
    lines = tmp_path / "labels.jsonl"
    write_jsonl(lines, labels, overwrite=True)
    whole = tmp_path / "labels.json"
    dumped = [x.model_dump(mode="json") for x in labels]
    for indent in (None, 2):
        whole.write_bytes(json.dumps(dumped, indent=indent).encode("utf-8"))
        assert load_labels(whole).labels == load_labels(lines).labels == tuple(labels)


@quick
@given(labels=LABELS, order=st.randoms(use_true_random=False))
def test_the_digest_does_not_depend_on_the_order_of_rows(tmp_path, labels, order):
    path = tmp_path / "labels.jsonl"
    write_jsonl(path, labels, overwrite=True)
    before = load_labels(path).digest
    order.shuffle(labels)
    write_jsonl(path, labels, overwrite=True)
    assert load_labels(path).digest == before


@quick
@given(
    st.lists(
        st.builds(
            Verdict,
            session_id=IDS,
            dimension=st.just("d"),
            judge=st.just("j"),
            outcome=st.just("abstained"),
            reason=st.sampled_from(["unparseable", "tie", "not_recorded", "refused"]),
            rationale=TEXT,
            raw_text=TEXT,
            cost_usd=st.none() | st.floats(0, 1e6),
        ),
        min_size=1,
        max_size=5,
        unique_by=lambda v: v.session_id,
    )
)
def test_verdicts_written_as_json_lines_are_read_back_equal(tmp_path, verdicts):
    path = tmp_path / "verdicts.jsonl"
    write_jsonl(path, verdicts, overwrite=True)
    assert load_verdicts(path).verdicts == tuple(verdicts)


@quick
@given(raw=st.binary(max_size=200), name=st.sampled_from(["x.csv", "x.jsonl", "x.json", "x.txt"]))
def test_no_bytes_whatever_escape_the_tree_of_errors(tmp_path, raw, name):
    path = tmp_path / name
    path.write_bytes(raw)
    with pytest.raises(LabelFileError):
        load_labels(path)


@quick
@given(
    text=st.text(st.sampled_from('{}[]",:;\t\n\r aidlbePs01\\u'), max_size=60),
    name=st.sampled_from(["x.csv", "x.jsonl", "x.json"]),
)
def test_no_text_whatever_escapes_the_tree_of_errors(tmp_path, text, name):
    path = tmp_path / name
    path.write_bytes(b"id,label\n" * (name == "x.csv") + text.encode())
    try:
        faults = ("x: none",) if load_labels(path) else ()
    except LabelFileError as error:
        faults = error.faults
    assert faults
    assert all(fault.startswith("x") for fault in faults)
