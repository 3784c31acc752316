"""The HTTP side: an OpenAI-compatible endpoint on 127.0.0.1 with simulated models behind it."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from assay.judges.loopback import chat
from assay.judges.loopback.asking import BadRequest, message_text, understand
from assay.judges.loopback.faults import FaultPlan, delay, read_model_name
from assay.judges.loopback.planted import PLANTED
from assay.judges.loopback.simulated import Reading, SimulatedJudges
from assay.schema import Session, SimulationSpec

HANG_S = 600.0
_LARGEST_BODY = 64 * 1024 * 1024


class LoopbackServer:
    """State and handlers of one server.

    Args:
        spec: How the judges behave.
        read: Reads truth from a synthetic session's text.
    """

    def __init__(self, spec: SimulationSpec, read: Callable[[Session], Reading]) -> None:
        self._spec = spec
        self._judges = SimulatedJudges(spec.seed, read)
        self._faults = FaultPlan(spec.seed, spec.error_rate)
        self._in_flight = 0
        self._last_used = time.monotonic()

    def application(self) -> web.Application:
        """The routes, for `web.AppRunner`."""
        app = web.Application(client_max_size=_LARGEST_BODY, middlewares=[_errors_as_json])
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_get("/v1/models", self._models)
        app.router.add_get("/v1/models/{name}", self._model)
        return app

    def idle_seconds(self) -> float:
        """Seconds since the last request was finished; 0 while one is running."""
        return 0.0 if self._in_flight else time.monotonic() - self._last_used

    async def _models(self, _: web.Request) -> web.Response:
        return chat.respond({"object": "list", "data": [_model_card(name) for name in PLANTED]})

    async def _model(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        return chat.respond(_model_card(name)) if name in PLANTED else _no_model(name)

    async def _chat(self, request: web.Request) -> web.Response:
        self._in_flight += 1
        try:
            return await self._reply(request, await request.read())
        except BadRequest as bad:
            return chat.error(400, str(bad), param=bad.param)
        finally:
            self._in_flight -= 1
            self._last_used = time.monotonic()

    async def _reply(self, request: web.Request, raw: bytes) -> web.Response:
        body = _parse(raw)
        named = read_model_name(_model_of(body))
        if named.model not in PLANTED:
            return _no_model(named.model)
        max_tokens = _max_tokens(body)
        _check_rest(body)
        text = message_text(body.get("messages"))
        prompt_tokens = chat.estimate_tokens(text)
        if prompt_tokens + (max_tokens or 0) > chat.CONTEXT_TOKENS:
            return _too_long(prompt_tokens, max_tokens or 0)
        asked = understand(text, body.get("response_format"))
        key = hashlib.blake2b(raw, digest_size=16).digest()
        fault = self._faults.next_fault(key, named)
        wait = self._spec.latency_ms if named.latency_ms is None else named.latency_ms
        if wait:
            await asyncio.sleep(delay(self._spec.seed, key, wait))
        if fault == "hang":
            await asyncio.sleep(HANG_S)
        if fault == "disconnect" and request.transport is not None:
            request.transport.close()
        completion = chat.completion(
            request=key,
            model=named.model,
            prompt_tokens=prompt_tokens,
            content=self._judges.reply(named.model, asked),
            max_tokens=max_tokens,
        )
        return chat.faulty(fault, completion) if fault else chat.respond(completion)


def _parse(raw: bytes) -> dict[str, Any]:
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        message = "We could not parse the JSON body of your request."
        raise BadRequest(message) from None
    if not isinstance(body, dict):
        message = "The body of a request must be a JSON object."
        raise BadRequest(message)
    return body


def _model_of(body: dict[str, Any]) -> str:
    model = body.get("model")
    if not isinstance(model, str) or not model:
        message = "You must provide a model parameter."
        raise BadRequest(message, "model")
    return model


def _max_tokens(body: dict[str, Any]) -> int | None:
    for name in ("max_completion_tokens", "max_tokens"):
        value = body.get(name)
        if value is None:
            continue
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            message = f"Invalid '{name}': expected a whole number of at least 1."
            raise BadRequest(message, name)
        return value
    return None


def _check_rest(body: dict[str, Any]) -> None:
    temperature = body.get("temperature")
    if temperature is not None and not (
        isinstance(temperature, int | float) and 0 <= temperature <= 2
    ):
        message = "Invalid 'temperature': expected a number from 0 to 2."
        raise BadRequest(message, "temperature")
    seed = body.get("seed")
    if seed is not None and not isinstance(seed, int):
        message = "Invalid 'seed': expected a whole number."
        raise BadRequest(message, "seed")
    if body.get("stream"):
        message = "Unsupported value: 'stream' cannot be true on this simulated server."
        raise BadRequest(message, "stream")
    if body.get("n") not in {None, 1}:
        message = "Unsupported value: 'n' must be 1 on this simulated server."
        raise BadRequest(message, "n")


def _model_card(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "assay-simulated"}


def _no_model(name: str) -> web.Response:
    message = (
        f"The model '{name}' does not exist on this simulated server; it has {', '.join(PLANTED)}."
    )
    return chat.error(404, message, code="model_not_found", param="model")


def _too_long(prompt_tokens: int, max_tokens: int) -> web.Response:
    message = (
        f"This model's maximum context length is {chat.CONTEXT_TOKENS} tokens. However, you "
        f"requested {prompt_tokens + max_tokens} tokens ({prompt_tokens} in the messages, "
        f"{max_tokens} in the completion)."
    )
    return chat.error(400, message, code="context_length_exceeded", param="messages")


@web.middleware
async def _errors_as_json(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    try:
        return await handler(request)
    except web.HTTPException as refused:
        message = f"{request.method} {request.path}: {refused.reason}."
        return chat.error(refused.status, message)
