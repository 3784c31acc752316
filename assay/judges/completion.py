"""What does the body of a chat completion say? Checked here, not by the client library.

Any body of status 200 ends as a completion or as a fault; none raises.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.judges.faults import SHOWN, Fault, body_error, is_simulated
from assay.schema import Usage


@dataclass(frozen=True)
class Completion:
    """A message that an endpoint sent back, as far as a judge's reader needs it."""

    text: str | None
    finish_reason: str | None
    refusal: str | None
    reasoning: str | None
    """Text of a field `reasoning` or `reasoning_content`, which some servers fill."""
    served_model: str | None
    usage: Usage
    """Unknown counts are None."""
    simulated: bool
    """True when the embedded simulated server gave it."""


def read_completion(body: bytes, headers: Mapping[str, str]) -> Completion | Fault:
    """Read the body of a response of status 200.

    Args:
        body: The body as received.
        headers: Response headers.

    Returns:
        The completion, or a fault `bad_response` with the start of the body.
    """
    simulated = is_simulated(headers)

    def bad(what: str) -> Fault:
        start = body[: 4 * SHOWN].decode("utf-8", "replace")[:SHOWN]
        detail = f"HTTP 200 with {what}; the body begins: {start!r}"
        return Fault("bad_response", detail, simulated=simulated)

    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return bad("HTML" if body.lstrip()[:1] == b"<" else "a body that is not JSON")
    if not isinstance(value, dict):
        return bad("JSON that is no object")
    if value.get("error"):
        return body_error(value["error"], simulated=simulated)
    choices = value.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(message, dict):
        return bad("no choices" if not first else "a choice without a message")
    return Completion(
        text=_content(message.get("content")),
        finish_reason=_text(first.get("finish_reason")) if isinstance(first, dict) else None,
        refusal=_text(message.get("refusal")),
        reasoning=_text(message.get("reasoning_content")) or _text(message.get("reasoning")),
        served_model=_text(value.get("model")),
        usage=_usage(value.get("usage")),
        simulated=simulated,
    )


def _text(value: Any) -> str | None:  # noqa: ANN401 - a JSON value
    return value if isinstance(value, str) else None


def _content(value: Any) -> str | None:  # noqa: ANN401 - a JSON value
    # Some servers send the content as parts; other parts than text are no answer.
    if isinstance(value, list):
        parts = [p.get("text") for p in value if isinstance(p, dict)]
        return "".join(p for p in parts if isinstance(p, str))
    return _text(value)


def _usage(value: Any) -> Usage:  # noqa: ANN401 - a JSON value
    def count(name: str) -> int | None:
        got = value.get(name) if isinstance(value, dict) else None
        whole = isinstance(got, int) and not isinstance(got, bool) and got >= 0
        return got if whole else None

    return Usage(prompt_tokens=count("prompt_tokens"), completion_tokens=count("completion_tokens"))
