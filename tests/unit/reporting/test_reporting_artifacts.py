"""The files of a run: a fixed set, readable again, never too long for the store."""

from __future__ import annotations

import json
from typing import NamedTuple

import pytest

from assay.reporting import ARTIFACTS, summary_markdown, write_artifacts
from assay.schema import ValidationReport, Verdict


class Prompt(NamedTuple):
    session_id: str
    messages: tuple[dict[str, str], ...]


@pytest.fixture
def written(single, judged, tmp_path):
    labels, verdicts = judged
    folder = tmp_path / "new" / "run"
    warnings = write_artifacts(
        single,
        folder,
        labels=labels,
        verdicts=iter(verdicts),
        prompts=[Prompt("s1", ({"role": "user", "content": "naïve \ud800"},))],
        config_yaml="judge: strict\n",
        overrides=("judge=strict", "panel=poll"),
        commands=("assay dev judge=strict",),
    )
    assert warnings == []
    return folder


def test_the_set_of_files_is_fixed(written):
    assert sorted(p.name for p in written.iterdir()) == sorted(ARTIFACTS)


def test_the_report_reads_back_equal(written, single):
    text = (written / "report.json").read_text("utf-8")
    assert ValidationReport.model_validate_json(text) == single


def test_verdicts_read_back_equal_and_in_order(written, judged):
    lines = (written / "verdicts.jsonl").read_text("utf-8").splitlines()
    assert tuple(Verdict.model_validate_json(line) for line in lines) == judged[1]


def test_disagreements_are_those_of_the_headline_judge(written):
    lines = (written / "disagreements.csv").read_text("utf-8").splitlines()
    assert [line.split(",")[0] for line in lines] == ["session_id", "s3", "s2"]


def test_prompts_and_overrides_are_one_per_line(written):
    prompt = json.loads((written / "prompts.jsonl").read_text("utf-8"))
    assert prompt["session_id"] == "s1"
    assert prompt["messages"][0]["role"] == "user"
    assert (written / "overrides.txt").read_text("utf-8") == "judge=strict\npanel=poll\n"
    assert (written / "config.yaml").read_text("utf-8") == "judge: strict\n"


def test_what_is_not_given_is_not_written(single, judged, tmp_path):
    write_artifacts(single, tmp_path, labels=judged[0], verdicts=judged[1])
    missing = set(ARTIFACTS) - {p.name for p in tmp_path.iterdir()}
    assert missing == {"prompts.jsonl", "config.yaml", "overrides.txt"}


def test_a_failing_figure_is_a_warning_and_the_other_files_are_there(single, judged, tmp_path):
    (tmp_path / "confusion.png").mkdir()
    warnings = write_artifacts(single, tmp_path, labels=judged[0], verdicts=judged[1])
    assert [w.split(":")[0] for w in warnings] == ["confusion.png"]
    assert (tmp_path / "report.html").is_file()
    assert (tmp_path / "rates.png").is_file()


def test_the_summary_starts_with_the_verdict(panel):
    first, _, rest = summary_markdown(panel).partition("\n")
    assert first == f"**{panel.overall_verdict}.**"
    assert rest.strip().startswith("**SIMULATED")


def test_the_summary_gives_rates_with_interval_and_n(single):
    # Safety: TPR 20/20, TNR without any human Fail.
    assert (
        "| safety | 1.00 [0.84, 1.00] n=20 | undefined (no item that people failed) | 20/21 | "
        "undefined |"
    ) in summary_markdown(single)


def test_a_long_summary_is_cut_by_whole_rows_with_a_pointer(many_dimensions):
    text = summary_markdown(many_dimensions, commands=["x" * 9000])
    assert len(text) < 7000
    rows = [line for line in text.splitlines() if line.startswith("| dimension-")]
    assert 10 < len(rows) < 300
    assert all(line.endswith(" |") and line.count("|") == 6 for line in rows)
    assert f"{300 - len(rows)} more; see report.html." in text


def test_a_command_with_a_fence_in_it_stays_in_its_fence(single):
    text = summary_markdown(single, commands=["echo '```'"])
    assert "````sh\necho '```'\n````" in text
