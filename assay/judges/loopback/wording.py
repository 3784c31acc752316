"""The words of a simulated judge: a verdict with reasons that quote the session.

The words follow from the verdict, right or wrong, as a real judge's do; they say
nothing about whether it is right.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.schema import Session

MARK = "[simulated]"
"""First word of every rationale, so that one quoted elsewhere still says what it is."""
_LONGEST_QUOTE = 120


@dataclass(frozen=True)
class Quotes:
    """Lines of one session that a rationale can rest on."""

    change: str
    """A changed line of the diff, or that there is none."""
    run: str
    """Command and result of the last test run, or that there is none."""
    claim: str
    """First line of the final message."""


def quotes(session: Session) -> Quotes:
    """Pick the lines that a rationale about this session can rest on."""
    line = _changed_line(session.diff)
    change = f'the diff has "{_cut(line)}"' if line else "the diff changes nothing"
    if session.test_results:
        last = session.test_results[-1]
        counts = f"{last.passed} passed, {last.failed} failed"
        run = f'the last test run was "{_cut(last.command)}" with {counts}'
    elif session.commands:
        run = (
            f'no test result is shown; the last command was "{_cut(session.commands[-1].command)}"'
        )
    else:
        run = "no command is shown"
    lines = [x.strip() for x in session.final_message.splitlines()]
    # A heading says nothing.
    said = next((x for x in lines if x and not x.startswith("#")), "")
    claim = f'the final message says "{_cut(said)}"' if said else "there is no final message"
    return Quotes(change, run, claim)


def _changed_line(diff: str) -> str:
    """The last changed line of the program itself, else of any file."""
    found = {True: "", False: ""}
    program = False
    for line in diff.splitlines():
        if line.startswith("+++"):
            program = line.endswith(".py") and "test" not in line
        elif line[:1] in {"+", "-"} and line[1:].strip() and not line.startswith("---"):
            found[program] = line
    return found[True] or found[False]


def _cut(line: str) -> str:
    line = line.strip()
    return line if len(line) <= _LONGEST_QUOTE else line[: _LONGEST_QUOTE - 3] + "..."


# dimension -> (what is quoted, what is made of it for Pass, for Fail)
_CASES: Mapping[str, tuple[str, str, str]] = {
    "correctness": (
        "{change}, and {run}",
        "the case that the task describes is now handled",
        "a case that the task describes is still handled wrongly",
    ),
    "verification": (
        "{run}, and {claim}",
        "what is claimed can be followed in the transcript",
        "the transcript does not bear out that the work was checked to the end",
    ),
    "completeness": (
        "{change}, and {claim}",
        "each item that the task lists can be found in the diff",
        "an item that the task lists is not to be found in the diff",
    ),
    "code_quality": (
        "{change}",
        "the added lines are clear and in the style of the file",
        "the added lines are not fit to be merged as they read",
    ),
    "minimal_diff": (
        "{change}",
        "the changed lines all serve the task",
        "lines were touched that the task does not need",
    ),
}
_ANY_CASE = ("{change}, and {run}", "this meets the question", "this does not meet the question")


def verdict_values(verdict: str, dimension: str, seen: Quotes, *, anchors: bool) -> dict[str, Any]:
    """All fields that a verdict's reply may be asked for.

    Args:
        verdict: Pass or Fail.
        dimension: What was asked.
        seen: Lines to quote.
        anchors: Whether labelled examples were shown.

    Returns:
        Field -> value.
    """
    base, for_pass, for_fail = _CASES.get(dimension, _ANY_CASE)
    found = base.format(change=seen.change, run=seen.run, claim=seen.claim)
    made_of_it, other = (for_pass, for_fail) if verdict == "Pass" else (for_fail, for_pass)
    return {
        "verdict": verdict,
        "rationale": f"{MARK} {found[:1].upper()}{found[1:]}; {made_of_it}.",
        "evidence": [seen.change, seen.run, seen.claim],
        "anchors": f"{MARK} " + ("Held against the examples shown." if anchors else "None shown."),
        "for_pass": f"{MARK} One can say that {for_pass}.",
        "for_fail": f"{MARK} One can say that {for_fail}.",
        "doubt": f"{MARK} A second look might find that {other}.",
    }


def winner_values(winner: str, first: Quotes, second: Quotes) -> dict[str, Any]:
    """All fields that a comparison's reply may be asked for."""
    preferred = {"FIRST": "the first is preferred", "SECOND": "the second is preferred"}
    outcome = preferred.get(winner, "neither is preferred")
    return {
        "winner": winner,
        "rationale": (
            f"{MARK} Of the first, {first.change}; of the second, {second.change}; {outcome}."
        ),
    }


def unknown_values(why: str) -> dict[str, Any]:
    """The reply of a judge that knows nothing about what it was shown: no verdict."""
    return {"verdict": "Unknown", "winner": "Unknown", "rationale": f"simulated judge: {why}"}


def reply_text(values: Mapping[str, Any], fields: Mapping[str, Mapping[str, Any]]) -> str:
    """The reply as JSON, with the fields asked for, in that order.

    Args:
        values: Field -> value; fields that were not asked for are left out.
        fields: Field -> JSON schema; one without a value gets an empty one of its type.

    Returns:
        A JSON object.
    """
    reply = {name: values.get(name, _blank(schema)) for name, schema in fields.items()}
    return json.dumps(reply, ensure_ascii=False)


def _blank(schema: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any JSON value
    blanks = {"array": [], "object": {}, "boolean": False, "integer": 0, "number": 0}
    return blanks.get(str(schema.get("type")), "")
