"""The names in MLflow: legal, unique, reversible, ordered, and few enough to read."""

from __future__ import annotations

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import TrackingError
from assay.protocol import measure
from assay.schema import FewShotSpec, JudgeSpec, MemberSpec, PanelSpec, PolicySpec
from assay.tracking import (
    decision_values,
    metrics_of,
    params_of,
    run_name,
    segment,
    unsegment,
)
from assay.tracking.limits import (
    LONGEST_NOTE,
    check_metrics,
    check_names,
    check_params,
    check_tags,
    short_note,
)
from tests.labelled_worlds import planted, verdict


def report_of(cells, **kwargs):
    labels, verdicts = planted(cells, **kwargs)
    return measure(labels, verdicts, kind="dev", policy=PolicySpec())


def test_two_judges_that_differ_in_punctuation_get_two_legal_names():
    one, other = segment("org/model:8b@q4"), segment("org/model:8b q4")
    assert one != other
    assert (one, other) == ("org_2Fmodel_3A8b_40q4", "org_2Fmodel_3A8b_20q4")
    assert (unsegment(one), unsegment(other)) == ("org/model:8b@q4", "org/model:8b q4")
    check_names([f"dev/{one}/tpr", f"dev/{other}/tpr"])


@given(st.text(alphabet=string.printable + "äß漢_ABCDEF0123456789.", min_size=1, max_size=30))
def test_a_segment_is_legal_and_gives_its_text_back(text):
    name = segment(text)
    assert re.fullmatch(r"[A-Za-z0-9_.\-]+", name)
    assert unsegment(name) == text
    check_names([f"dev/{name}/tpr"])


@pytest.mark.parametrize("text", [".", "..", "..."])
def test_dots_alone_are_no_step_in_a_path(text):
    assert unsegment(segment(text)) == text
    check_names([segment(text)])


def test_usual_dimensions_keep_their_spelling():
    for name in ("code_quality", "safety", "tests-run", "v1.2"):
        assert segment(name) == name


def test_headline_metrics_come_first_and_counts_last():
    report = report_of({"a": (40, 10, 20, 5)})
    names = [name for name, _ in metrics_of(report)[0]]
    assert names[:7] == [
        "dev/min_tpr",
        "dev/min_tnr",
        "dev/balanced_accuracy",
        "dev/coverage",
        "dev/correctness/tpr",
        "dev/correctness/tpr_low",
        "dev/correctness/tpr_high",
    ]
    assert names[-7:] == [
        f"dev/correctness/{x}"
        for x in ("tp", "fp", "tn", "fn", "n_abstained", "n_errored", "n_missing")
    ]


def test_metric_values_are_the_reports_own():
    # 40 of 50 passed work passed: 0.8; 20 of 25 failed work failed: 0.8.
    values = dict(metrics_of(report_of({"a": (40, 10, 20, 5)}))[0])
    assert values["dev/min_tpr"] == pytest.approx(0.8)
    assert values["dev/correctness/tnr"] == pytest.approx(0.8)
    assert values["dev/correctness/n"] == 75
    assert values["dev/correctness/fp"] == 5
    assert values["dev/correctness/tpr_low"] < 0.8 < values["dev/correctness/tpr_high"]


def test_an_undefined_rate_is_named_and_not_logged():
    # No work that people failed: there is no TNR.
    metrics, undefined = metrics_of(report_of({"a": (9, 1, 0, 0)}))
    assert "dev/correctness/tnr" in undefined
    assert not [name for name, _ in metrics if "tnr" in name]


def test_no_metric_is_about_a_single_agent():
    report = report_of({"atlas-coder": (5, 1, 4, 1), "cinder-cli": (3, 3, 2, 2)})
    assert not [n for n, _ in metrics_of(report)[0] if "atlas" in n or "cinder" in n]


def test_verdicts_without_a_decision_are_counted_by_reason_apart_from_the_headline():
    labels, verdicts = planted({"a": (4, 1, 2, 1)})
    silent = [verdict(verdicts[0].session_id, "correctness", "abstained"), *verdicts[1:]]
    report = measure(labels, silent, kind="dev", policy=PolicySpec())
    assert metrics_of(report)[0][-1] == ("dev/undecided/unparseable", 1.0)


