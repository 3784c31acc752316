"""A scripted OpenAI-compatible server on 127.0.0.1, real HTTP, in a thread of its own."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self

from aiohttp import web

from assay.schema import Criterion, JudgeSpec, MemberSpec, PanelSpec, Session

TEMPLATE = "# system\nJudge.\n# user\nDimension: {{ dimension }}\n{{ question }}\n{{ session }}\n"


@dataclass(frozen=True)
class Answer:
    """One response of the scripted server."""

    status: int = 200
    body: Any = None
    """A JSON value, or text sent as it is."""
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    drop: bool = False
    """Close the connection without an answer."""


def completion(
    content: Any = '{"verdict": "Pass"}',
    *,
    finish_reason: str = "stop",
    usage: Any = "given",
    message: dict[str, Any] | None = None,
    **rest: Any,
) -> Answer:
    """A well-formed chat completion."""
    body: dict[str, Any] = {
        "id": "x",
        "object": "chat.completion",
        "model": "served-1",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish_reason,
                "message": {"role": "assistant", "content": content} | (message or {}),
            }
        ],
        "usage": {"prompt_tokens": 11, "completion_tokens": 3} if usage == "given" else usage,
    }
    return Answer(body=body, **rest)


def error(status: int, message: str, *, code: str | None = None, **headers: str) -> Answer:
    """An error response in OpenAI's form."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, {"error": {"message": message, "code": code}}, names)


Script = Callable[[dict[str, Any], int], Answer]


class ScriptedServer:
    """Answers each request by a function of its JSON body and its number from 0."""

    def __init__(self, script: Script) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self.most_in_flight = 0
        self._in_flight = 0
        self._script = script
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()))

    @property
    def count(self) -> int:
        return len(self.bodies)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(10)

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        app = web.Application(client_max_size=2**26)
        app.router.add_post("/v1/chat/completions", self._answer)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{port}/v1"
        self._ready.set()
        await self._stop.wait()
        await runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        number = self.count
        self.bodies.append(body)
        self.headers.append(dict(request.headers))
        self.times.append(time.monotonic())
        self._in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            answer = self._script(body, number)
            await asyncio.sleep(answer.delay_s)
            if answer.drop:
                assert request.transport is not None
                request.transport.close()
                return web.Response()
            text = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
            kind = "text/html" if text.startswith("<") else "application/json"
            return web.Response(
                status=answer.status, text=text, headers=answer.headers, content_type=kind
            )
        finally:
            self._in_flight -= 1


def sessions(count: int) -> tuple[Session, ...]:
    return tuple(
        Session(
            session_id=f"s{n}",
            task_id=f"t{n}",
            agent="coder",
            agent_family="acme",
            task_prompt=f"task number {n}",
        )
        for n in range(count)
    )


CRITERION = Criterion(
    dimension="correctness", weight=1, question="Is it right?", pass_when="yes", fail_when="no"
)
JUDGE = JudgeSpec(name="plain", prompt="plain", reply="verdict_only")


def member(server: ScriptedServer, name: str = "m", **changes: Any) -> MemberSpec:
    values = {"name": name, "model": "model-1", "family": "other", "base_url": server.url}
    return MemberSpec.model_validate(values | changes)


def panel(*members: MemberSpec, **changes: Any) -> PanelSpec:
    values = {"name": "panel", "kind": "openai", "members": members, "deadline_s": 10.0}
    return PanelSpec.model_validate(values | changes)
