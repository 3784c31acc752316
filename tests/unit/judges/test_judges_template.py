"""Prompt files: what is replaced, what is left alone, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from assay.errors import ConfigError
from assay.judges import parse_template
from assay.judges.prompt import PromptWriter, fingerprint
from assay.judges.template import PLACEHOLDERS
from assay.schema import Anchor, Criterion, HumanLabel, JudgeSpec, PanelSpec, Session

CONF = Path(__file__).resolve().parents[3] / "conf"
PROMPTS = sorted((CONF / "prompt").glob("*.md"))
JUDGES = sorted((CONF / "judge").glob("*.yaml"))
PANELS = sorted((CONF / "panel").glob("*.yaml"))
CRITERION = Criterion(
    dimension="correctness", weight=1, question="Right?", pass_when="yes", fail_when="no"
)
SESSION = Session(
    session_id="s1",
    task_id="t1",
    agent="atlas-coder",
    agent_family="atlas",
    task_prompt="Fix {{ question }} and ${amount}",
    metadata={"secret": "metadata-value"},
)
SMALL = "# system\nS\n# user\n{{ question }} {{session}}"
SOLO = PanelSpec.model_validate(
    {
        "name": "solo",
        "kind": "simulated",
        "members": [{"name": "atlas", "model": "sim-atlas-1", "family": "atlas"}],
    }
)


def read(path):
    return path.read_text(encoding="utf-8")


def spec(path):
    return JudgeSpec.model_validate(yaml.safe_load(read(path)))


def test_declared_placeholders_are_replaced_once_and_values_are_not_scanned():
    template = parse_template("# user\n{{ question }}|{{session}}|{{\tsession }}", source="x.md")
    (message,) = template.fill({"question": "{{ session }}", "session": "{{ question }} \\1 ${a}"})
    assert message["role"] == "user"
    assert message["content"] == "{{ session }}|{{ question }} \\1 ${a}|{{ question }} \\1 ${a}"


def test_all_other_braces_and_dollars_stay_as_they_are():
    odd = "{question} {{{ x }}} {{ }} {{ a.b }} ${question} ${oc.env:HOME} {% if %} {# c #} %(x)s"
    odd = odd.replace("{{{ x }}} ", "")
    text = f"# system\n{odd}\n# user\n{{{{ question }}}}{{{{ session }}}}"
    system, _ = parse_template(text, source="x.md").fill({"question": "q", "session": "s"})
    assert system["content"] == odd


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# user\n{{ question }}", r"mine\.md: the placeholder \{\{ session \}\} is missing"),
        ("# user\n{{ session }}", r"\{\{ question \}\} is missing"),
        (SMALL + "{{ sesion }}", r"\{\{ sesion \}\}; did you mean \{\{ session \}\}"),
        (SMALL + "{{ Anchors }}", r"did you mean \{\{ anchors \}\}"),
        (SMALL + "{{ zzz }}", r"known are question, pass_when"),
        ("# system\nonly", "no part '# user'"),
        ("# user\n \n", "no part '# user'"),
        ("Hello\n" + SMALL, "before the first heading"),
        (SMALL + "\n# user\nagain", "stands twice"),
    ],
)
def test_a_faulty_file_is_refused_with_its_name_and_the_mend(text, words):
    with pytest.raises(ConfigError, match=words):
        parse_template(text, source="mine.md")


def test_carriage_returns_and_a_byte_order_mark_of_an_editor_do_no_harm():
    template = parse_template("\ufeff" + SMALL.replace("\n", "\r\n"), source="x.md")
    assert (template.system, template.user) == ("S", "{{ question }} {{session}}")


@pytest.mark.parametrize("path", PROMPTS, ids=lambda p: p.stem)
def test_every_prompt_that_comes_along_is_sound_and_uses_all_placeholders(path):
    template = parse_template(read(path), source=path.name)
    wanted = set(PLACEHOLDERS) - ({"anchors"} if path.stem == "pairwise" else set())
    assert template.used == wanted
    assert "Dimension: {{ dimension }}\n" in template.user
    assert "data" in template.system
    assert "Cite or discard" in template.system


@pytest.mark.parametrize("path", [*JUDGES, *PANELS], ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_every_option_file_opens_with_when_to_choose_it_and_holds_only_values(path):
    text = read(path)
    assert text.startswith("# ")
    assert not text.splitlines()[1].startswith("#")
    assert "_target_" not in text
    assert "${" not in text
    record = (JudgeSpec if path.parent.name == "judge" else PanelSpec).model_validate(
        yaml.safe_load(text)
    )
    assert record.name == path.stem


@pytest.mark.parametrize("path", JUDGES, ids=lambda p: p.stem)
def test_every_judge_has_its_prompt_and_a_parent_that_exists(path):
    judge = spec(path)
    assert (CONF / "prompt" / f"{judge.prompt}.md").is_file()
    assert judge.parent is None or (CONF / "judge" / f"{judge.parent}.yaml").is_file()


def test_the_judges_ask_for_the_shapes_they_are_named_for():
    shapes = {path.stem: spec(path).reply for path in JUDGES}
    assert shapes == {
        "baseline": "verdict_only",
        "critique_first": "rationale_first",
        "strict": "rationale_first",
        "few_shot": "rationale_first",
        "commit_first": "verdict_first",
        "scratchpad": "scratchpad",
    }


@pytest.mark.parametrize("path", JUDGES, ids=lambda p: p.stem)
def test_a_written_prompt_is_complete_and_blind_to_who_did_the_work(path):
    judge = spec(path)
    label = HumanLabel(session_id="s2", dimension="correctness", result="Fail", notes="n")
    other = SESSION.model_copy(update={"session_id": "s2"})
    anchors = {"correctness": [Anchor(session=other, label=label)]}
    writer = PromptWriter(
        read(CONF / "prompt" / f"{judge.prompt}.md"),
        judge=judge,
        criteria=[CRITERION],
        anchors=anchors,
    )
    system, user = writer.write(SESSION, "correctness").messages
    assert (system["role"], user["role"]) == ("system", "user")
    assert "\nDimension: correctness\n" in "\n" + user["content"]
    assert "Fix {{ question }} and ${amount}" in user["content"]
    assert "Right?" in user["content"]
    for hidden in ("atlas", "s1", "t1", "metadata-value"):
        assert hidden not in system["content"] + user["content"]


def test_the_fingerprint_changes_with_all_that_can_change_a_reply_and_with_nothing_else():
    judge = spec(CONF / "judge" / "baseline.yaml")
    label = HumanLabel(session_id="s1", dimension="correctness", result="Fail")
    given = {"judge": judge, "criteria": [CRITERION], "anchors": {}, "panel": SOLO}
    base = fingerprint(SMALL, **given)
    assert base == fingerprint(SMALL, **given)

    def changed(text=SMALL, **values):
        return fingerprint(text, **(given | values))

    def with_judge(**values):
        return changed(judge=judge.model_copy(update=values))

    member = SOLO.members[0]
    different = {
        "template": changed(SMALL + " "),
        "question": changed(criteria=[CRITERION.model_copy(update={"question": "Wrong?"})]),
        "anchor": changed(anchors={"correctness": [Anchor(session=SESSION, label=label)]}),
        "reply": with_judge(reply="rationale_first"),
        "order": with_judge(reply="verdict_first"),
        "instruction": with_judge(extra_instruction="x"),
        "temperature": with_judge(temperature=None),
        "tokens": with_judge(max_tokens=99),
        "seed": with_judge(seed=1),
        "model": changed(
            panel=SOLO.model_copy(
                update={"members": (member.model_copy(update={"model": "sim-cinder-1"}),)}
            )
        ),
        "kind": changed(panel=SOLO.model_copy(update={"kind": "openai"})),
    }
    assert len({base, *different.values()}) == len(different) + 1
    same = {
        "name": with_judge(name="other"),
        "parent": with_judge(parent="other"),
        "limits": changed(panel=SOLO.model_copy(update={"deadline_s": 1.0, "name": "p"})),
        "weight": changed(criteria=[CRITERION.model_copy(update={"weight": 0.5})]),
    }
    assert set(same.values()) == {base}