def test_names_do_not_depend_on_the_number_of_items():
    few = [n for n, _ in metrics_of(report_of({"a": (4, 1, 2, 1)}))[0]]
    many = [n for n, _ in metrics_of(report_of({"a": (400, 100, 200, 100)}))[0]]
    assert few == many


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_value_that_the_store_would_bend_is_refused(value):
    with pytest.raises(TrackingError, match="dev/tpr"):
        check_metrics([("dev/tpr", value)])


@pytest.mark.parametrize("name", ["recall@k", "loss[a]", "a//b", "/a", "../a", "a/.", "a:b", ""])
def test_a_name_that_mlflow_refuses_somewhere_is_refused_here(name):
    with pytest.raises(TrackingError, match="not legal"):
        check_names([name])


def test_a_name_may_come_once():
    with pytest.raises(TrackingError, match="twice"):
        check_metrics([("a", 1.0), ("a", 2.0)])


def config(**judge):
    members = [
        MemberSpec(name=f"{f}-judge", model=f"{f}-1", family=f, base_url="http://10.0.0.7:1/v1")
        for f in ("atlas", "borealis")
    ]
    return {
        "judge": JudgeSpec(name="strict", prompt="strict", **judge).model_dump(),
        "panel": PanelSpec(name="mine", kind="openai", members=tuple(members)).model_dump(),
        "data": {"name": "files", "dir": "/home/me/bench", "criteria": "coding_agents"},
        "split": {"train": 0.15, "dev": 0.45, "test": 0.4, "seed": 0},
        "policy": PolicySpec().model_dump(),
        "out": "assay-out",
    }


def test_parameters_hold_what_decides_and_no_paths_hosts_or_times():
    params = params_of(
        decision_values(
            config(few_shot=FewShotSpec(per_class=2), extra_instruction="Be strict."),
            prompt_fingerprint="f" * 64,
            split_digest="a" * 64,
            labels_digest="b" * 64,
        )
    )
    assert params["cfg/judge"] == "strict"
    assert params["cfg/prompt_hash"] == "f" * 12
    assert params["cfg/few_shot_k"] == "2"
    assert params["cfg/members"] == "atlas-judge=atlas-1, borealis-judge=borealis-1"
    assert params["cfg/split_parts"] == "0.15/0.45/0.4"
    assert len(params) <= 30
    everything = " ".join(params.values())
    assert "10.0.0.7" not in everything
    assert "/home" not in everything


def test_the_same_configuration_gives_the_same_parameters_in_the_same_order():
    assert list(params_of(decision_values(config())).items()) == list(
        params_of(decision_values(config())).items()
    )


def test_a_setting_that_is_not_sent_says_so():
    params = params_of(decision_values(config(temperature=None)))
    assert params["cfg/temperature"] == "not sent"


def test_a_long_value_becomes_its_digest():
    long = {"extra_instruction": "x" * 6001}
    value = params_of(long)["cfg/extra_instruction"]
    assert re.fullmatch(r"sha256:[0-9a-f]{16}", value)
    assert value != params_of({"extra_instruction": "x" * 6002})["cfg/extra_instruction"]


def test_more_than_thirty_parameters_are_refused():
    with pytest.raises(TrackingError, match="31 parameters"):
        params_of({f"p{i}": i for i in range(31)})


def test_values_that_the_store_would_cut_are_refused_with_their_key():
    with pytest.raises(TrackingError, match="parameter cfg/x has 501"):
        check_params({"cfg/x": "x" * 501})
    with pytest.raises(TrackingError, match=r"tag assay\.x has 5001"):
        check_tags({"assay.x": "x" * 5001})


def test_a_long_description_is_cut_at_a_line_with_a_pointer():
    text = "\n".join(f"line {i}" for i in range(2000))
    note = short_note(text, where="description.md")
    assert len(note) <= LONGEST_NOTE
    assert note.endswith("(cut here; all of it is in the artifact `description.md`)")
    kept = note.split("\n\n(cut")[0].splitlines()
    assert kept == text.splitlines()[: len(kept)]
    assert short_note("short", where="x") == "short"


def test_simulated_runs_say_so_in_their_name_once():
    assert run_name("strict", simulated=True) == "SIMULATED strict"
    assert run_name("SIMULATED strict", simulated=True) == "SIMULATED strict"
    assert run_name("strict", simulated=False) == "strict"
