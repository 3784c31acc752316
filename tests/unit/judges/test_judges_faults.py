"""Faults and waits: what each error means, and when a request is sent again."""

from __future__ import annotations

from datetime import UTC, datetime

import openai
import pytest

from assay.errors import ConfigError
from assay.judges.faults import BY_EXCEPTION, fault_of, status_fault
from assay.judges.keys import key_of
from assay.judges.retry import RetryPolicy, jitter, retry_after_seconds
from assay.schema import MemberSpec

POLICY = RetryPolicy(max_attempts=4, deadline_s=120.0)


def public_exceptions():
    found = [getattr(openai, name) for name in openai.__all__]
    return {x.__name__ for x in found if isinstance(x, type) and issubclass(x, Exception)}


def test_every_public_exception_of_openai_has_a_row_of_its_own():
    assert len(public_exceptions()) >= 15
    assert public_exceptions() - set(BY_EXCEPTION) == set()


@pytest.mark.parametrize("name", sorted(BY_EXCEPTION))
def test_a_fatal_fault_is_never_retried(name):
    kind = BY_EXCEPTION[name]
    assert not (kind.stops and kind.retryable)


def test_an_unknown_error_of_the_transport_is_a_lost_connection():
    fault = fault_of(OSError("no route"))
    assert (fault.reason, fault.retryable, fault.detail) == ("connection", True, "no route")


@pytest.mark.parametrize(
    ("status", "body", "reason", "retryable", "stops"),
    [
        (400, b"", "bad_request", False, None),
        (400, b'{"error": {"message": "max", "code": "context_length_exceeded"}}',
         "prompt_too_long", False, None),
        (400, b"the maximum context length is 8192 tokens", "prompt_too_long", False, None),
        (413, b"<html>too large</html>", "prompt_too_long", False, None),
        (422, b'{"detail": "odd"}', "bad_request", False, None),
        (401, b"", "auth", False, "endpoint"),
        (403, b"", "auth", False, "endpoint"),
        (404, b"", "bad_request", False, "model"),
        (402, b"", "quota", False, "endpoint"),
        (429, b'{"error": {"message": "x", "type": "insufficient_quota"}}',
         "quota", False, "endpoint"),
        (429, b'{"error": {"message": "You exceeded your current quota"}}',
         "quota", False, "endpoint"),
        (429, b"slow down", "rate_limited", True, None),
        (429, b"Rate limit reached. Add a payment method at /account/billing to raise it.",
         "rate_limited", True, None),
        (429, b"You exceeded your current quota. Please retry in 20s.", "rate_limited", True, None),
        (400, b"max_tokens 99999 exceeds the limit of 4096 tokens", "bad_request", False, None),
        (408, b"", "timeout", True, None),
        (409, b"", "server_error", True, None),
        (500, b"", "server_error", True, None),
        (529, b"overloaded", "server_error", True, None),
        (307, b"", "bad_response", False, None),
        (418, b"", "bad_request", False, None),
    ],
)  # fmt: skip
def test_each_status_has_its_reason(status, body, reason, retryable, stops):
    fault = status_fault(status, body, {})
    assert (fault.reason, fault.retryable, fault.stops) == (reason, retryable, stops)
    assert fault.detail.startswith(f"HTTP {status}: ")


def test_only_a_complaint_about_the_format_counts_as_its_rejection():
    def rejects(words, status=400):
        return status_fault(status, words.encode(), {}).rejects_format

    assert rejects("'response_format' of type 'json_schema' is not supported")
    assert rejects("json_schema or grammar, not both")
    assert rejects("structured output is off", 422)
    assert not rejects("temperature must be 1")
    assert not rejects("maximum context length is 5 tokens, response_format included")
    assert not rejects("response_format", 500)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "75"}, 75.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Fri, 31 Dec 1999 23:59:59 GMT"}, 59.0),
        ({"retry-after": "Fri, 31 Dec 1999 23:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "Fri, 31 Dec 1999 23:59:30 -0000"}, 30.0),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
    ],
)
def test_retry_after_is_read_in_all_its_forms(headers, seconds):
    now = datetime(1999, 12, 31, 23, 59, 0, tzinfo=UTC)
    assert retry_after_seconds(headers, now=now) == seconds


def test_a_wait_that_was_asked_for_is_never_undercut():
    for key in map(str, range(50)):
        wait = POLICY.wait(attempt=1, elapsed_s=0, retry_after_s=75.0, key=key)
        assert 75.0 <= wait <= 75.0 * 1.05


def test_waits_grow_are_spread_and_depend_on_the_key_alone():
    # Attempt 1: 0.5 s, 2: 1 s, 3: 2 s; each between half and all of it.
    for attempt, full in ((1, 0.5), (2, 1.0), (3, 2.0)):
        waits = [
            POLICY.wait(attempt=attempt, elapsed_s=0, retry_after_s=None, key=str(k))
            for k in range(200)
        ]
        assert full / 2 <= min(waits) < full * 0.55
        assert full * 0.95 < max(waits) <= full
        assert len(set(waits)) == 200
    assert jitter("a:1") == jitter("a:1") != jitter("a:2")


def test_there_is_no_wait_after_the_last_attempt_or_past_the_deadline():
    assert POLICY.wait(attempt=4, elapsed_s=0, retry_after_s=None, key="k") is None
    assert POLICY.wait(attempt=1, elapsed_s=119.9, retry_after_s=None, key="k") is None
    assert POLICY.wait(attempt=1, elapsed_s=0, retry_after_s=120.0, key="k") is None
    assert POLICY.wait(attempt=3, elapsed_s=100, retry_after_s=None, key="k") is not None


def key_from(value, **changes):
    member = MemberSpec.model_validate(
        {"name": "m", "model": "x", "family": "f", "api_key_env": "MY_KEY"} | changes
    )
    return key_of(member, environment={} if value is None else {"MY_KEY": value})


def test_a_key_is_read_by_name_trimmed_and_never_shown():
    key = key_from(" sk-test-123456\n")
    assert key.reveal() == "sk-test-123456"
    assert "sk-test" not in repr(key) + str(key) + f"{key}"
    assert key.mask("bad key sk-test-123456!") == "bad key ***!"
    assert key_from("sk-x", api_key_env=None).reveal() is None


@pytest.mark.parametrize("value", [None, "", "  ", "sk two", "sk-\u00fc", "sk\x00"])
def test_a_missing_or_impossible_key_is_refused_by_its_name_alone(value):
    with pytest.raises(ConfigError, match="MY_KEY") as caught:
        key_from(value)
    assert "sk" not in str(caught.value)
