"""What went wrong with a request, is it worth another try, and does it end the endpoint?

One table maps every public exception of the `openai` package, by name, so that the
package is not imported here; a test fails when a new one is missing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from assay.judges.retry import retry_after_seconds
from assay.schema import Reason

SHOWN = 200
"""Characters of an unusable body that a message shows."""
SAID = 400
"""Characters of an endpoint's own message that are kept."""

Stops = Literal["endpoint", "model"]


@dataclass(frozen=True)
class Fault:
    """Why a request gave no reply."""

    reason: Reason
    detail: str
    retryable: bool = False
    stops: Stops | None = None
    """What no further request can succeed on: the whole endpoint, or this model there."""
    retry_after_s: float | None = None
    """Seconds that the endpoint asked to wait."""
    rejects_format: bool = False
    """True when the endpoint does not take the `response_format` that was sent."""
    simulated: bool = False
    """True when the answer came from the embedded simulated server."""


@dataclass(frozen=True)
class _Kind:
    reason: Reason
    retryable: bool = False
    stops: Stops | None = None


BY_EXCEPTION: dict[str, _Kind] = {
    "OpenAIError": _Kind("bad_request", stops="endpoint"),
    "APIError": _Kind("bad_response"),
    "APIStatusError": _Kind("bad_response"),
    "APITimeoutError": _Kind("connection", retryable=True),
    "APIConnectionError": _Kind("connection", retryable=True),
    "APIResponseValidationError": _Kind("bad_response"),
    "BadRequestError": _Kind("bad_request"),
    "AuthenticationError": _Kind("auth", stops="endpoint"),
    "OAuthError": _Kind("auth", stops="endpoint"),
    "SubjectTokenProviderError": _Kind("auth", stops="endpoint"),
    "PermissionDeniedError": _Kind("auth", stops="endpoint"),
    "NotFoundError": _Kind("bad_request", stops="model"),
    "ConflictError": _Kind("server_error", retryable=True),
    "UnprocessableEntityError": _Kind("bad_request"),
    "RateLimitError": _Kind("rate_limited", retryable=True),
    "InternalServerError": _Kind("server_error", retryable=True),
    "LengthFinishReasonError": _Kind("bad_response"),
    "ContentFilterFinishReasonError": _Kind("bad_response"),
    # Of sockets and webhooks, which no judge uses; a reply like that is no reply.
    "InvalidWebhookSignatureError": _Kind("bad_response"),
    "WebSocketQueueFullError": _Kind("bad_response"),
    "WebSocketConnectionClosedError": _Kind("connection", retryable=True),
}
"""Public exception of `openai` -> what it means. A connect timeout is a lost connection:
the only reason `timeout` is the total deadline of a verdict, and a 408."""

_QUOTA_CODE = re.compile(r"insufficient_quota|billing_hard_limit", re.IGNORECASE)
_QUOTA_WORDS = re.compile(r"exceeded your current quota|credit balance", re.IGNORECASE)
# Some endpoints call a limit per minute a quota, too, but then say when to come back.
_COMES_BACK = re.compile(r"\b(?:re)?try (?:again )?in\b", re.IGNORECASE)
_TOO_LONG = re.compile(
    r"context[_ ](?:length|size|window)|maximum context|prompt is too long|too many tokens",
    re.IGNORECASE,
)
_TOKENS_AND_LIMIT = re.compile(
    r"\btokens?\b.{0,40}\b(?:limit|exceeds?|maximum)\b|\b(?:limit|maximum)\b.{0,40}\btokens?\b",
    re.IGNORECASE | re.DOTALL,
)
_REPLY_CAP = re.compile(r"max_(?:completion_)?tokens", re.IGNORECASE)
_FORMAT = re.compile(
    r"response_format|json[_ ]?schema|json[_ ]?object|structured[_ ]outputs?|\bgrammar\b",
    re.IGNORECASE,
)
_RETRYABLE_CODES = re.compile(
    r"rate_?limit|overloaded|server_error|unavailable|timeout", re.IGNORECASE
)
_BUSY_STATUSES = frozenset({408, 409, 429})


