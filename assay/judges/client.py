"""How is one question put to one endpoint, and what came of it?

One `Endpoint` per address and key holds the one client, opened and closed in one
event loop. All questions share its pause, its stops and the way it takes JSON.
The client library sends, and does nothing else: no retries, no parsing.
"""

from __future__ import annotations

import asyncio
import dataclasses
import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import SplitResult, urlsplit

from assay.errors import ConfigError
from assay.judges.completion import Completion, read_completion
from assay.judges.faults import Fault, fault_of
from assay.judges.keys import Key
from assay.judges.reply_shapes import MODES, Mode, response_format
from assay.judges.retry import RETRY_AFTER_CEILING_S, RetryPolicy
from assay.judges.template import Message

if TYPE_CHECKING:
    from openai import AsyncOpenAI

CONNECT_S = 10.0
"""Seconds for a connection to open; the deadline of the verdict bounds all the rest."""


@dataclass(frozen=True)
class Question:
    """One chat request, whatever the endpoint makes of its parameters."""

    key: str
    """Names the verdict; seeds the jitter of its retries."""
    model: str
    messages: tuple[Message, ...]
    schema: dict[str, Any]
    max_tokens: int
    temperature: float | None
    """None sends none."""
    seed: int | None
    """None sends none."""


@dataclass(frozen=True)
class Asked:
    """What came of a question."""

    result: Completion | Fault
    attempts: int
    """Requests sent for it."""
    latency_s: float
    """Wall seconds over all attempts and the waits between them."""
    mode: Mode
    """How JSON was asked for in the last request."""


@dataclass
class Lane:
    """What is known about one model at one endpoint."""

    mode: Mode = MODES[0]
    gate: asyncio.Lock = field(default_factory=asyncio.Lock)
    opened: bool = False
    """True once a first question has come to an end; until then there is only one."""
    stop: Fault | None = None
    enforces: bool = True
    """False once a reply broke the schema that the endpoint had accepted."""

    def step_down(self, tried: Mode) -> None:
        """Ask in the next weaker way, unless another question has stepped down already."""
        if self.mode == tried:
            self.mode = MODES[MODES.index(tried) + 1]


