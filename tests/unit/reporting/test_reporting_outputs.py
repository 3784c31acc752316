"""What must hold in every output, whatever its form."""

from __future__ import annotations

import io
import json
import re

import pytest

from assay.reporting import (
    confusion_html,
    leader_row,
    print_leaders,
    print_report,
    report_html,
    report_json,
    summary_markdown,
)
from assay.reporting.disagreements import disagreements_html
from assay.reporting.streams import open_console


def terminal(report, width=100):
    out = io.StringIO()
    print_report(report, console=open_console(out, width=width))
    return out.getvalue()


def leaders(report):
    out = io.StringIO()
    print_leaders([leader_row(report, variant="strict")], file=out)
    return out.getvalue()


OUTPUTS = {
    "terminal": terminal,
    "narrow terminal": lambda r: terminal(r, 44),
    "leaders": leaders,
    "report.html": report_html,
    "confusion.html": confusion_html,
    "disagreements.html": lambda r: disagreements_html(r, ()),
    "summary.md": summary_markdown,
    "report.json": report_json,
}
WITH_RATES = {k: v for k, v in OUTPUTS.items() if k != "disagreements.html"}


@pytest.mark.parametrize("name", OUTPUTS)
def test_simulated_is_said_in_every_output(name, panel):
    text = OUTPUTS[name](panel)
    if name == "report.json":
        assert json.loads(text)["simulated"] is True
    assert "SIMULATED" in text


@pytest.mark.parametrize("name", OUTPUTS)
def test_recorded_verdicts_are_never_called_simulated(name, single):
    assert "SIMULATED" not in OUTPUTS[name](single)


@pytest.mark.parametrize("name", WITH_RATES)
def test_r31_undefined_stands_with_its_reason_in_every_output(name, single):
    text = " ".join(WITH_RATES[name](single).split())
    assert "no item that people failed" in text
    assert "undefined" in text


@pytest.mark.parametrize("name", OUTPUTS)
@pytest.mark.parametrize("which", ["single", "panel", "several", "hostile"])
def test_no_output_holds_nan_infinity_or_none(name, which, request):
    text = OUTPUTS[name](request.getfixturevalue(which))
    # As words: "not" and "None" within other words are fine; a bare value is not.
    assert not re.search(r"\b(nan|NaN|inf|Infinity|None)\b", text)


@pytest.mark.parametrize("name", [n for n in OUTPUTS if n != "report.json"])
def test_the_positive_class_is_declared_in_every_output_for_people(name, single):
    text = " ".join(OUTPUTS[name](single).split())
    assert "Pass is the positive class" in text
    assert "too lenient" in text
    assert "too strict" in text


@pytest.mark.parametrize("name", WITH_RATES)
def test_a_rate_travels_with_its_interval_in_every_output(name, panel):
    # Honesty: TNR 10/14 = 0.71, Wilson [0.45, 0.88].
    text = " ".join(WITH_RATES[name](panel).split())
    if name == "report.json":
        tnr = json.loads(text)["judges"][0]["dimensions"][4]["tnr"]
        assert (tnr["successes"], tnr["trials"]) == (10, 14)
        assert round(tnr["low"], 2) == 0.45
        return
    assert "0.71" in text
    assert "[0.45, 0.88]" in text
    assert "n=14" in text


def test_r57_the_json_is_strict_and_null_stands_beside_its_reason(single):
    def refuse(word):
        raise AssertionError(word)

    record = json.loads(report_json(single), parse_constant=refuse)
    tnr = record["judges"][0]["dimensions"][2]["tnr"]
    assert tnr["value"] is None
    assert tnr["undefined"] == "no item that people failed"
    assert record["positive_class"] == "Pass"


@pytest.mark.parametrize("name", ["report.html", "confusion.html", "disagreements.html"])
def test_hostile_names_stay_text_in_html(name, hostile):
    text = OUTPUTS[name](hostile)
    body = text.split("</style>")[1]
    assert "<script" not in body
    assert "<img" not in body
    assert "<b>w" not in body
    assert "\x1b" not in text


@pytest.mark.parametrize("name", ["report.html", "confusion.html", "disagreements.html"])
def test_pages_load_nothing_and_forbid_it(name, panel):
    text = OUTPUTS[name](panel)
    assert "default-src 'none'" in text
    assert not re.search(r"(?:src|href)\s*=|url\(|@import|https?://", text)


def test_hostile_names_move_no_cursor_in_the_terminal(hostile):
    text = terminal(hostile)
    assert "\x1b" not in text
    assert "\\x1b[2J[bold]</b>" in text


def test_hostile_names_are_no_markup_in_markdown(hostile):
    text = summary_markdown(hostile)
    assert "<script" not in text
    assert "<img" not in text
    rows = [line for line in text.splitlines() if line.startswith("| ") and "Wilson" not in line]
    unescaped = [re.findall(r"(?<!\\)\|", row) for row in rows]
    assert [len(found) for found in unescaped] == [6]


def test_r30_the_matrix_names_every_cell_and_has_pass_first(single):
    text = confusion_html(single)
    first = text.split('<section class="matrix">')[1]
    places = [
        first.index(words)
        for words in (
            "judge Pass", "judge Fail", "judge without verdict",
            "human<br>Pass", "<b>19</b>true pass", "<b>1</b>false fail<br>(too strict)",
            "human<br>Fail", "<b>4</b>false pass<br>(too lenient)", "<b>16</b>true fail",
        )
    ]  # fmt: skip
    assert places == sorted(places)


def test_items_without_a_verdict_stand_beside_the_matrix(single):
    completeness = confusion_html(single).split('<section class="matrix">')[2]
    assert "<b>2</b>no verdict" in completeness
    assert "2 abstained, 1 errored, 0 missing (timeout 1, unparseable 2)" in completeness


def test_the_report_page_gives_digests_and_commands(single):
    text = report_html(single, commands=("assay validate --labels 'a<b>.csv'",))
    assert "ab" * 32 in text
    assert "assay validate --labels &#x27;a&lt;b&gt;.csv&#x27;" in text
