"""From a request's text to a reply's text, with a reader of truth that the test controls."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

import pytest

from assay.judges.loopback.asking import understand
from assay.judges.loopback.planted import PLANTED
from assay.judges.loopback.simulated import SimulatedJudges
from assay.judges.loopback.wording import Quotes, quotes
from assay.judges.rendering import (
    choose_nonce,
    render_candidates,
    render_session,
    visible_texts,
)
from assay.judges.reply_shapes import pair_schema, reply_schema, response_format
from assay.schema import Session, SuiteRun

MALFORMED = "Dimension: correctness\n<<<SESSION 0123456789abcdef\nx\nSESSION 0123456789abcdef>>>"
SHAPES = ("verdict_only", "rationale_first", "verdict_first", "scratchpad")


@dataclass(frozen=True)
class Told:
    truth: dict[str, bool] | None
    family: str | None = "atlas"
    quality: float = 0.5


def reader(told):
    """Reads truth from a final message that spells it out: enough for what is tested here."""

    def read(session):
        told.append(session)
        if session.final_message == "real":
            return Told(None, None, 0.0)
        good = session.final_message.startswith("good")
        return Told(dict.fromkeys(PLANTED["sim-atlas-1"].rates, good), quality=float(good))

    return read


def session(message, i=0):
    return Session(
        session_id="s",
        task_id="t",
        agent="a",
        agent_family="f",
        task_prompt=f"Task {i}.",
        diff="--- a/x.py\n+++ b/x.py\n-limit = 1\n+limit = {2}\n",
        test_results=(SuiteRun(command="pytest -q tests", passed=3, failed=1),),
        final_message=message,
    )


def prompt(s, dimension="correctness"):
    return f"Dimension: {dimension}\n\n" + render_session(s, nonce=choose_nonce(*visible_texts(s)))


def reply(judges, text, schema, model="sim-atlas-1"):
    return judges.reply(model, understand(text, response_format(schema, "json_schema")))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dimension", PLANTED["sim-atlas-1"].rates)
def test_a_reply_has_the_fields_asked_for_in_their_order_and_types(shape, dimension):
    schema = reply_schema(shape)
    text = reply(SimulatedJudges(0, reader([])), prompt(session("good"), dimension), schema)
    values = json.loads(text)
    assert list(values) == list(schema["properties"])
    assert values["verdict"] in {"Pass", "Fail"}
    for name, field in schema["properties"].items():
        assert isinstance(values[name], list if field["type"] == "array" else str)
        assert values[name]


def test_a_rationale_quotes_the_session_and_gives_nothing_away():
    judges = SimulatedJudges(0, reader([]))
    for i in range(40):
        for dimension in PLANTED["sim-atlas-1"].rates:
            s = session(f"good {i}", i)
            values = json.loads(reply(judges, prompt(s, dimension), reply_schema("scratchpad")))
            words = " ".join(str(v) for v in values.values())
            assert "+limit = {2}" in words
            assert '"pytest -q tests" with 3 passed, 1 failed' in words
            assert "[simulated]" in words
            assert not re.search(r"truth|planted|synthetic|rate|bench|known", words, re.IGNORECASE)


def test_a_rationale_rests_on_the_program_and_not_on_notes_beside_it():
    diff = (
        "--- a/cache.py\n+++ b/cache.py\n-size = 1\n+size = 2\n"
        "--- a/test_cache.py\n+++ b/test_cache.py\n+assert size == 2\n"
        "--- a/CHANGELOG.md\n+++ b/CHANGELOG.md\n+- cache: mend the size\n"
    )
    s = session("good").model_copy(update={"diff": diff, "final_message": "# Done\n\nMended."})
    seen = quotes(s)
    assert seen.change == 'the diff has "+size = 2"'
    assert seen.claim == 'the final message says "Mended."'


def test_quotes_of_an_empty_session_say_what_is_missing():
    bare = Session(session_id="s", task_id="t", agent="a", agent_family="f", task_prompt="")
    assert quotes(bare) == Quotes(
        "the diff changes nothing", "no command is shown", "there is no final message"
    )


def test_two_servers_with_one_seed_reply_alike_to_the_letter():
    texts = [prompt(session(f"bad {i}", i)) for i in range(50)]
    one, two, other = (SimulatedJudges(seed, reader([])) for seed in (0, 0, 1))
    replies = [reply(one, t, reply_schema("rationale_first")) for t in texts]
    assert [reply(two, t, reply_schema("rationale_first")) for t in reversed(texts)] == replies[
        ::-1
    ]
    assert [reply(other, t, reply_schema("rationale_first")) for t in texts] != replies


def test_a_session_from_elsewhere_gets_no_verdict():
    values = json.loads(
        reply(
            SimulatedJudges(0, reader([])), prompt(session("real")), reply_schema("rationale_first")
        )
    )
    assert values["verdict"] == "Unknown"
    assert values["rationale"] == (
        "simulated judge: this session is not from the synthetic bench set; "
        "a simulated judge knows nothing about it"
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Say hello.", "no complete"),
        (prompt(session("good")).partition("\n\n")[2], "no line 'Dimension"),
        (prompt(session("good"), "charm"), "'charm'"),
        (
            "Dimension: correctness\n<<<SESSION 0123456789abcdef\nx\nSESSION 0123456789abcdef>>>",
            "b",
        ),
    ],
    ids=["no session", "no dimension", "unknown dimension", "malformed session"],
)
def test_what_cannot_be_judged_gets_no_verdict(text, why):
    values = json.loads(
        reply(SimulatedJudges(0, reader([])), text, reply_schema("rationale_first"))
    )
    assert values["verdict"] == "Unknown"
    assert why in values["rationale"]


def test_a_session_is_read_once_for_all_models_and_dimensions():
    told = []
    judges = SimulatedJudges(0, reader(told))
    for model in PLANTED:
        for dimension in PLANTED[model].rates:
            reply(judges, prompt(session("good"), dimension), reply_schema("verdict_only"), model)
    assert len(told) == 1


def test_a_comparison_names_a_place_and_knows_nothing_of_real_work():
    judges = SimulatedJudges(0, reader([]))

    def compare(first, second):
        nonce = choose_nonce(*visible_texts(first), *visible_texts(second))
        text = "Dimension: overall\n" + render_candidates(first, second, nonce=nonce)
        return json.loads(reply(judges, text, pair_schema()))

    # With a better and a worse one, both places and no tie must come up; 20 orders each.
    winners = {
        compare(session(f"{a} {i}"), session(f"{b} {i}"))["winner"]
        for i in range(20)
        for a, b in (("good", "bad"), ("bad", "good"))
    }
    assert winners == {"FIRST", "SECOND"}
    values = compare(session("good"), session("real"))
    assert values["winner"] == "Unknown"
    assert "knows nothing" in values["rationale"]


def test_asked_about_one_dimension_deserving_pass_there_outweighs_quality():
    def read(s):
        solid = s.final_message.startswith("solid")
        return Told({"correctness": solid}, quality=0.2 if solid else 0.9)

    judges = SimulatedJudges(0, read)

    def solid_wins(dimension):
        wins = 0
        for i in range(200):
            a, b = session(f"solid {i}"), session(f"shiny {i}")
            nonce = choose_nonce(*visible_texts(a), *visible_texts(b))
            text = f"Dimension: {dimension}\n" + render_candidates(b, a, nonce=nonce)
            wins += json.loads(reply(judges, text, pair_schema()))["winner"] == "SECOND"
        return wins

    # Atlas looks at merit in 95% of pairs and is right in 90% of those: .855, and
    # .095 the other way round; five standard errors of 200 trials are .13 at most.
    assert solid_wins("correctness") > 0.72 * 200
    assert solid_wins("overall") < 0.23 * 200


def test_fields_that_nobody_knows_are_filled_with_blanks_of_their_type():
    schema = {
        "type": "object",
        "properties": {
            "note": {"type": "string"},
            "tags": {"type": "array"},
            "score": {"type": "number"},
            "verdict": {"type": "string"},
        },
    }
    values = json.loads(reply(SimulatedJudges(0, reader([])), prompt(session("good")), schema))
    assert (values["note"], values["tags"], values["score"]) == ("", [], 0)
    assert values["verdict"] in {"Pass", "Fail"}
