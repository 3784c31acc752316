"""The simulated judges on synthetic sessions, by function and through real clients."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from functools import cache

import aiohttp
import openai
import pytest
from scipy.stats import binom

from assay.bench import generate, read_session
from assay.judges.loopback import running_server
from assay.judges.loopback.asking import understand
from assay.judges.loopback.faults import FAULT_MIX
from assay.judges.loopback.planted import PLANTED, PromptFeatures, planted_rates
from assay.judges.loopback.simulated import SimulatedJudges
from assay.judges.rendering import (
    choose_nonce,
    render_candidates,
    render_session,
    visible_texts,
)
from assay.judges.reply_shapes import pair_schema, reply_schema, response_format
from assay.schema import SimulationSpec

FORMAT = response_format(reply_schema("rationale_first"), "json_schema")
FEATURES = PromptFeatures(reply="rationale_first")
PAIR_FORMAT = response_format(pair_schema(), "json_schema")
DIMENSIONS = tuple(PLANTED["sim-atlas-1"].rates)


def assert_binomial(successes, trials, rate):
    """Fails a right implementation once in a million, by the exact tails."""
    tail = min(binom.cdf(successes, trials, rate), binom.sf(successes - 1, trials, rate))
    assert tail * 2 > 1e-6, f"{successes} of {trials} at planted {rate}"


@cache
def bench(size=2000, seed=11):
    return generate(size, seed)


def prompt(session, dimension="correctness"):
    block = render_session(session, nonce=choose_nonce(*visible_texts(session)))
    return f"Dimension: {dimension}\n\n{block}"


def truth():
    return {(x.session_id, x.dimension): x.result for x in bench().labels}


@cache
def verdicts(model, seed=0):
    """(session_id, dimension) -> verdict, for one dimension of each session in turn."""
    judges = SimulatedJudges(seed, read_session)
    found = {}
    for i, session in enumerate(bench().sessions):
        # 400 sessions for each dimension; all five of each would take five times as long.
        dimension = DIMENSIONS[i % len(DIMENSIONS)]
        reply = judges.reply(model, understand(prompt(session, dimension), FORMAT))
        found[session.session_id, dimension] = json.loads(reply)["verdict"]
    return found


@pytest.mark.parametrize("model", PLANTED)
def test_planted_rates_are_found_again_against_the_labels(model):
    people = truth()
    family = {s.session_id: s.agent_family for s in bench().sessions}
    counts = Counter()
    for key, verdict in verdicts(model).items():
        own = family[key[0]] == PLANTED[model].family
        counts[key[1], own, people[key], verdict] += 1
    for dimension in DIMENSIONS:
        for own in (False, True):
            agent_family = PLANTED[model].family if own else "another"
            tpr, tnr = planted_rates(model, dimension, agent_family, FEATURES)
            for label, rate in (("Pass", tpr), ("Fail", tnr)):
                right = counts[dimension, own, label, label]
                wrong = counts[dimension, own, label, "Fail" if label == "Pass" else "Pass"]
                assert right + wrong > 0
                assert_binomial(right, right + wrong, rate)


def false_pass_rates(model):
    """(own family, others) over all dimensions."""
    family = {s.session_id: s.agent_family for s in bench().sessions}
    people = truth()
    trials, hits = Counter(), Counter()
    for key, verdict in verdicts(model).items():
        if people[key] == "Fail":
            own = family[key[0]] == PLANTED[model].family
            trials[own] += 1
            hits[own] += verdict == "Pass"
    return hits[True] / trials[True], hits[False] / trials[False], min(trials.values())


def test_borealis_passes_its_own_familys_failures_and_the_others_do_not():
    # The planted gap is 24 points. With n failures on the smaller side the gap's
    # standard error is at most sqrt(2 * .25 / n); five of them keep clear of chance.
    for model in PLANTED:
        own, others, n = false_pass_rates(model)
        gap = {"sim-borealis-1": 0.24}.get(model, 0.0)
        assert own - others == pytest.approx(gap, abs=5 * (0.5 / n) ** 0.5)
    own, others, _ = false_pass_rates("sim-borealis-1")
    assert own - others > 0.1


def test_another_seed_changes_verdicts():
    assert verdicts("sim-atlas-1", 0) != verdicts("sim-atlas-1", 1)


@cache
def choices(model):
    """Per pair: the candidate named with A first and with B first."""
    judges = SimulatedJudges(0, read_session)
    sessions = {s.session_id: s for s in bench().sessions}
    found = []
    for pair in bench().pairs:
        a, b = sessions[pair.session_a], sessions[pair.session_b]
        nonce = choose_nonce(*visible_texts(a), *visible_texts(b))
        names = []
        for first, second, slots in ((a, b, "AB"), (b, a, "BA")):
            text = render_candidates(first, second, nonce=nonce)
            winner = json.loads(judges.reply(model, understand(text, PAIR_FORMAT)))["winner"]
            names.append({"FIRST": slots[0], "SECOND": slots[1]}.get(winner, "tie"))
        found.append((pair, *names))
    return found


def test_planted_position_preference_lowers_concordance():
    concordance = {}
    for model, judge in PLANTED.items():
        made = choices(model)
        agree = sum(ab == ba for _, ab, ba in made)
        assert_binomial(agree, len(made), 1 - judge.first_preference)
        concordance[model] = agree / len(made)
    assert min(concordance, key=concordance.get) == "sim-cinder-1"


def test_concordant_choices_follow_the_labels_at_the_planted_accuracy():
    for model, judge in PLANTED.items():
        made = [(p, ab) for p, ab, ba in choices(model) if ab == ba != "tie" and p.winner != "tie"]
        right = sum(pair.winner == choice for pair, choice in made)
        assert_binomial(right, len(made), judge.pair_accuracy)


@pytest.fixture(scope="module")
def served():
    """One server with the default behaviour for all tests that need no other."""
    with running_server(SimulationSpec()) as base_url:
        yield base_url


def over_http(base_url, bodies):
    async def run():
        async with aiohttp.ClientSession() as client:

            async def one(body):
                url = f"{base_url}/chat/completions"
                async with client.post(url, json=body) as reply:
                    return reply.status, reply.content_type, await reply.text()

            return await asyncio.gather(*[one(body) for body in bodies])

    return asyncio.run(run())


def bodies(n, model="sim-borealis-1"):
    return [
        {
            "model": model,
            "messages": [{"role": "user", "content": prompt(s)}],
            "response_format": FORMAT,
            "temperature": 0,
            "seed": 0,
        }
        for s in bench().sessions[:n]
    ]


def contents(replies):
    return [json.loads(text)["choices"][0]["message"]["content"] for _, _, text in replies]


def test_two_processes_reply_alike_to_the_letter_and_as_the_function_does(served):
    asked = bodies(200)
    found = [contents(over_http(served, asked))]
    with running_server(SimulationSpec()) as base_url:
        found.append(contents(over_http(base_url, asked)))
    judges = SimulatedJudges(0, read_session)
    by_function = [
        judges.reply("sim-borealis-1", understand(b["messages"][0]["content"], FORMAT))
        for b in asked
    ]
    assert found[0] == found[1] == by_function
    with running_server(SimulationSpec(seed=1)) as base_url:
        assert contents(over_http(base_url, asked)) != found[0]


def test_planted_rates_are_found_again_over_http(served):
    people = truth()
    chosen = bench().sessions[:300]
    replies = contents(over_http(served, bodies(300, "sim-atlas-1")))
    tpr, tnr = planted_rates("sim-atlas-1", "correctness", "any", FEATURES)
    found = Counter(
        (people[s.session_id, "correctness"], json.loads(reply)["verdict"])
        for s, reply in zip(chosen, replies, strict=True)
    )
    for label, rate in (("Pass", tpr), ("Fail", tnr)):
        trials = found[label, "Pass"] + found[label, "Fail"]
        assert_binomial(found[label, label], trials, rate)


def test_faults_come_at_their_rate_and_a_retry_helps():
    asked = bodies(600)
    with running_server(SimulationSpec(error_rate=0.25)) as base_url:
        first = over_http(base_url, asked)
        failed = [b for b, r in zip(asked, first, strict=True) if r[0] in {429, 500}]
        rest = [over_http(base_url, failed) for _ in range(2)]
    retryable = FAULT_MIX["429"] + FAULT_MIX["500"]
    assert_binomial(len(failed), len(asked), 0.25 * retryable)
    pages = sum(kind == "text/html" for _, kind, _ in first)
    assert_binomial(pages, len(asked), 0.25 * FAULT_MIX["html"])
    # A second attempt fails at the same rate; a third never does.
    second = [r[0] in {429, 500} for r in rest[0]]
    assert_binomial(sum(second), len(failed), 0.25 * retryable)
    assert not any(again and r[0] != 200 for again, r in zip(second, rest[1], strict=True))


def with_openai(base_url, use, **options):
    async def run():
        client = openai.AsyncOpenAI(base_url=base_url, api_key="unused", **options)
        async with client:
            return await use(client)

    return asyncio.run(run())


def test_openais_client_takes_the_replies(served):
    session = bench().sessions[0]

    async def use(client):
        return await client.chat.completions.create(
            model="sim-atlas-1",
            messages=[{"role": "user", "content": prompt(session)}],
            response_format=FORMAT,
            max_tokens=256,
            temperature=0,
            seed=0,
        )

    reply = with_openai(served, use)
    assert list(json.loads(reply.choices[0].message.content)) == ["rationale", "verdict"]
    assert reply.choices[0].finish_reason == "stop"
    assert reply.system_fingerprint == "simulated"
    assert reply.usage.total_tokens == reply.usage.prompt_tokens + reply.usage.completion_tokens


@pytest.mark.parametrize(
    ("model", "error"),
    [
        ("sim-nobody-1", openai.NotFoundError),
        ("sim-atlas-1?fault=401", openai.AuthenticationError),
        ("sim-atlas-1?fault=400", openai.BadRequestError),
        ("sim-atlas-1?fault=429", openai.RateLimitError),
        ("sim-atlas-1?fault=500", openai.InternalServerError),
        ("sim-atlas-1?fault=disconnect", openai.APIConnectionError),
        ("sim-atlas-1?fault=hang", openai.APITimeoutError),
    ],
)
def test_openais_client_knows_the_errors(model, error, served):
    async def use(client):
        await client.chat.completions.create(
            model=model, messages=[{"role": "user", "content": "x"}]
        )

    with pytest.raises(error):
        with_openai(served, use, max_retries=0, timeout=1.0)


def test_openais_client_gets_past_a_rate_limit_by_its_own_retries(served):
    async def use(client):
        return await client.chat.completions.create(
            model="sim-atlas-1?fault=429&times=2", messages=[{"role": "user", "content": "x"}]
        )

    reply = with_openai(served, use, max_retries=2)
    assert reply.model == "sim-atlas-1"
