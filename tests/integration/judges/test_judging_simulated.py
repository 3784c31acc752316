"""The default panel, from option files to verdicts, through the embedded server's own process."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from assay.bench import generate
from assay.judges import judge_sessions
from assay.schema import JudgeSpec, PanelSpec
from tests.scripted_endpoint import CRITERION, sessions

CONF = Path(__file__).resolve().parents[3] / "conf"


def option(group, name):
    return yaml.safe_load((CONF / group / f"{name}.yaml").read_text(encoding="utf-8"))


def run(given, *, judge="baseline", panel="poll", **simulation):
    spec = JudgeSpec.model_validate(option("judge", judge) | {"few_shot": {"per_class": 0}})
    asked = PanelSpec.model_validate(option("panel", panel) | {"simulation": simulation})
    return judge_sessions(
        sessions(given) if isinstance(given, int) else given,
        [CRITERION],
        judge=spec,
        template=(CONF / "prompt" / f"{spec.prompt}.md").read_text(encoding="utf-8"),
        panel=asked,
        anchors={},
    )


def test_the_default_panel_says_simulated_and_judges_nothing_it_does_not_know():
    judged = run(3)
    names = ["atlas", "borealis", "cinder"]
    assert [v.judge for v in judged.verdicts] == names * 3 + ["poll"] * 3
    assert all(v.simulated for v in judged.verdicts)
    # These sessions are not of the bench: a simulated judge abstains on them.
    assert {v.outcome for v in judged.verdicts} == {"abstained"}
    assert {v.reason for v in judged.verdicts if v.judge == "poll"} == {"quorum_not_met"}
    assert judged.requests == 9
    assert judged.stops == ()


@pytest.mark.parametrize("judge", ["critique_first", "commit_first", "scratchpad", "strict"])
def test_the_server_takes_every_shape_of_reply(judge):
    judged = run(1, judge=judge, panel="solo")
    (verdict,) = judged.verdicts
    # Its answer on what it does not know is none of the declared labels.
    assert (verdict.outcome, verdict.reason) == ("abstained", "out_of_set")
    assert "not from the synthetic bench set" in verdict.raw_text or judge == "scratchpad"
    assert judged.requests == 1


def test_the_default_panel_decides_bench_sessions_and_decides_the_same_again():
    given = generate(100, seed=3).sessions[:40]
    first, second = run(given), run(given)
    said = [(v.session_id, v.judge, v.outcome) for v in first.verdicts]
    assert said == [(v.session_id, v.judge, v.outcome) for v in second.verdicts]
    assert first.decided == 4 * 40
    assert {v.outcome for v in first.verdicts} == {"pass", "fail"}
    assert first.prompt_fingerprint == second.prompt_fingerprint
    assert first.notes == ()


def test_a_faulty_server_leaves_a_state_for_every_verdict_and_ends():
    judged = run(40, error_rate=0.3, seed=5)
    assert len(judged.verdicts) == 4 * 40
    assert judged.requests > 120
    assert all(v.simulated for v in judged.verdicts)
