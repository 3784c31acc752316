from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.config import AssayConfig, Composition, parse_config
from assay.errors import ConfigError

BARE = "; write it without quotes"
A_NAME = "a name (letters, digits, '_', '.' and '-', a letter or digit first)"
GOOD: dict[str, Any] = {
    "judge": {"name": "strict", "prompt": "strict"},
    "panel": {
        "name": "solo",
        "kind": "simulated",
        "members": [{"name": "atlas", "model": "sim", "family": "atlas"}],
    },
    "data": {"name": "files"},
    "split": {},
    "policy": {},
    "tracking": {},
}


def changed(path: str, value: object) -> dict[str, Any]:
    """GOOD with one value set; a path part of digits is a place in a list."""

    def put(node: Any, parts: list[str]) -> Any:
        if not parts:
            return value
        head, rest = parts[0], parts[1:]
        if isinstance(node, list):
            return [put(x, rest) if str(i) == head else x for i, x in enumerate(node)]
        return {**node, head: put(node.get(head, {}), rest)}

    return put(GOOD, path.split("."))


def refusal(composed: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        parse_config(composed)
    return str(caught.value)


def test_a_sound_configuration_becomes_frozen_values():
    config = parse_config(GOOD)
    assert isinstance(config, AssayConfig)
    assert config.panel.members[0].name == "atlas"
    assert (config.out, config.fail_fast) == ("assay-out", False)


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (
            "judge.temprature", 0.3,
            "config: unknown key 'judge.temprature'; did you mean 'temperature'?",
        ),
        ("juge", {}, "config: unknown key 'juge'; did you mean 'judge'?"),
        (
            "panel.members.0.famly", "x",
            "config: unknown key 'panel.members.0.famly'; did you mean 'family'?",
        ),
        (
            "judge.few_shot.per_clas", 2,
            "config: unknown key 'judge.few_shot.per_clas'; did you mean 'per_class'?",
        ),
        (
            "judge.few_shot.zzz", 2,
            "config: unknown key 'judge.few_shot.zzz'; known here: per_class, seed.",
        ),
    ],
)  # fmt: skip
def test_r52_an_unknown_key_is_refused_with_the_nearest_known_one(path, value, said):
    assert refusal(changed(path, value)) == said


@pytest.mark.parametrize(
    ("path", "value", "got", "example"),
    [
        # YAML reads 123E456 as a number beyond all bounds; the text is lost by then.
        ("judge.prompt", float("inf"), "the number inf", "123E456"),
        ("judge.name", 123, "the number 123", "123"),
        ("panel.members.0.model", 4.1, "the number 4.1", "123E456"),
        ("panel.members.0.name", 7, "the number 7", "7"),
        ("tracking.experiment", True, "the boolean true", "true"),
        ("tracking.note", False, "the boolean false", "false"),
        ("out", 5, "the number 5", "5"),
        ("data.dir", ["a"], "the list ['a']", "123E456"),
    ],
)
def test_r52_text_must_be_text_and_the_hint_is_to_quote(path, value, got, example):
    assert refusal(changed(path, value)) == (
        f"config: {path} must be text, got {got}; quote it as you wrote it, "
        f"such as {path}='\"{example}\"'"
    )


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("judge.few_shot.per_class", "2", "must be a whole number, got the text '2'" + BARE),
        ("judge.few_shot.per_class", True, "must be a whole number, got the boolean true"),
        ("judge.few_shot.per_class", 2.0, "must be a whole number, got the number 2.0"),
        ("judge.seed", 1.5, "must be a whole number, got the number 1.5"),
        ("judge.temperature", "hot", "must be a number, got the text 'hot'" + BARE),
        ("judge.temperature", True, "must be a number, got the boolean true"),
        ("panel.deadline_s", float("inf"), "must be a finite number, got the number inf"),
        ("tracking.enabled", "off", "must be true or false, got the text 'off'" + BARE),
        ("tracking.enabled", 1, "must be true or false, got the number 1"),
        ("panel.members", "atlas", "must be a list, got the text 'atlas'"),
        ("policy", "strict", "must be a group of keys, got the text 'strict'"),
        ("judge.name", None, "must be text, got null"),
        (
            "judge.prompt", "../x",
            "must be " + A_NAME + ", got the text '../x'",
        ),
    ],
)  # fmt: skip
def test_nothing_is_converted_in_silence(path, value, said):
    assert refusal(changed(path, value)) == f"config: {path} {said}"


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("policy.target", 1.5, "less than 1, got the number 1.5"),
        ("judge.few_shot.per_class", 11, "less than or equal to 10, got the number 11"),
        ("judge.reply", "essay", "'scratchpad', got the text 'essay'"),
        ("panel.max_in_flight", 0, "greater than or equal to 1, got the number 0"),
    ],
)
def test_a_value_out_of_range_is_named_with_its_range(path, value, said):
    message = refusal(changed(path, value))
    assert message.startswith(f"config: {path}: input should be")
    assert message.endswith(said)


