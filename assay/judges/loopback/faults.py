"""Faults on demand: what real endpoints do wrong, at a known rate or asked for by name.

By rate: `SimulationSpec.error_rate` of requests get a fault, drawn from the seed,
the request and how often it was sent before. A third attempt is always answered.

By name: a model name may end in a query string, for tests of a client:
`sim-atlas-1?fault=429`, `sim-atlas-1?fault=500&times=2&latency_ms=20`. `times` is
how many attempts of each request get the fault; without it all do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args
from urllib.parse import parse_qsl

from assay.judges.loopback.asking import BadRequest
from assay.judges.loopback.draws import uniform

Fault = Literal[
    "429", "500", "refusal", "empty", "html", "truncated", "unparseable",
    "400", "401", "quota", "content_filter", "reasoning", "error_body", "no_choices",
    "cut_json", "no_usage", "hang", "disconnect",
]  # fmt: skip
"""The first seven also come by rate; the others only when asked for.

429, 500, 400, 401: that status with an error body. quota: a 429 that no retry
helps. html: status 200 with a page. refusal, content_filter: those fields.
empty: no content. reasoning: no content, but text in `reasoning_content`.
truncated: cut content, finish reason `length`. unparseable: prose without a
verdict. error_body, no_choices, cut_json: status 200 with a broken body.
no_usage: a good reply without token counts. hang: no reply for 600 s.
disconnect: the connection is closed.
"""

FAULT_MIX: Mapping[Fault, float] = MappingProxyType(
    {
        "429": 0.35,
        "500": 0.25,
        "html": 0.08,
        "refusal": 0.08,
        "empty": 0.08,
        "truncated": 0.08,
        "unparseable": 0.08,
    }
)
"""Shares of the faults that come by rate; they add up to 1."""
FAULTY_ATTEMPTS = 2
"""By rate, only the first attempts of a request can fail: a patient client gets its answer."""


@dataclass(frozen=True)
class ModelName:
    """A requested model, with what its name asks the server to do wrong."""

    model: str
    fault: Fault | None = None
    times: int | None = None
    """Attempts of each request that get the fault; None is all."""
    latency_ms: float | None = None


def read_model_name(name: str) -> ModelName:
    """Split a model name from the fault that it asks for.

    Raises:
        BadRequest: If the query string holds an unknown key, fault or number.
    """
    model, _, query = name.partition("?")
    asked = dict(parse_qsl(query, keep_blank_values=True))
    fault, times, latency = (asked.pop(key, None) for key in ("fault", "times", "latency_ms"))
    if asked or (fault is not None and fault not in get_args(Fault)):
        message = (
            f"model {name!r}: after '?' come fault=KIND, times=N and latency_ms=X; "
            f"kinds: {', '.join(get_args(Fault))}."
        )
        raise BadRequest(message, "model")
    try:
        return ModelName(
            model,
            fault,  # type: ignore[arg-type]  # checked above
            None if times is None else int(times),
            None if latency is None else float(latency),
        )
    except ValueError:
        message = f"model {name!r}: times must be a whole number and latency_ms a number."
        raise BadRequest(message, "model") from None


class FaultPlan:
    """Which attempt of which request gets which fault.

    Args:
        seed: Of the simulation.
        error_rate: Chance in [0, 1) that one of the first attempts of a request fails.
    """

    def __init__(self, seed: int, error_rate: float) -> None:
        self._seed = seed
        self._rate = error_rate
        self._failed: dict[bytes, int] = {}

    def next_fault(self, request: bytes, asked: ModelName) -> Fault | None:
        """Decide about one attempt and remember that it was made.

        Args:
            request: Digest of the request, equal for all its attempts.
            asked: From its model name.

        Returns:
            A fault, or None for a good reply. After a good reply the next equal
            request is a first attempt again.
        """
        if asked.fault is None and not self._rate:
            return None
        attempt = self._failed.pop(request, 0) + 1
        fault = self._decide(request, attempt, asked)
        if fault is not None:
            self._failed[request] = attempt
        return fault

    def _decide(self, request: bytes, attempt: int, asked: ModelName) -> Fault | None:
        if asked.fault is not None:
            return asked.fault if asked.times is None or attempt <= asked.times else None
        if attempt > FAULTY_ATTEMPTS:
            return None
        if uniform(self._seed, "fault", request, attempt) >= self._rate:
            return None
        left = uniform(self._seed, "kind of fault", request, attempt)
        for kind, share in FAULT_MIX.items():
            left -= share
            if left < 0:
                return kind
        return "unparseable"


def delay(seed: int, request: bytes, latency_ms: float) -> float:
    """Seconds to wait before a reply: `latency_ms` with up to 20% more or less, by request."""
    return latency_ms / 1000 * (0.8 + 0.4 * uniform(seed, "latency", request))
