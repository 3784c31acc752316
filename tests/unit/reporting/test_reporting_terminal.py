"""The terminal: every width readable, no number cut, the verdict last."""

from __future__ import annotations

import io

import pytest

from assay.reporting import print_label_summary, print_report, print_spellings, print_split
from assay.reporting.streams import open_console, say, say_json


def printed(report, width):
    out = io.StringIO()
    print_report(report, console=open_console(out, width=width))
    return out.getvalue()


@pytest.mark.parametrize("width", [30, 44, 60, 80, 100, 140, 200])
@pytest.mark.parametrize("which", ["single", "panel", "several", "hostile"])
def test_no_line_is_wider_than_the_terminal_and_nothing_is_cut(width, which, request):
    text = printed(request.getfixturevalue(which), width)
    assert max(len(line) for line in text.splitlines()) <= width
    assert "…" not in text


@pytest.mark.parametrize("width", [44, 80, 100, 140])
def test_rates_keep_their_interval_and_n_at_any_width(width, single):
    text = " ".join(printed(single, width).split())
    assert "0.95 [0.76, 0.99] n=20" in text
    assert "0.93 [0.79, 0.98] n=30" in text


def test_a_narrow_table_puts_the_interval_under_its_rate(single):
    lines = printed(single, 60).splitlines()
    row = next(i for i, x in enumerate(lines) if x.startswith("correctness  "))
    assert lines[row].split()[:5] == ["correctness", "0.95", "n=20", "0.80", "n=20"]
    assert lines[row + 1].split()[:4] == ["[0.76,", "0.99]", "[0.58,", "0.92]"]


def test_a_wide_terminal_has_counts_rates_and_gate_on_one_line(single):
    row = next(x for x in printed(single, 160).splitlines() if x.startswith("completeness "))
    assert row.split()[:5] == ["completeness", "42", "2", "28", "3"]
    assert row.endswith("2     1        0     75/78  minimum unconfirmed")


@pytest.mark.parametrize("which", ["single", "panel", "several"])
def test_the_overall_verdict_comes_last(which, request):
    report = request.getfixturevalue(which)
    last = printed(report, 200).rstrip().splitlines()[-1]
    assert last == f"Overall: {report.overall_verdict}."


def test_several_judges_share_one_table_with_their_agents(several):
    lines = printed(several, 160).splitlines()
    rows = [x.split()[:3] for x in lines if x.startswith(("gpt-x ", "llama ", "qwen "))]
    assert ["gpt-x", "correctness", "all"] in rows
    assert ["qwen", "safety", "cinder-cli"] in rows
    # 3 judges x 3 dimensions x (all + 3 agents)
    assert len(rows) == 36


def test_a_panel_shows_its_members_and_own_family_findings(panel):
    text = " ".join(printed(panel, 100).split())
    assert "Members of the panel" in text
    assert "flagged: judge atlas-large on its own family (atlas), correctness" in text
    assert "false-pass rate 6/7 on own work against 2/13 on others'" in text
    assert "undefined (3 own and 22 other items of the class; needs 5 of each)" in text


def test_output_is_plain_where_nobody_watches(single):
    text = printed(single, 100)
    assert "\x1b" not in text
    assert text.isascii()


def test_no_color_is_respected_on_a_terminal(single, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("NO_COLOR", raising=False)
    out = Terminal()
    print_report(single, file=out)
    assert "\x1b[" in out.getvalue()
    monkeypatch.setenv("NO_COLOR", "1")
    out = Terminal()
    print_report(single, file=out)
    # Bold is no colour; colours are 3x, 9x and 38.
    assert "\x1b[3" not in out.getvalue()
    assert "\x1b[9" not in out.getvalue()


def test_a_stream_that_lacks_a_character_gets_its_code():
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="ascii")
    say("評価: Pass", file=out)
    print_spellings({"合格": ("Pass", 3)}, file=out)
    out.flush()
    assert b"\\u8a55\\u4fa1: Pass" in raw.getvalue()
    assert b"\\u5408\\u683c" in raw.getvalue()


def test_json_on_stdout_is_ascii_and_one_value(several, capsys):
    import json

    say_json({"report": several, "names": ("評価",)})
    text = capsys.readouterr().out
    assert text.isascii()
    assert json.loads(text)["names"] == ["評価"]


def test_spellings_show_blank_values_in_quotes():
    out = io.StringIO()
    print_spellings({"yes": ("Pass", 30), "": ("unlabelled", 2)}, title="a.csv", file=out)
    assert out.getvalue().splitlines()[-3:-1] == [
        "yes      Pass           30",
        "''       unlabelled      2",
    ]


def test_a_split_is_shown_with_sizes_outlook_and_deviation(judged):
    from types import SimpleNamespace

    from assay.schema import SplitDeviation, SplitManifest, SplitPart

    part = SplitPart(session_ids=("s1",), digest="d", labels_file="f", labels_digest="l")
    manifest = SplitManifest(
        fractions={"train": 0.15, "dev": 0.45, "test": 0.40},
        seed=7,
        group_by_task=True,
        labels_digest="l",
        train=part,
        dev=part,
        test=part,
        largest_deviation=SplitDeviation(
            dimension="safety", result="Fail", agent=None, part="dev", quota=4.5, actual=3
        ),
        text_conflicts=("equal work, different safety labels: Pass for s1; Fail for s2.",),
    )
    row = SimpleNamespace(dimension="safety", result="Fail", agent=None, train=1, dev=3, test=4)
    out = io.StringIO()
    print_split(manifest, [row], ["safety, dev: 3 Fail: cannot be confirmed"], file=out)
    text = " ".join(out.getvalue().split())
    assert "train 15%, dev 45%, test 40%; seed 7; tasks kept together" in text
    assert "safety Fail all 1 3 4 8" in text
    assert "safety Fail, all agents, dev: 3 sessions, quota 4.5" in text
    assert "safety, dev: 3 Fail: cannot be confirmed" in text
    assert "equal work, different safety labels" in text


def test_a_label_summary_counts_classes_and_says_why_agreement_is_undefined(judged):
    from types import SimpleNamespace

    from assay.metrics import Figure

    labels, _ = judged
    counts = {("correctness", "cinder-cli", "Fail"): 2, ("correctness", "", "Pass"): 1}
    agreement = SimpleNamespace(kappa=Figure(None, "annotators are not named"), n_items=0)
    out = io.StringIO()
    print_label_summary(labels, counts, agreement, file=out)
    text = " ".join(out.getvalue().split())
    assert "correctness cinder-cli 0 2" in text
    assert "correctness not known 1 0" in text
    assert "kappa undefined (annotators are not named)" in text
