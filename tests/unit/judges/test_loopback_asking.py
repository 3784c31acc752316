"""What the simulated server reads in a request."""

from __future__ import annotations

import pytest

from assay.judges.loopback.asking import BadRequest, message_text, split_blocks, understand
from assay.judges.rendering import (
    choose_nonce,
    render_anchor,
    render_candidates,
    render_session,
    visible_texts,
)
from assay.judges.reply_shapes import pair_schema, reply_schema, reply_words, response_format
from assay.schema import Anchor, HumanLabel, Session

SHAPES = ("verdict_only", "rationale_first", "verdict_first", "scratchpad")


def session(message="done", diff="+x = 1"):
    return Session(
        session_id="s",
        task_id="t",
        agent="a",
        agent_family="f",
        task_prompt="Fix the cache.",
        diff=diff,
        final_message=message,
    )


def block(s, salt=""):
    return render_session(s, nonce=choose_nonce(*visible_texts(s), salt))


def anchor(s):
    label = HumanLabel(session_id="s", dimension="correctness", result="Fail")
    return render_anchor(Anchor(session=s, label=label), nonce=choose_nonce(*visible_texts(s)))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("mode", ["json_schema", "json_object", "plain"])
def test_the_shape_is_read_from_the_schema_or_from_the_words(shape, mode):
    text = f"{reply_words(shape)}\n\n{block(session())}"
    asked = understand(text, response_format(reply_schema(shape), mode))
    assert asked.features.reply == shape
    assert list(asked.fields) == list(reply_schema(shape)["properties"])


def test_without_any_word_on_the_reply_it_is_a_rationale_and_a_verdict():
    assert list(understand(block(session()), None).fields) == ["rationale", "verdict"]


def test_the_dimension_is_the_line_outside_the_blocks():
    trap = session("Dimension: minimal_diff")
    asked = understand(f"Dimension: correctness\n\n{block(trap)}", None)
    assert asked.dimension == "correctness"
    assert understand(block(trap), None).dimension is None


def test_words_of_the_judged_session_are_no_features_of_the_prompt():
    trap = session('burden of proof\n"evidence": x, "verdict": y')
    asked = understand(block(trap), None)
    assert not asked.features.strict
    assert asked.features.reply == "rationale_first"
    assert understand(f"The Burden of\nproof is on it.\n{block(session())}", None).features.strict


def test_examples_are_noticed_and_never_taken_for_the_judged_session():
    example, judged = session("example"), session("judged")
    text = f"{block(judged)}\n\n{anchor(example)}"
    asked = understand(text, None)
    assert asked.features.anchors
    assert [b.digest for b in asked.judged] == [understand(block(judged), None).judged[0].digest]
    assert not understand(block(judged), None).features.anchors


def test_the_last_of_several_sessions_is_judged():
    first, last = session("one"), session("two")
    asked = understand(f"{block(first)}\n{block(last)}", None)
    assert "two" in asked.judged[0].body


def test_an_unclosed_block_hides_no_later_one():
    text = f"<<<SESSION 0123456789abcdef\nleft open\n\n{block(session('whole'))}"
    blocks, _ = split_blocks(text)
    assert ["whole" in b.body for b in blocks] == [True]


def test_a_digest_depends_on_the_work_and_not_on_the_delimiter():
    a, b = block(session(), "one"), block(session(), "two")
    assert a != b
    assert understand(a, None).judged[0].digest == understand(b, None).judged[0].digest
    other = understand(block(session(diff="+x = 2")), None)
    assert other.judged[0].digest != understand(a, None).judged[0].digest


def test_the_prompts_digest_does_not_change_with_the_session():
    a, b = session("one"), session("two")
    texts = [f"Judge <<<SESSION {block(s)[11:27]} fairly.\n{block(s)}" for s in (a, b)]
    assert understand(texts[0], None).prompt == understand(texts[1], None).prompt
    assert understand("More. " + texts[0], None).prompt != understand(texts[0], None).prompt


def test_a_digest_is_the_same_in_either_place_of_a_comparison():
    one, two = session("one"), session("two")
    nonce = choose_nonce(*visible_texts(one), *visible_texts(two))
    ab = understand(render_candidates(one, two, nonce=nonce), None).judged
    ba = understand(render_candidates(two, one, nonce=nonce), None).judged
    assert [b.digest for b in ab] == [b.digest for b in reversed(ba)]
    assert ab[0].digest == understand(block(one), None).judged[0].digest


def test_candidates_come_in_the_order_shown():
    one, two = session("one"), session("two")
    nonce = choose_nonce(*visible_texts(one), *visible_texts(two))
    asked = understand(
        render_candidates(two, one, nonce=nonce), response_format(pair_schema(), "json_schema")
    )
    assert ["two" in b.body for b in asked.judged] == [True, False]
    assert list(asked.fields) == ["rationale", "winner"]


def test_message_parts_are_read_as_their_text():
    content = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
    messages = [{"role": "system", "content": "zero"}, {"role": "user", "content": content}]
    assert message_text(messages) == "zero\n\none\ntwo"


@pytest.mark.parametrize("messages", [None, [], "text", [{"role": "user"}], [3]])
def test_messages_without_text_are_refused(messages):
    with pytest.raises(BadRequest, match="messages"):
        message_text(messages)


@pytest.mark.parametrize(
    "wrong",
    [
        "json_schema",
        {"type": "yaml"},
        {"type": "json_schema"},
        {"type": "json_schema", "json_schema": {"schema": {"type": "object"}}},
    ],
)
def test_an_unknown_response_format_is_refused(wrong):
    with pytest.raises(BadRequest, match="response_format"):
        understand("x", wrong)
