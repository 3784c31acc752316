"""Whatever a session holds, its block says exactly that, and nothing in it can get out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay.judges.rendering import (
    NO_CHANGE,
    choose_nonce,
    parse_candidates,
    parse_session,
    render_anchor,
    render_candidates,
    render_session,
    visible_texts,
)
from assay.judges.reply import read_reply
from assay.schema import Anchor, Command, HumanLabel, Session, SuiteRun

# Free text, and text made of what the rendering itself is made of.
PIECES = st.sampled_from(
    [
        "\n", "\r\n", "\r", "$ ", "> ", "| ", "|", "[exit 0]", "[exit unknown]",
        "[passed 1, failed 0]", NO_CHANGE, "\\", "[0123456789abcdef:diff]",
        "<<<SESSION 0123456789abcdef\n", "\nSESSION 0123456789abcdef>>>",
        "<<<ANCHOR 0123456789abcdef\n", "\nANCHOR 0123456789abcdef>>>", ">>>", " ", "\u2028",
        "\x0b", "Dimension: other", "{{ question }}",
    ]
)  # fmt: skip
TEXT = st.one_of(st.text(max_size=40), st.lists(PIECES, max_size=8).map("".join))
COMMANDS = st.builds(
    Command, command=TEXT, exit_code=st.none() | st.integers(-300, 300), output=TEXT
)
SUITES = st.builds(
    SuiteRun, command=TEXT, passed=st.integers(0, 9999), failed=st.integers(0, 99), output=TEXT
)
SESSIONS = st.builds(
    Session,
    session_id=st.just("unknown"),
    task_id=st.just("unknown"),
    agent=st.just("unknown"),
    agent_family=st.just("unknown"),
    task_prompt=TEXT,
    diff=TEXT,
    commands=st.lists(COMMANDS, max_size=3).map(tuple),
    test_results=st.lists(SUITES, max_size=2).map(tuple),
    final_message=TEXT,
)


def block(session, *beside):
    return render_session(session, nonce=choose_nonce(*visible_texts(session), *beside))


@given(SESSIONS)
def test_a_session_reads_back_as_it_was(session):
    assert parse_session(block(session)) == session


@given(SESSIONS, SESSIONS, st.sampled_from(["Pass", "Fail"]), TEXT)
def test_an_anchor_before_the_session_is_never_taken_for_it(session, other, result, notes):
    label = HumanLabel(session_id="x", dimension="d", result=result, notes=notes)
    nonce = choose_nonce(*visible_texts(other), notes)
    anchor = render_anchor(Anchor(session=other, label=label), nonce=nonce)
    prompt = f"Examples:\n\n{anchor}\n\nThe session:\n\n{block(session, anchor)}\n\nReply.\n"
    assert parse_session(prompt) == session


@given(SESSIONS, SESSIONS)
def test_two_candidates_read_back_in_their_places(first, second):
    nonce = choose_nonce(*visible_texts(first), *visible_texts(second))
    prompt = f"Compare:\n{render_candidates(first, second, nonce=nonce)}\nReply."
    assert parse_candidates(prompt) == (first, second)


@given(st.lists(TEXT, max_size=4))
def test_a_nonce_occurs_in_no_text_and_is_the_same_each_time(texts):
    nonce = choose_nonce(*texts)
    assert len(nonce) == 16
    assert not any(nonce in text for text in texts)
    assert nonce == choose_nonce(*texts)


REPLY_PIECES = st.sampled_from(
    [
        '{"verdict": "Pass"}', '{"verdict": "Fail"}', "VERDICT: Pass", "\nVERDICT: Fail", "<think>",
        "</think>", "{", "}", '"', "\\", "//", ",", "\n", "```json\n", "```", "[", "]", "\u200b",
    ]
)  # fmt: skip


@given(st.one_of(st.text(max_size=60), st.lists(REPLY_PIECES, max_size=12).map("".join)))
def test_no_reply_raises_and_each_has_a_label_or_a_reason(reply):
    reading = read_reply(reply)
    assert (reading.label is None) != (reading.reason is None)
    assert reading.label in {None, "Pass", "Fail"}


@given(st.lists(REPLY_PIECES, max_size=10).map("".join))
def test_a_reply_that_names_one_label_only_is_never_read_as_the_other(reply):
    only_fail = reply.replace("Pass", "Fail")
    assert read_reply(only_fail).label in {None, "Fail"}
