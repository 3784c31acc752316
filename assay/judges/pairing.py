"""How are two candidates put side by side, and whose letter is the winner's?

A judge sees FIRST and SECOND only. The answer is mapped back to candidates A and B
here, once, so nothing later has to know which order was shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assay.judges.rendering import choose_nonce, render_candidates, visible_texts
from assay.judges.reply import PAIRWISE, Reading, read_reply
from assay.judges.reply_shapes import pair_words
from assay.judges.template import Message, parse_template
from assay.schema import Criterion, Session

Order = Literal["ab", "ba"]
"""Which candidate stands first."""
Winner = Literal["A", "B", "tie"]


@dataclass(frozen=True)
class PairReading:
    """A choice between two candidates, by candidate name."""

    winner: Winner | None
    """None when the reply held no usable choice."""
    reading: Reading
    """What was read, in terms of FIRST and SECOND."""


def render_pair(
    first: Session,
    second: Session,
    *,
    criterion: Criterion,
    template: str,
    source: str = "prompt/pairwise.md",
    extra_instruction: str = "",
) -> tuple[Message, ...]:
    """Messages that ask which of two candidates is better.

    Args:
        first: Shown first.
        second: Shown second.
        criterion: The question and its conditions.
        template: Text of the prompt file; `{{ session }}` becomes both candidates.
        source: The file's name, for messages.
        extra_instruction: Shown where the file says so.

    Returns:
        A system and a user message.

    Raises:
        ConfigError: If the template is faulty.
    """
    values = {
        "question": criterion.question,
        "pass_when": criterion.pass_when,
        "fail_when": criterion.fail_when,
        "dimension": criterion.dimension,
        "anchors": "",
        "extra_instruction": extra_instruction,
        "reply_format": pair_words(),
    }
    nonce = choose_nonce(*visible_texts(first), *visible_texts(second), *values.values())
    candidates = render_candidates(first, second, nonce=nonce)
    return parse_template(template, source=source).fill(values | {"session": candidates})


def read_pair_reply(
    text: str | None, *, order: Order, finish_reason: str | None = None, refusal: str | None = None
) -> PairReading:
    """Read the reply to a comparison and name the winner by candidate.

    Args:
        text: The message's content as received.
        order: `ab` when A was shown first.
        finish_reason: Why the endpoint stopped.
        refusal: The message's refusal field.

    Returns:
        The winner as A, B or tie, or none with the reading's reason.
    """
    reading = read_reply(text, finish_reason=finish_reason, refusal=refusal, form=PAIRWISE)
    first: Winner
    second: Winner
    first, second = ("A", "B") if order == "ab" else ("B", "A")
    named: dict[str | None, Winner] = {"FIRST": first, "SECOND": second, "TIE": "tie"}
    return PairReading(named.get(reading.label), reading)
