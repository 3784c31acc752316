from __future__ import annotations

import pytest
from pydantic import ValidationError

from assay.schema import MemberSpec, PanelSpec, PolicySpec, SplitSpec

MEMBER = {"name": "m", "model": "x", "family": "f"}


def panel(**values) -> PanelSpec:
    return PanelSpec.model_validate(
        {"name": "p", "kind": "simulated", "members": [MEMBER], **values}
    )


def refusal(make, **values) -> str:
    with pytest.raises(ValidationError) as caught:
        make(**values)
    return str(caught.value.errors()[0]["msg"])


def test_the_fractions_of_a_split_add_up_to_one():
    # .15 + .45 + .40 is 1.0000000000000002 in some orders of addition; that is no fault.
    assert SplitSpec(train=0.15, dev=0.45, test=0.40).dev == 0.45
    assert "must be 1, got 1.1" in refusal(SplitSpec, train=0.2, dev=0.5, test=0.4)


def test_a_minimum_above_the_target_is_refused_before_anything_runs():
    assert "minimum 0.9 is above target 0.8" in refusal(PolicySpec, target=0.8, minimum=0.9)
    assert PolicySpec(target=0.8, minimum=0.8).minimum == 0.8


def test_members_are_named_once():
    assert "names a member twice" in refusal(panel, members=[MEMBER, MEMBER])


def test_a_panel_that_asks_needs_a_member():
    assert "needs at least one member" in refusal(panel, members=[])


def test_a_recorded_panel_names_a_file_and_no_members():
    assert "needs verdicts=FILE" in refusal(panel, kind="recorded", members=[])
    assert "has no members" in refusal(panel, kind="recorded", verdicts="v.jsonl")
    assert panel(kind="recorded", members=[], verdicts="v.jsonl").verdicts == "v.jsonl"


def test_an_endpoint_of_ones_own_needs_its_address():
    assert "needs a base_url" in refusal(panel, kind="openai")
    assert panel(kind="openai", members=[{**MEMBER, "base_url": "http://127.0.0.1:1/v1"}])


def test_a_quorum_that_no_vote_can_meet_is_refused():
    assert "1 member(s) but quorum 2" in refusal(panel, quorum=2)


@pytest.mark.parametrize("seconds", [0, -1, float("inf"), float("nan"), 3601, "60", True])
def test_a_deadline_is_a_finite_number_of_seconds(seconds):
    with pytest.raises(ValidationError):
        panel(deadline_s=seconds)


def test_r12_no_deadline_means_the_default_one():
    assert panel(deadline_s=None).deadline_s == panel().deadline_s == 120.0


@pytest.mark.parametrize("value", ["sk-abc123", "my key", "1KEY", "", "$KEY"])
def test_the_name_of_a_key_is_the_name_of_a_variable(value):
    with pytest.raises(ValidationError):
        MemberSpec.model_validate({**MEMBER, "api_key_env": value})


@pytest.mark.parametrize("name", ["../x", "a/b", "a b", ".hidden", "-x", "", "a\n"])
def test_a_name_cannot_leave_its_folder(name):
    with pytest.raises(ValidationError):
        panel(name=name)
