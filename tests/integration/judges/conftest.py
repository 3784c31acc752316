"""Starts and stops scripted servers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.scripted_endpoint import Answer, Script, ScriptedServer


@pytest.fixture
def serve() -> Iterator[Callable[..., ScriptedServer]]:
    """Start a scripted server: `serve(script)`, or `serve(answer, answer, ...)` in turn.

    The last answer of a list is repeated.
    """
    running: list[ScriptedServer] = []

    def start(*answers: Answer | Script) -> ScriptedServer:
        first = answers[0]
        if isinstance(first, Answer):
            given = [a for a in answers if isinstance(a, Answer)]
            server = ScriptedServer(lambda _, n: given[min(n, len(given) - 1)])
        else:
            server = ScriptedServer(first)
        running.append(server.__enter__())
        return server

    yield start
    for server in running:
        server.__exit__()
