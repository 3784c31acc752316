from __future__ import annotations

from typing import get_args

import pytest
from pydantic import ValidationError

from assay.schema import (
    ABSTAINED_REASONS,
    GoldQuestion,
    HumanLabel,
    Reason,
    Session,
    SuiteRun,
    Usage,
    Verdict,
    digest,
)
from assay.schema.base import canonical_json

ID = {"session_id": "s1", "dimension": "correctness"}


def verdict(**values) -> Verdict:
    return Verdict.model_validate({**ID, "judge": "j", **values})


def faults(model, values) -> list[tuple[str, str]]:
    with pytest.raises(ValidationError) as caught:
        model.model_validate(values)
    return [(".".join(map(str, e["loc"])), e["type"]) for e in caught.value.errors()]


class TestIdentifiers:
    @pytest.mark.parametrize(
        "text", ["007", "1E5", "12345678901234567890", "a b", "x", "é", "a/b#1"]
    )
    def test_text_is_kept_as_it_is(self, text):
        assert HumanLabel(session_id=text, dimension="d", result="Pass").session_id == text

    @pytest.mark.parametrize(
        "text",
        [
            "", " ", " a", "a ", "a\n", "\ta", "a\r", "a\u00a0", "\u2003a", "a\nb", "a\rb",
            "\ufeffa", "a\u200b", "\u2060a",
        ],
    )  # fmt: skip
    def test_padding_seen_or_unseen_and_line_breaks_are_refused(self, text):
        with pytest.raises(ValidationError):
            HumanLabel(session_id=text, dimension="d", result="Pass")

    @pytest.mark.parametrize("value", [7, 7.0, True, None, b"s1", ["s1"]])
    def test_nothing_but_text_is_an_identifier(self, value):
        assert faults(HumanLabel, {**ID, "session_id": value, "result": "Pass"}) == [
            ("session_id", "string_type")
        ]


class TestNothingIsConverted:
    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("confidence", "0.5"), ("confidence", True), ("synthetic", "yes"), ("synthetic", 1),
            ("notes", 5), ("annotator", 3), ("confidence", 1.5), ("confidence", -0.1),
            ("confidence", float("nan")),
        ],
    )  # fmt: skip
    def test_of_a_label(self, field, value):
        ((where, _),) = faults(HumanLabel, {**ID, "result": "Pass", field: value})
        assert where == field

    @pytest.mark.parametrize("result", ["pass", "PASS", "Passed", True, 1, "", None, " Pass"])
    def test_of_a_result(self, result):
        assert faults(HumanLabel, {**ID, "result": result})[0][0] == "result"

    def test_of_nested_counts(self):
        assert faults(SuiteRun, {"command": "x", "passed": "3", "failed": 2.0}) == [
            ("passed", "int_type"),
            ("failed", "int_type"),
        ]

    def test_but_lists_fill_tuples_as_json_has_no_tuples(self):
        session = Session.model_validate(
            {
                "session_id": "s1", "task_id": "t", "agent": "a", "agent_family": "f",
                "task_prompt": "Fix it.", "commands": [{"command": "ls", "exit_code": 0}],
            }
        )  # fmt: skip
        assert session.commands[0].exit_code == 0
        assert isinstance(session.commands, tuple)

    def test_and_a_whole_number_is_a_number(self):
        assert HumanLabel(**ID, result="Pass", confidence=1).confidence == 1.0

    def test_a_string_is_no_list_of_claims(self):
        values = {"id": "q", "question": "Why?", "must_include": "abc"}
        assert faults(GoldQuestion, values) == [("must_include", "tuple_type")]


class TestRecords:
    def test_an_unknown_key_is_refused(self):
        assert faults(HumanLabel, {**ID, "result": "Pass", "verdict": "x"}) == [
            ("verdict", "extra_forbidden")
        ]

    def test_a_record_cannot_be_changed(self):
        label = HumanLabel(**ID, result="Pass")
        with pytest.raises(ValidationError):
            label.result = "Fail"  # type: ignore[misc]

    def test_a_record_survives_its_own_json(self):
        said = verdict(outcome="errored", reason="timeout", usage=Usage(prompt_tokens=3))
        assert Verdict.model_validate_json(said.model_dump_json()) == said
        assert Verdict.model_validate(said.model_dump(mode="json")) == said

    def test_unknown_usage_is_none_and_not_zero(self):
        assert verdict(outcome="pass").usage == Usage(prompt_tokens=None, completion_tokens=None)
        assert verdict(outcome="pass").cost_usd is None


class TestReasonFitsOutcome:
    @pytest.mark.parametrize("outcome", ["pass", "fail"])
    def test_a_decided_verdict_takes_no_reason(self, outcome):
        assert verdict(outcome=outcome).reason is None
        with pytest.raises(
            ValidationError, match=f"outcome {outcome} takes no reason, got 'empty'"
        ):
            verdict(outcome=outcome, reason="empty")

    @pytest.mark.parametrize("outcome", ["abstained", "errored"])
    def test_an_undecided_verdict_needs_a_reason(self, outcome):
        with pytest.raises(ValidationError, match=f"outcome {outcome} needs a reason"):
            verdict(outcome=outcome)

    @pytest.mark.parametrize("reason", get_args(Reason))
    def test_each_reason_goes_with_exactly_one_outcome(self, reason):
        right, wrong = "abstained", "errored"
        if reason not in ABSTAINED_REASONS:
            right, wrong = wrong, right
        assert verdict(outcome=right, reason=reason).reason == reason
        with pytest.raises(ValidationError, match=f"does not go with outcome {wrong}"):
            verdict(outcome=wrong, reason=reason)

    def test_an_unknown_reason_is_refused(self):
        with pytest.raises(ValidationError):
            verdict(outcome="abstained", reason="tired")

    def test_every_abstention_is_a_known_reason(self):
        assert set(get_args(Reason)) > ABSTAINED_REASONS


class TestDigest:
    def test_key_order_does_not_count_and_content_does(self):
        assert digest({"a": 1, "b": [2]}) == digest({"b": [2], "a": 1})
        assert digest({"a": 1}) != digest({"a": 2})
        assert digest([1, 2]) != digest([2, 1])

    def test_canonical_json_is_the_same_bytes_everywhere(self):
        assert canonical_json({"b": "é", "a": [1, None, True]}) == '{"a":[1,null,true],"b":"é"}'

    def test_known_value(self):
        # printf '{}' | sha256sum
        assert digest({}) == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"

    def test_a_record_digests_as_its_json(self):
        label = HumanLabel(**ID, result="Pass")
        assert digest(label) == digest(label.model_dump(mode="json"))

    def test_nan_has_no_digest(self):
        with pytest.raises(ValueError, match="not JSON compliant"):
            digest({"a": float("nan")})
