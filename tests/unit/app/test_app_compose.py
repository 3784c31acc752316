"""Hydra composes, pydantic judges; what cannot be composed is explained in one line."""

from __future__ import annotations

import pytest

from assay.app import compose, conf_dir, expand_sweep, parse_flags
from assay.app.composing import options_of
from assay.app.flags import GROUPS
from assay.errors import ConfigError


def composed(tmp_path, *words):
    return compose(parse_flags(list(words)), start=tmp_path)


def refusal(tmp_path, *words):
    with pytest.raises(ConfigError) as caught:
        composed(tmp_path, *words)
    return str(caught.value)


ALL_OPTIONS = [(group, option) for group in GROUPS for option in options_of(group, (conf_dir(),))]


@pytest.mark.parametrize(("group", "option"), ALL_OPTIONS)
def test_every_packaged_option_composes_and_validates(tmp_path, group, option):
    extra = ["panel.verdicts=v.jsonl"] if (group, option) == ("panel", "recorded") else []
    run = composed(tmp_path, f"{group}={option}", *extra)
    assert getattr(run.config, group).name == option


@pytest.mark.parametrize(("group", "option"), ALL_OPTIONS)
def test_every_option_file_opens_with_when_to_choose_it(group, option):
    first = (conf_dir() / group / f"{option}.yaml").read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith("# ")
    assert len(first) > 20


def test_every_judge_finds_its_prompt_and_its_parent(tmp_path):
    for option in options_of("judge", (conf_dir(),)):
        run = composed(tmp_path, f"judge={option}")
        assert run.find("prompt", run.config.judge.prompt, ".md").is_file()
        if run.config.judge.parent:
            assert run.config.judge.parent in options_of("judge", (conf_dir(),))


def test_overrides_reach_the_values_and_are_kept(tmp_path):
    run = composed(tmp_path, "judge=strict", "judge.temperature=0.3", "data.size=200")
    assert run.config.judge.name == "strict"
    assert run.config.judge.temperature == 0.3
    assert run.overrides == ("judge=strict", "judge.temperature=0.3", "data.size=200")
    assert "temperature: 0.3" in run.yaml


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("judge.temprature=1", "did you mean 'temperature'"),
        ("+judge.temprature=1", "did you mean 'temperature'"),
        ("juge=strict", "did you mean 'judge'"),
        ("judge=strct", "Did you mean strict?"),
        ("judge=baseline,strict", "add -m to sweep"),
        ("judge.temperature=hot", "judge.temperature"),
        ("judge.name=123", "must be text, got the number 123; quote it"),
        ("judge.prompt=123E456", "must be text, got the number inf; quote it"),
        ("tracking.experiment=true", "must be text, got the boolean true; quote it"),
        ("policy.target=1.5", "policy.target"),
        ("split.train=0.5", "must be 1, got"),
        ("data.size=1", "data.size"),
        ("seed=3", "unknown key 'seed'"),
        ("judge.few_shot.per_clas=2", "did you mean 'per_class'"),
        ("panel.max_in_flight=0", "panel.max_in_flight"),
        ("panel.deadline_s=-1", "panel.deadline_s"),
        ("panel.deadline_s=.inf", "panel.deadline_s"),
        ("data.dir=a # b", "quote the value"),
        ("strict", "write key=value"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_with_the_mend(tmp_path, word, expected):
    message = refusal(tmp_path, word)
    assert expected in message
    assert "\n" not in message
    assert "Traceback" not in message


def test_several_faults_are_reported_together(tmp_path):
    message = refusal(tmp_path, "judge.temprature=1", "data.sise=3")
    assert len(message.splitlines()) == 2


def test_a_folder_of_ones_own_adds_options_prompts_and_names_missing_ones(tmp_path):
    mine = tmp_path / "mine"
    (mine / "judge").mkdir(parents=True)
    (mine / "prompt").mkdir()
    (mine / "judge" / "house.yaml").write_text("name: house\nprompt: house\n", encoding="utf-8")
    run = composed(tmp_path, "judge=house", "--config-dir", "mine")
    assert run.config.judge.name == "house"
    with pytest.raises(ConfigError, match=r"no file prompt/house\.md"):
        run.find("prompt", "house", ".md")
    (mine / "prompt" / "house.md").write_text("# user\nPrice is ${amount}.\n", encoding="utf-8")
    assert run.find("prompt", "house", ".md") == mine / "prompt" / "house.md"


@pytest.mark.parametrize("chdir", ["true", "false"])
def test_results_do_not_depend_on_hydras_own_settings(tmp_path, chdir):
    run = composed(tmp_path, f"hydra.job.chdir={chdir}")
    assert run.path("bench") == tmp_path / "bench"
    assert list(tmp_path.iterdir()) == []


def test_a_sweep_is_the_product_in_order():
    jobs = expand_sweep(
        parse_flags(["-m", "judge=baseline,strict", "judge.seed=1,2", "panel=solo"])
    )
    assert [job.overrides for job in jobs] == [
        (f"judge={j}", f"judge.seed={s}", "panel=solo")
        for j in ("baseline", "strict")
        for s in (1, 2)
    ]
    assert not any(job.multirun for job in jobs)


def test_a_host_programs_own_hydra_survives(tmp_path):
    from hydra import initialize_config_dir
    from hydra.core.global_hydra import GlobalHydra

    with initialize_config_dir(config_dir=str(conf_dir()), version_base="1.3"):
        composed(tmp_path)
        assert GlobalHydra.instance().is_initialized()