def test_a_value_that_may_be_null_may_be_null():
    assert parse_config(changed("judge.temperature", None)).judge.temperature is None


def test_a_missing_key_says_how_to_set_it():
    composed = {**GOOD, "judge": {"name": "strict"}}
    assert refusal(composed) == "config: judge.prompt is missing; set judge.prompt=..."
    without = {k: v for k, v in GOOD.items() if k != "panel"}
    assert refusal(without) == "config: panel is missing; set panel=..."


def test_rules_between_keys_name_their_group():
    assert refusal(changed("split.train", 0.5)) == (
        "config: split: train + dev + test must be 1, got 1.35"
    )
    assert refusal(changed("policy.minimum", 0.95)).startswith(
        "config: policy: minimum 0.95 is above target 0.9"
    )
    assert refusal(changed("panel.quorum", 2)).startswith(
        "config: panel: panel 'solo' has 1 member"
    )


def test_all_faults_are_reported_at_once_one_line_each():
    composed = changed("judge.temprature", 1)
    composed["data"] = {"name": 7, "size": 1}
    composed["policy"] = {"target": "high"}
    lines = refusal(composed).splitlines()
    assert len(lines) == 4
    assert all(line.startswith("config: ") for line in lines)
    assert [line.split()[1].strip(":") for line in lines if "unknown" not in line] == [
        "data.name", "data.size", "policy.target",
    ]  # fmt: skip


def test_r46_a_key_given_instead_of_its_variables_name_is_refused_and_never_shown():
    message = refusal(changed("panel.members.0.api_key_env", "sk-very-secret-4711"))
    assert "panel.members.0.api_key_env must be the name of an environment variable" in message
    assert "sk-very" not in message
    assert "4711" not in message
    with pytest.raises(ConfigError) as caught:
        parse_config(changed("panel.members.0.api_key", "sk-very-secret-4711"))
    assert "sk-very" not in str(caught.value)
    assert "did you mean 'api_key_env'?" in str(caught.value)


def test_a_long_value_is_shown_in_part():
    message = refusal(changed("judge.prompt", "x y " * 100))
    assert len(message) < 250
    assert message.endswith("...")


def test_what_is_no_configuration_at_all_is_refused_in_one_line():
    assert refusal("judge") == "config: the whole must be a group of keys, got the text 'judge'"
    assert refusal([]) == "config: the whole must be a group of keys, got the list []"


def composition(*folders: Path, start: Path) -> Composition:
    return Composition(parse_config(GOOD), "", (), folders, start)


def test_paths_are_resolved_against_the_start_folder(tmp_path):
    found = composition(start=tmp_path)
    assert found.path("a/../b") == tmp_path / "b"
    assert found.path(str(tmp_path / "c")) == tmp_path / "c"


def test_the_users_option_file_comes_before_the_packaged_one(tmp_path):
    mine, packaged = tmp_path / "mine", tmp_path / "packaged"
    for folder in (mine, packaged):
        (folder / "prompt").mkdir(parents=True)
        (folder / "prompt" / "strict.md").write_text("x", encoding="utf-8")
    (packaged / "prompt" / "plain.md").write_text("x", encoding="utf-8")
    found = composition(mine, packaged, start=tmp_path)
    assert found.find("prompt", "strict", ".md") == mine / "prompt" / "strict.md"
    assert found.find("prompt", "plain", ".md") == packaged / "prompt" / "plain.md"
    with pytest.raises(ConfigError) as caught:
        found.find("prompt", "strct", ".md")
    assert str(caught.value) == (
        "config: no file prompt/strct.md; there are: plain, strict. Did you mean strict?"
    )
    with pytest.raises(ConfigError, match=r"no file rubric/x\.md; there is none of this kind"):
        found.find("rubric", "x", ".md")
