"""What people and judges said about what an agent did: the records that files hold.

Pass is the positive class. A verdict that is neither Pass nor Fail is a state of
its own with a reason, never a Fail and never left out.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue, StringConstraints, model_validator

from assay.schema.base import Many, Record

_END = r"[^\s\u200B\u2060\uFEFF]"
Identifier = Annotated[str, StringConstraints(min_length=1, pattern=rf"^{_END}([^\n\r]*{_END})?$")]
"""Text of one line, kept as text: leading zeros and `1E5` survive.

No space at either end, and none of the invisible characters (zero-width space,
word joiner, byte-order mark) that make two equal-looking ids differ.
"""

Result = Literal["Pass", "Fail"]
"""A person's answer. Pass is the positive class."""

Outcome = Literal["pass", "fail", "abstained", "errored"]
"""A judge's answer: decided (pass, fail), a reply without a verdict, or no usable reply."""

Reason = Literal[
    # abstained: the judge replied, or the record has a row, but no usable verdict
    "unparseable", "ambiguous", "out_of_set", "out_of_range", "empty", "refused",
    "content_filtered", "truncated", "tie", "quorum_not_met", "not_recorded",
    # errored: no usable reply
    "prompt_truncated", "prompt_too_long", "timeout", "rate_limited", "quota", "auth",
    "bad_request", "bad_response", "server_error", "connection",
]  # fmt: skip
"""Why a verdict is no Pass and no Fail."""

ABSTAINED_REASONS: frozenset[str] = frozenset(
    {
        "unparseable", "ambiguous", "out_of_set", "out_of_range", "empty", "refused",
        "content_filtered", "truncated", "tie", "quorum_not_met", "not_recorded",
    }
)  # fmt: skip


class HumanLabel(Record):
    """A person's answer to one dimension's question about one session."""

    session_id: Identifier
    """The session judged."""
    dimension: Identifier
    """The question answered, by its short name."""
    result: Result
    """Pass or Fail. Pass is the positive class."""
    confidence: Annotated[float, Field(ge=0, le=1)] | None = None
    """How sure the annotator was, in [0, 1]."""
    notes: str = ""
    """The annotator's own words; never shown to a judge unless the label becomes an anchor."""
    annotator: Identifier | None = None
    """Who labelled; None when the file names nobody."""
    synthetic: bool = False
    """True when the label follows from how the session was made, not from a person."""


class Command(Record):
    """One command that the agent ran, in order."""

    command: str
    exit_code: int | None = None
    """None when it was not recorded."""
    output: str = ""
    """Standard output and error as recorded."""


class SuiteRun(Record):
    """One run of a test suite within the session."""

    command: str
    passed: Annotated[int, Field(ge=0)]
    """Tests that passed."""
    failed: Annotated[int, Field(ge=0)]
    """Tests that failed or broke."""
    output: str = ""


class Session(Record):
    """What one coding agent did on one task: the thing judged."""

    session_id: Identifier
    task_id: Identifier
    """Sessions on one task stay in one split."""
    agent: Identifier
    """Who did the work; figures are broken down by it."""
    agent_family: Identifier
    """Model family behind the agent, declared, compared with a judge's family."""
    task_prompt: str
    """What the agent was asked to do."""
    diff: str = ""
    """Unified diff of the whole session; empty when nothing was changed."""
    commands: Many[Command] = ()
    """In the order run."""
    test_results: Many[SuiteRun] = ()
    """In the order run."""
    final_message: str = ""
    """What the agent said at the end."""
    metadata: dict[str, JsonValue] = Field(default_factory=dict)
    """Free facts about the session; never shown to a judge."""
    synthetic: bool = False
    """True when the session was generated, not recorded."""


class PairLabel(Record):
    """A person's preference between two sessions on the same task."""

    pair_id: Identifier
    dimension: Identifier = "overall"
    session_a: Identifier
    session_b: Identifier
    winner: Literal["A", "B", "tie"]
    """The better session by candidate name, whatever the order it was shown in."""
    agent_a: Identifier | None = None
    agent_b: Identifier | None = None
    confidence: Annotated[float, Field(ge=0, le=1)] | None = None
    notes: str = ""
    annotator: Identifier | None = None
    synthetic: bool = False


class Usage(Record):
    """Tokens as reported by the endpoint; None is unknown, never 0."""

    prompt_tokens: Annotated[int, Field(ge=0)] | None = None
    """Tokens of the prompt whose reply was kept."""
    completion_tokens: Annotated[int, Field(ge=0)] | None = None
    """Tokens of the reply that was kept."""


class Verdict(Record):
    """One judge's answer to one dimension's question about one session."""

    session_id: Identifier
    dimension: Identifier
    judge: Identifier
    """Who gave it: a panel, one of its members, or a recorded column."""
    family: Identifier | None = None
    """The judge's declared model family; None for panels and unknown recorded judges."""
    outcome: Outcome
    """pass and fail are decided; abstained and errored are neither, and never a fail."""
    reason: Reason | None = None
    """Why there is no Pass or Fail; None exactly when there is one."""
    detail: str = ""
    """What the endpoint or the parser said about an abstention, error or repair."""
    rationale: str = ""
    """The judge's reasons, where the reply has some."""
    raw_text: str = ""
    """The reply as received, kept whatever came of it."""
    prompt_fingerprint: str | None = None
    """Digest of everything that can change the reply; None for recorded verdicts."""
    served_model: str | None = None
    """The model name that the endpoint reported."""
    usage: Usage = Usage()
    """Tokens of the request whose reply was kept."""
    cost_usd: Annotated[float, Field(ge=0)] | None = None
    """Cost over all attempts; None is unknown."""
    latency_s: Annotated[float, Field(ge=0)] | None = None
    """Wall seconds over all attempts."""
    attempts: Annotated[int, Field(ge=0)] = 0
    """Requests sent for this verdict; 0 for recorded and panel verdicts."""
    repeat: Annotated[int, Field(ge=0)] = 0
    """0 for the first asking of a question, 1 for the next, and so on."""
    simulated: bool = False
    """True when no real model gave this verdict."""

    @model_validator(mode="after")
    def _reason_fits_outcome(self) -> Self:
        decided = self.outcome in {"pass", "fail"}
        if decided and self.reason is not None:
            message = f"outcome {self.outcome} takes no reason, got {self.reason!r}"
            raise ValueError(message)
        if not decided and self.reason is None:
            message = f"outcome {self.outcome} needs a reason"
            raise ValueError(message)
        if not decided and (self.outcome == "abstained") != (self.reason in ABSTAINED_REASONS):
            message = f"reason {self.reason!r} does not go with outcome {self.outcome}"
            raise ValueError(message)
        return self


class PairVerdict(Record):
    """One judge's choice between two candidates, asked in both orders."""

    pair_id: Identifier
    dimension: Identifier = "overall"
    judge: Identifier
    family: Identifier | None = None
    ab: Literal["A", "B", "tie"] | None = None
    """Choice with A shown first, by candidate name; None is no usable verdict."""
    ba: Literal["A", "B", "tie"] | None = None
    """Choice with B shown first, by candidate name; None is no usable verdict."""
    simulated: bool = False
    """True when no real model gave this verdict."""


class Anchor(Record):
    """A labelled example shown to the judge; comes from the train split only."""

    session: Session
    label: HumanLabel