def fault_of(error: Exception) -> Fault:
    """What an exception of the client means.

    Args:
        error: Raised by the `openai` client or by the transport below it.

    Returns:
        The fault. A class without a row of its own is read as its nearest base.
    """
    response = getattr(error, "response", None)
    if response is not None:
        return status_fault(response.status_code, response.content, response.headers)
    names = [cls.__name__ for cls in type(error).__mro__]
    kind = next((BY_EXCEPTION[n] for n in names if n in BY_EXCEPTION), None)
    if kind is None:
        # The aiohttp transport lets a few of its own errors through, such as a
        # status line that is no HTTP.
        kind = _Kind("connection", retryable=True)
    words = str(error).strip() or type(error).__name__
    cause = str(error.__cause__ or "").strip()
    if cause:
        # The library says "Request timed out." also for a refused connection.
        words = cause if kind.reason == "connection" else f"{words} ({cause})"
    return Fault(kind.reason, _short(words, SAID), kind.retryable, kind.stops)


def status_fault(status: int, body: bytes, headers: Mapping[str, str]) -> Fault:
    """What an HTTP status other than 2xx means.

    Args:
        status: HTTP status.
        body: The body as received.
        headers: Response headers, looked up without regard to case.

    Returns:
        The fault, with the endpoint's own words.
    """
    words = upstream_message(body)
    detail = f"HTTP {status}: {words}"
    simulated = is_simulated(headers)
    if status in {400, 413, 422}:
        too_long = status == 413 or _says_too_long(words)
        rejects = not too_long and bool(_FORMAT.search(words))
        reason: Reason = "prompt_too_long" if too_long else "bad_request"
        return Fault(reason, detail, rejects_format=rejects, simulated=simulated)
    if status in {401, 403}:
        return Fault("auth", detail, stops="endpoint", simulated=simulated)
    if status == 402 or (status == 429 and _says_quota(words)):
        return Fault("quota", detail, stops="endpoint", simulated=simulated)
    if status == 404:
        return Fault("bad_request", detail, stops="model", simulated=simulated)
    if status in _BUSY_STATUSES or status >= 500:
        reasons: dict[int, Reason] = {408: "timeout", 429: "rate_limited"}
        return Fault(
            reasons.get(status, "server_error"),
            detail,
            retryable=True,
            retry_after_s=retry_after_seconds(headers),
            simulated=simulated,
        )
    reason = "bad_response" if status < 400 else "bad_request"
    return Fault(reason, detail, simulated=simulated)


def body_error(error: Any, *, simulated: bool = False) -> Fault:  # noqa: ANN401 - JSON
    """What an error object within a body of status 200 means; its own code decides on a retry."""
    code = error.get("code") or error.get("type") if isinstance(error, dict) else None
    busy = str(code).isdigit() and (int(str(code)) in _BUSY_STATUSES or int(str(code)) >= 500)
    retryable = busy or bool(_RETRYABLE_CODES.search(str(code)))
    words = error.get("message") if isinstance(error, dict) else error
    detail = f"HTTP 200 with an error: {_short(str(words), SAID)} (code {code})"
    return Fault("bad_response", detail, retryable=retryable, simulated=simulated)


def upstream_message(body: bytes) -> str:
    """The endpoint's own words in an error body: message and code, or how the body begins."""
    text = body.decode("utf-8", "replace")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return _short(text) or "no body"
    error = value.get("error", value) if isinstance(value, dict) else value
    if isinstance(error, dict):
        words = error.get("message") or error.get("detail")
        code = error.get("code") or error.get("type")
        if words:
            return _short(f"{words} ({code})" if code else str(words), SAID)
    return _short(error if isinstance(error, str) else text)


def is_simulated(headers: Mapping[str, str]) -> bool:
    """Whether a response says that no real model gave it."""
    return str(headers.get("x-assay-simulated", "")).strip().casefold() == "true"


def _says_too_long(words: str) -> bool:
    # A limit of tokens next to max_tokens is about the reply, not about the prompt.
    about_prompt = _TOKENS_AND_LIMIT.search(words) and not _REPLY_CAP.search(words)
    return bool(_TOO_LONG.search(words) or about_prompt)


def _says_quota(words: str) -> bool:
    spent = _QUOTA_WORDS.search(words) and not _COMES_BACK.search(words)
    return bool(_QUOTA_CODE.search(words) or spent)


def _short(text: str, limit: int = SHOWN) -> str:
    joined = " ".join(text.split())
    return joined if len(joined) <= limit else joined[:limit] + "..."