class Endpoint:
    """One OpenAI-compatible server, for the length of one run.

    Args:
        base_url: Address up to and without `/chat/completions`.
        key: Sent as bearer; an empty one sends a placeholder, never a key from elsewhere.
        policy: Retries and deadline.
        max_in_flight: Connections at most.

    Raises:
        ConfigError: If the address is not an http or https URL.
    """

    def __init__(self, base_url: str, *, key: Key, policy: RetryPolicy, max_in_flight: int) -> None:
        parts = _parts(base_url, key)
        self.base_url = base_url
        self.address = f"{parts.scheme}://{parts.netloc}{parts.path}"
        """For messages: the URL without a query."""
        self.requests = 0
        """Requests sent so far."""
        self.simulated = False
        """True once a response said that no real model gives it."""
        self.lanes: dict[str, Lane] = {}
        self.stop: Fault | None = None
        self._key = key
        self._policy = policy
        self._max_in_flight = max_in_flight
        # A proxy has no business between this process and this machine.
        self._trust_env = parts.hostname not in {"127.0.0.1", "localhost", "::1"}
        self._not_before = 0.0
        self._client: AsyncOpenAI | None = None
        self._response_type: Any = None

    def __repr__(self) -> str:
        return f"Endpoint({self.address!r})"

    async def __aenter__(self) -> Self:
        # httpx2 is the HTTP layer that openai brings; its response class asks the
        # client for the raw response.
        import httpx2
        from openai import AsyncOpenAI, DefaultAioHttpClient, Timeout

        self._response_type = httpx2.Response
        timeout = Timeout(None, connect=CONNECT_S)
        transport = DefaultAioHttpClient(
            timeout=timeout,
            limits=httpx2.Limits(
                max_connections=self._max_in_flight, max_keepalive_connections=self._max_in_flight
            ),
            trust_env=self._trust_env,
            # A redirect would carry the key to an address that nobody configured.
            follow_redirects=False,
        )
        self._client = AsyncOpenAI(
            base_url=self.base_url,
            api_key=self._key.reveal() or "none",
            http_client=transport,
            timeout=timeout,
            max_retries=0,
        )
        # Read from the environment by the library; they belong to another endpoint.
        self._client.organization = None
        self._client.project = None
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None

    def safe(self, text: str) -> str:
        """Text from the endpoint, without its key and without halves of characters.

        JSON can spell half a surrogate pair, which no file in UTF-8 can hold.
        """
        return self._key.mask(text).encode("utf-8", "replace").decode("utf-8")

    async def ask(self, question: Question) -> Asked:
        """Put one question, with retries, within the deadline.

        The first question for a model goes alone: a wrong key or a rejected schema
        then costs one request, not one per worker.

        Returns:
            The completion or the fault; never raises for what an endpoint does.
        """
        lane = self.lanes.setdefault(question.model, Lane())
        if not lane.opened:
            async with lane.gate:
                if not lane.opened:
                    try:
                        return await self._attempt(question, lane)
                    finally:
                        lane.opened = True
        return await self._attempt(question, lane)

    async def _attempt(self, question: Question, lane: Lane) -> Asked:
        # A moment to wait for, not an event; it may move while this waits.
        while (pause := self._not_before - time.monotonic()) > 0 and not self.stop:  # noqa: ASYNC110
            await asyncio.sleep(pause)
        started = time.monotonic()
        sent = tries = 0
        while True:
            mode = lane.mode
            stop = self.stop or lane.stop
            if stop is not None:
                detail = f"not sent, the endpoint had failed: {stop.detail}"
                result = dataclasses.replace(stop, detail=detail)
                return Asked(result, sent, time.monotonic() - started, mode)
            sent += 1
            tries += 1
            elapsed = time.monotonic() - started
            result = await self._send(question, mode, self._policy.deadline_s - elapsed)
            elapsed = time.monotonic() - started
            self.simulated = self.simulated or result.simulated
            if isinstance(result, Completion):
                return Asked(result, sent, elapsed, mode)
            if result.rejects_format and mode != MODES[-1]:
                # A question about parameters, not a try of the question itself.
                lane.step_down(mode)
                tries -= 1
                continue
            result = self._note(result, lane)
            wait = self._wait(question, result, tries=tries, elapsed_s=elapsed)
            if wait is None:
                return Asked(result, sent, elapsed, mode)
            await asyncio.sleep(wait)

    async def _send(self, question: Question, mode: Mode, seconds: float) -> Completion | Fault:
        if self._client is None:
            message = "Endpoint is used outside its `async with` block"
            raise RuntimeError(message)
        import aiohttp
        import httpx2
        from openai import OpenAIError

        body: dict[str, Any] = {
            "model": question.model,
            "messages": question.messages,
            "max_tokens": question.max_tokens,
        }
        if question.temperature is not None:
            body["temperature"] = question.temperature
        if question.seed is not None:
            body["seed"] = question.seed
        wanted = response_format(question.schema, mode)
        if wanted is not None:
            body["response_format"] = wanted
        self.requests += 1
        try:
            async with asyncio.timeout(max(seconds, 0)):
                response = await self._client.post(
                    "/chat/completions", cast_to=self._response_type, body=body
                )
        except TimeoutError:
            limit = f"deadline_s={self._policy.deadline_s:g}"
            return Fault("timeout", f"no reply within {limit} over all attempts")
        except (OpenAIError, httpx2.HTTPError, aiohttp.ClientError, OSError, ValueError) as error:
            # The transport lets some errors of the libraries below it through.
            fault = fault_of(error)
            return dataclasses.replace(fault, detail=self.safe(fault.detail))
        result = read_completion(response.content, response.headers)
        if isinstance(result, Fault):
            return dataclasses.replace(result, detail=self.safe(result.detail))
        return result

    def _note(self, fault: Fault, lane: Lane) -> Fault:
        """Remember what concerns the other questions too."""
        if fault.retry_after_s is not None:
            if fault.retry_after_s > RETRY_AFTER_CEILING_S:
                reset = datetime.now().astimezone() + timedelta(seconds=fault.retry_after_s)
                detail = (
                    f"{fault.detail}; it asks to wait {fault.retry_after_s:.0f} s, until "
                    f"{reset:%Y-%m-%d %H:%M %Z}. Run again after that."
                )
                fault = dataclasses.replace(fault, detail=detail, retryable=False, stops="endpoint")
            else:
                until = time.monotonic() + fault.retry_after_s
                self._not_before = max(self._not_before, until)
        if fault.stops == "endpoint":
            self.stop = self.stop or fault
        elif fault.stops == "model":
            lane.stop = lane.stop or fault
        return fault

    def _wait(
        self, question: Question, fault: Fault, *, tries: int, elapsed_s: float
    ) -> float | None:
        if not fault.retryable:
            return None
        pause = self._not_before - time.monotonic()
        asked = fault.retry_after_s
        if pause > 0:
            # Another question may have been told to wait longer.
            asked = max(pause, asked or 0.0)
        return self._policy.wait(
            attempt=tries, elapsed_s=elapsed_s, retry_after_s=asked, key=question.key
        )


def _parts(base_url: str, key: Key) -> SplitResult:
    message = f"panel: base_url must look like http://host:port/v1, got {key.mask(base_url)!r}"
    try:
        parts = urlsplit(base_url)
        usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError as error:
        raise ConfigError(message) from error
    if not usable:
        raise ConfigError(message)
    if parts.username is not None or parts.password is not None:
        message = (
            f"panel: base_url for {parts.hostname} holds a user or a password; put the key into an "
            "environment variable and name that in api_key_env."
        )
        raise ConfigError(message)
    return parts
