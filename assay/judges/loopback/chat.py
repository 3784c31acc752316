"""Bodies of an OpenAI-compatible chat endpoint: replies, errors and the faulty ones."""

from __future__ import annotations

import json
import math
import time
from typing import Any

from aiohttp import web

from assay.judges.loopback.faults import Fault

HEADERS = {"x-assay-simulated": "true"}
"""On every response, so that no client can take a simulated verdict for a model's."""
CONTEXT_TOKENS = 131_072
"""Context window that the simulated models claim."""
RETRY_AFTER_MS = 50
_REFUSAL = "I'm sorry, but I can't help with judging this session. [simulated]"
_PROSE = "There are points on either side here, and I would want to think about it. [simulated]"
_PAGE = "<!DOCTYPE html><html><body><h1>502 Bad Gateway</h1><p>[simulated]</p></body></html>"


def estimate_tokens(text: str) -> int:
    """Tokens of a text, taken as one per four characters, rounded up."""
    return math.ceil(len(text) / 4)


def completion(
    *,
    request: bytes,
    model: str,
    prompt_tokens: int,
    content: str | None,
    max_tokens: int | None,
    extra: dict[str, Any] | None = None,
    finish: str = "stop",
) -> dict[str, Any]:
    """A chat completion.

    Args:
        request: Digest of the request; names the completion.
        model: Shown as the model.
        prompt_tokens: Estimated.
        content: Reply text; cut, with finish reason `length`, when it is longer than allowed.
        max_tokens: Allowed; None is no limit.
        extra: More fields of the message, such as `refusal`.
        finish: Finish reason of an uncut reply.

    Returns:
        The body.
    """
    used = estimate_tokens(content or "")
    if content is not None and max_tokens is not None and used > max_tokens:
        content, used, finish = content[: max_tokens * 4], max_tokens, "length"
    message = {"role": "assistant", "content": content, "refusal": None, **(extra or {})}
    return {
        "id": f"chatcmpl-sim-{request.hex()[:24]}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "system_fingerprint": "simulated",
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish}],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": used,
            "total_tokens": prompt_tokens + used,
        },
        "x_assay": {"simulated": True},
    }


def respond(body: dict[str, Any], *, status: int = 200, **headers: str) -> web.Response:
    """A JSON response that says it is simulated."""
    more = {name.replace("_", "-"): value for name, value in headers.items()}
    return web.Response(
        body=json.dumps(body).encode("ascii"),
        status=status,
        content_type="application/json",
        headers=HEADERS | more,
    )


def error(
    status: int,
    message: str,
    *,
    kind: str = "invalid_request_error",
    code: str | None = None,
    param: str | None = None,
    **headers: str,
) -> web.Response:
    """An error in the form that OpenAI's endpoint gives it."""
    body = {"error": {"message": message, "type": kind, "param": param, "code": code}}
    return respond(body, status=status, **headers)


def faulty(fault: Fault, good: dict[str, Any]) -> web.Response:
    """The response of a fault that is a response at all.

    Args:
        fault: Any but hang and disconnect, which the server makes itself.
        good: The completion that would have been sent; it is changed.

    Returns:
        The response.
    """
    status = _by_status(fault)
    if status is not None:
        return status
    if fault == "html":
        return web.Response(text=_PAGE, content_type="text/html", headers=HEADERS)
    if fault == "error_body":
        inner = {"message": "upstream is overloaded (simulated)", "type": "server_error"}
        return respond({"error": inner | {"code": 503}})
    if fault == "cut_json":
        whole = json.dumps(good).encode("ascii")
        cut = whole[: len(whole) // 2]
        return web.Response(body=cut, content_type="application/json", headers=HEADERS)
    _spoil(fault, good)
    return respond(good)


def _spoil(fault: Fault, good: dict[str, Any]) -> None:
    choice = good["choices"][0]
    message, content = choice["message"], choice["message"]["content"]
    if fault == "no_usage":
        del good["usage"]
    elif fault == "no_choices":
        good["choices"] = []
    elif fault == "refusal":
        message |= {"content": None, "refusal": _REFUSAL}
    elif fault == "content_filter":
        message["content"] = ""
        choice["finish_reason"] = "content_filter"
    elif fault == "empty":
        message["content"] = ""
    elif fault == "reasoning":
        message |= {"content": None, "reasoning_content": content}
    elif fault == "truncated":
        message["content"] = content[: len(content) // 2]
        choice["finish_reason"] = "length"
    elif fault == "unparseable":
        message["content"] = _PROSE


def _by_status(fault: Fault) -> web.Response | None:
    if fault == "429":
        return error(
            429,
            "Rate limit reached (simulated). Please try again later.",
            kind="requests",
            code="rate_limit_exceeded",
            retry_after="1",
            retry_after_ms=str(RETRY_AFTER_MS),
        )
    if fault == "quota":
        return error(
            429,
            "You exceeded your current quota (simulated).",
            kind="insufficient_quota",
            code="insufficient_quota",
        )
    if fault == "500":
        return error(500, "The server had an error (simulated).", kind="server_error")
    if fault == "401":
        return error(401, "Incorrect API key provided (simulated).", code="invalid_api_key")
    if fault == "400":
        return error(400, "Bad request (simulated).")
    return None
