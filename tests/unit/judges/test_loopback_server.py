"""The HTTP side of the simulated endpoint, served from this process."""

from __future__ import annotations

import asyncio
import json
import time

import aiohttp
import pytest
from aiohttp.test_utils import TestServer

from assay.judges.loopback.server import LoopbackServer
from assay.schema import SimulationSpec


class Nothing:
    truth = None
    family = None
    quality = None


def ask(*bodies, spec=None, path="/v1/chat/completions", method="POST"):
    """(status, headers, text) for each body, sent one after the other."""

    async def run():
        server = LoopbackServer(spec or SimulationSpec(), lambda _: Nothing())
        found = []
        async with TestServer(server.application()) as http, aiohttp.ClientSession() as client:
            for body in bodies:
                data = body if isinstance(body, bytes) else json.dumps(body).encode()
                async with client.request(method, http.make_url(path), data=data) as reply:
                    found.append((reply.status, reply.headers, await reply.text()))
        return found

    return asyncio.run(run())


def chat(model="sim-atlas-1", content="Hello.", **more):
    return {"model": model, "messages": [{"role": "user", "content": content}], **more}


def test_a_completion_says_in_three_places_that_it_is_simulated():
    [(status, headers, text)] = ask(chat())
    body = json.loads(text)
    assert status == 200
    assert headers["x-assay-simulated"] == "true"
    assert body["system_fingerprint"] == "simulated"
    assert body["x_assay"] == {"simulated": True}
    assert body["model"] == "sim-atlas-1"
    assert body["choices"][0]["finish_reason"] == "stop"


def test_usage_counts_a_token_for_four_characters():
    [(_, _, text)] = ask(chat(content="x" * 41))
    body = json.loads(text)
    content = body["choices"][0]["message"]["content"]
    # 41 / 4 rounded up is 11.
    assert body["usage"]["prompt_tokens"] == 11
    assert body["usage"]["completion_tokens"] == -(-len(content) // 4)
    assert body["usage"]["total_tokens"] == 11 + body["usage"]["completion_tokens"]


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
def test_a_reply_longer_than_allowed_is_cut_and_says_length(name):
    [(_, _, text)] = ask(chat(**{name: 5}))
    [choice] = json.loads(text)["choices"]
    assert choice["finish_reason"] == "length"
    assert len(choice["message"]["content"]) == 20


def test_an_unknown_model_is_not_found():
    [(status, _, text)] = ask(chat("gpt-4"))
    assert status == 404
    assert json.loads(text)["error"]["code"] == "model_not_found"


@pytest.mark.parametrize(
    ("body", "param"),
    [
        (b"{", None),
        (b"[]", None),
        ({}, "model"),
        ({"model": "sim-atlas-1"}, "messages"),
        (chat(temperature=3), "temperature"),
        (chat(temperature="hot"), "temperature"),
        (chat(seed=1.5), "seed"),
        (chat(max_tokens=0), "max_tokens"),
        (chat(stream=True), "stream"),
        (chat(n=2), "n"),
        (chat("sim-atlas-1?fault=418"), "model"),
        (chat(response_format={"type": "yaml"}), "response_format"),
    ],
)
def test_a_request_that_cannot_be_served_is_a_400_in_openais_form(body, param):
    [(status, headers, text)] = ask(body)
    error = json.loads(text)["error"]
    assert status == 400
    assert set(error) == {"message", "type", "param", "code"}
    assert error["param"] == param
    assert headers["x-assay-simulated"] == "true"


def test_a_prompt_beyond_the_context_is_refused_with_both_sizes():
    [(status, _, text)] = ask(chat(content="word " * 120_000))
    error = json.loads(text)["error"]
    assert status == 400
    assert error["code"] == "context_length_exceeded"
    assert "131072" in error["message"]
    assert "150000" in error["message"]


def test_other_paths_and_methods_are_errors_in_json():
    [(status, _, text)] = ask(b"", path="/v1/embeddings")
    assert (status, "error" in json.loads(text)) == (404, True)
    [(status, _, text)] = ask(b"", method="GET")
    assert (status, "error" in json.loads(text)) == (405, True)


def test_the_models_are_listed_and_shown_one_by_one():
    [(_, _, text)] = ask(b"", path="/v1/models", method="GET")
    names = [card["id"] for card in json.loads(text)["data"]]
    assert names == ["sim-atlas-1", "sim-borealis-1", "sim-cinder-1"]
    [(status, _, text)] = ask(b"", path="/v1/models/sim-cinder-1", method="GET")
    assert (status, json.loads(text)["id"]) == (200, "sim-cinder-1")
    [(status, _, _)] = ask(b"", path="/v1/models/other", method="GET")
    assert status == 404


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [
        ("429", 429, "rate_limit_exceeded"),
        ("quota", 429, "insufficient_quota"),
        ("500", 500, None),
        ("401", 401, "invalid_api_key"),
        ("400", 400, None),
    ],
)
def test_faults_by_status(fault, status, code):
    [(got, headers, text)] = ask(chat(f"sim-atlas-1?fault={fault}"))
    assert got == status
    assert json.loads(text)["error"]["code"] == code
    assert ("retry-after" in headers) == (fault == "429")


def test_faults_in_a_200():
    def fault(kind):
        [(status, headers, text)] = ask(chat(f"sim-atlas-1?fault={kind}"))
        assert status == 200
        assert headers["x-assay-simulated"] == "true"
        return headers["content-type"], text

    def choice(kind):
        [found] = json.loads(fault(kind)[1])["choices"]
        return found

    assert fault("html")[0].startswith("text/html")
    assert "error" in json.loads(fault("error_body")[1])
    assert json.loads(fault("no_choices")[1])["choices"] == []
    assert "usage" not in json.loads(fault("no_usage")[1])
    with pytest.raises(json.JSONDecodeError):
        json.loads(fault("cut_json")[1])
    assert choice("refusal")["message"]["content"] is None
    assert choice("refusal")["message"]["refusal"]
    assert choice("content_filter")["finish_reason"] == "content_filter"
    assert choice("empty")["message"]["content"] == ""
    assert json.loads(choice("reasoning")["message"]["reasoning_content"])["verdict"]
    assert choice("truncated")["finish_reason"] == "length"
    for kind in ("truncated", "unparseable"):
        with pytest.raises(json.JSONDecodeError):
            json.loads(choice(kind)["message"]["content"])


def test_a_retry_of_the_same_request_gets_past_a_fault():
    body = chat("sim-atlas-1?fault=500&times=2")
    assert [status for status, _, _ in ask(body, body, body)] == [500, 500, 200]


def test_a_disconnect_is_one():
    with pytest.raises(aiohttp.ClientError):
        ask(chat("sim-atlas-1?fault=disconnect"))


def test_replies_take_at_least_the_shortest_latency():
    start = time.monotonic()
    ask(*[chat(content=str(i)) for i in range(5)], spec=SimulationSpec(latency_ms=40))
    # Five replies, one after the other, each of at least 0.8 * 40 ms.
    assert time.monotonic() - start >= 5 * 0.032


def test_a_lone_surrogate_breaks_nothing():
    [(status, _, text)] = ask(b'{"model":"sim-atlas-1","messages":[{"content":"\\ud800"}]}')
    assert status == 200
    json.loads(text)
