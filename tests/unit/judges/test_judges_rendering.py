"""The block as it stands in a prompt, to the letter, and what is refused."""

from __future__ import annotations

import re

import pytest

from assay.errors import ConfigError, InputError
from assay.judges import judge_sessions
from assay.judges.client import Endpoint
from assay.judges.keys import Key
from assay.judges.rendering import (
    NO_CHANGE,
    choose_nonce,
    parse_candidates,
    parse_session,
    render_session,
)
from assay.judges.retry import RetryPolicy
from assay.schema import Command, PanelSpec, Session, SuiteRun
from tests.scripted_endpoint import CRITERION, JUDGE, TEMPLATE, sessions

NONCE = "0123456789abcdef"
SESSION = Session(
    session_id="id-7",
    task_id="task-7",
    agent="atlas-coder",
    agent_family="atlas",
    task_prompt="Fix it.\nAdd a test.",
    commands=(
        Command(command="ls\n-l", exit_code=None, output="a\n\nb"),
        Command(command="true", exit_code=0),
    ),
    test_results=(SuiteRun(command="pytest", passed=3, failed=0, output="3 passed"),),
    final_message="Done.",
    metadata={"secret": "x"},
)
# Written by hand from the description of the form.
BLOCK = f"""<<<SESSION {NONCE}
[{NONCE}:task]
Fix it.
Add a test.
[{NONCE}:diff]
(no change was made)
[{NONCE}:commands]
$ ls
> -l
[exit unknown]
| a
|\x20
| b
$ true
[exit 0]
[{NONCE}:tests]
$ pytest
[passed 3, failed 0]
| 3 passed
[{NONCE}:final_message]
Done.
SESSION {NONCE}>>>"""


def test_a_session_is_rendered_to_the_letter_and_without_who_did_it():
    assert render_session(SESSION, nonce=NONCE) == BLOCK


def test_the_last_complete_block_outside_all_others_is_the_judged_one():
    other = BLOCK.replace("Done.", "Not this one.")
    inner = BLOCK.replace(NONCE, "f" * 16).replace("Done.", "Nor this.")
    wrapped = f"<<<ANCHOR {'a' * 16}\n{inner}\nANCHOR {'a' * 16}>>>"
    read = parse_session(f"{other}\n{BLOCK}\n{wrapped}\n<<<SESSION {'b' * 16}\nnever closed")
    assert read.final_message == "Done."


def test_a_diff_that_reads_like_no_change_stays_a_diff():
    for diff in (NO_CHANGE, "\\" + NO_CHANGE, ""):
        session = SESSION.model_copy(update={"diff": diff})
        assert parse_session(render_session(session, nonce=NONCE)).diff == diff


def test_a_nonce_differs_where_the_texts_are_cut_differently():
    assert choose_nonce("ab", "c") != choose_nonce("a", "bc")


def test_a_nonce_within_the_text_is_refused():
    with pytest.raises(InputError, match="occurs in the judged text"):
        render_session(SESSION.model_copy(update={"diff": f"+{NONCE}"}), nonce=NONCE)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("no block", "no complete <<<SESSION"),
        (BLOCK.removesuffix(">>>"), "no complete <<<SESSION"),
        (BLOCK.replace(f"[{NONCE}:tests]\n", ""), "lacks a section"),
        (BLOCK.replace("$ ls", "ls"), "expected a line starting"),
        (BLOCK.replace("[exit 0]", "[exit zero]"), "no result line after the command 'true'"),
        (BLOCK.replace("[passed 3, failed 0]\n", ""), "no result line after the command 'pytest'"),
    ],
)
def test_what_is_no_block_of_this_form_is_refused(text, words):
    with pytest.raises(InputError, match=re.escape(words)):
        parse_session(text)


def test_a_comparison_needs_both_candidates():
    first = BLOCK.replace("SESSION", "CANDIDATE FIRST")
    with pytest.raises(InputError, match="no complete <<<CANDIDATE SECOND"):
        parse_candidates(first)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("localhost:8000/v1", "must look like"),
        ("ftp://host/v1", "must look like"),
        ("http:///v1", "must look like"),
        ("http://host:99999/v1", "must look like"),
        ("http://[::1/v1", "must look like"),
        ("http://user:hidden@host/v1", "name that in api_key_env"),
    ],
)
def test_an_address_that_cannot_work_is_refused_without_showing_a_secret(url, words):
    with pytest.raises(ConfigError, match=words) as caught:
        Endpoint(url, key=Key(None), policy=RetryPolicy(1, 1.0), max_in_flight=1)
    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"kind": "recorded", "verdicts": "v.jsonl"}, "read from a file"),
        (
            {
                "kind": "simulated",
                "members": [
                    {"name": "p", "model": "x", "family": "f"},
                    {"name": "q", "model": "x", "family": "f"},
                ],
            },
            "bears the panel's name",
        ),
    ],
)
def test_a_panel_that_cannot_be_asked_is_refused(values, words):
    with pytest.raises(ConfigError, match=words):
        judge_sessions(
            sessions(1),
            [CRITERION],
            judge=JUDGE,
            template=TEMPLATE,
            panel=PanelSpec.model_validate({"name": "p"} | values),
            anchors={},
        )
