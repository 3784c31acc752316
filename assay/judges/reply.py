"""Which verdict does a reply give, if it gives one?

A verdict is the value of a JSON key, or of a tag at the start of a line, that
equals one declared label in full. A list of options, a negated label or a word
that ends like the tag is none. Two verdicts that differ are ambiguous: a later
one is never beaten by an earlier one, nor the other way round. A reply without a
verdict is an abstention with a reason, never a Fail.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from assay.judges.json_search import FoundObject, Members, find_objects, strict_object
from assay.judges.reply_cleaning import drop_thinking, normalise
from assay.judges.reply_shapes import rationale_of
from assay.schema import Reason

PARSER_VERSION = "1"
"""Part of every prompt fingerprint: raised whenever a reply could be read differently."""


@dataclass(frozen=True)
class ReplyForm:
    """What counts as an answer: the labels, and where they may stand."""

    labels: Mapping[str, tuple[str, ...]]
    """Label -> other spellings of it; the label's own name always counts."""
    keys: tuple[str, ...]
    """JSON keys that hold the answer."""
    tags: tuple[str, ...]
    """Words that introduce the answer at the start of a line, before a colon."""


BINARY = ReplyForm(
    labels={"Pass": ("passed",), "Fail": ("failed",)},
    keys=("verdict",),
    tags=("verdict", "final verdict"),
)
PAIRWISE = ReplyForm(
    labels={"FIRST": (), "SECOND": (), "TIE": ()},
    keys=("winner",),
    tags=("winner", "final winner"),
)


@dataclass(frozen=True)
class Reading:
    """What was read from one reply: a label, or the reason why there is none."""

    label: str | None
    """A declared label, in its declared spelling."""
    reason: Reason | None = None
    """None exactly when there is a label."""
    detail: str = ""
    """Why there is no label, or which mends the JSON needed."""
    rationale: str = ""
    as_asked: bool = False
    """True when the whole reply was one valid JSON object with a declared label."""

    @property
    def breaks_schema(self) -> bool:
        """True when an endpoint that enforced the schema could not have sent this reply."""
        return not self.as_asked and self.reason in {
            None, "unparseable", "ambiguous", "out_of_set",
        }  # fmt: skip


@dataclass(frozen=True)
class _Answer:
    """A value that stands where a verdict belongs."""

    label: str | None
    """None when it equals no declared label."""
    shown: str


def read_reply(
    text: str | None,
    *,
    finish_reason: str | None = None,
    refusal: str | None = None,
    reasoning: str | None = None,
    max_tokens: int | None = None,
    form: ReplyForm = BINARY,
) -> Reading:
    """Read one reply of a chat endpoint.

    Args:
        text: The message's content as received.
        finish_reason: Why the endpoint stopped; read before the text.
        refusal: The message's refusal field.
        reasoning: Text of a reasoning field. No verdict is ever taken from it.
        max_tokens: The cap that was asked for, for messages.
        form: Labels, keys and tags that count.

    Returns:
        The label, or none with a reason of an abstention.
    """
    if finish_reason == "length":
        cap = "the token cap" if max_tokens is None else f"max_tokens={max_tokens}"
        return Reading(None, "truncated", f"reply cut off at {cap}; raise judge.max_tokens")
    if finish_reason == "content_filter":
        return Reading(None, "content_filtered", "the endpoint's content filter stopped the reply")
    if refusal and refusal.strip():
        return Reading(None, "refused", refusal.strip())
    normal = normalise(text or "")
    if not normal.strip():
        return Reading(None, "empty", _empty_detail(reasoning))
    members = strict_object(normal)
    if members is not None:
        # A think tag within a string of a sound object is text, not thinking.
        return _decide(_from_members(members, form), form, rationale_of(members), as_asked=True)
    cleaned = drop_thinking(normal)
    if not cleaned.text.strip():
        end = "is never closed" if cleaned.unclosed_thinking else "is all there is"
        detail = f"the think block {end}; raise judge.max_tokens or turn thinking off"
        return Reading(None, "empty", detail)
    return _read_text(cleaned.text, form)


def _empty_detail(reasoning: str | None) -> str:
    if reasoning and reasoning.strip():
        return (
            f"the content is empty but the reasoning field holds {len(reasoning)} characters; "
            "turn the model's thinking off, or raise judge.max_tokens"
        )
    return "the reply has no text"


def _read_text(text: str, form: ReplyForm) -> Reading:
    objects = find_objects(text)
    broken = [o for o in objects if o.members is None and _names_key(text[o.start : o.end], form)]
    answers: list[_Answer] = []
    reasons: list[str] = []
    repairs: list[str] = []
    for found in objects:
        if found.members is None:
            continue
        given = list(_from_members(found.members, form))
        if given:
            repairs += found.repairs
            reasons.append(rationale_of(found.members))
        answers += given
    rest = _without(text, objects)
    answers += _from_tags(rest, form)
    if broken:
        what = "is unfinished" if broken[0].end == len(text) else "is not valid JSON"
        return Reading(None, "unparseable", f"an object with the key {form.keys[0]!r} {what}")
    rationale = "\n".join(r for r in reasons if r) or _prose(rest, form)
    used = ", ".join(dict.fromkeys(repairs))
    return _decide(answers, form, rationale, detail=f"repaired: {used}" if used else "")


def _decide(
    given: Iterable[_Answer],
    form: ReplyForm,
    rationale: str,
    *,
    detail: str = "",
    as_asked: bool = False,
) -> Reading:
    answers = list(given)
    labels = dict.fromkeys(a.label for a in answers)
    if not labels:
        wanted = f"no key or line tag {form.keys[0]!r} with one of {', '.join(form.labels)}"
        return Reading(None, "unparseable", wanted, rationale)
    if len(labels) > 1:
        shown = ", ".join(dict.fromkeys(a.shown for a in answers))
        return Reading(None, "ambiguous", f"more than one verdict: {shown}", rationale)
    (label,) = labels
    if label is None:
        shown = ", ".join(dict.fromkeys(a.shown for a in answers))
        message = f"{shown} is none of {', '.join(form.labels)}"
        return Reading(None, "out_of_set", message, rationale)
    return Reading(label, None, detail, rationale, as_asked)


def _from_members(members: Members, form: ReplyForm) -> Iterator[_Answer]:
    for key, value in members.pairs:
        if key.strip().casefold() in form.keys:
            answer = _answer(value, form)
            if answer:
                yield answer


def _from_tags(text: str, form: ReplyForm) -> Iterator[_Answer]:
    for line in _tag_line(form).finditer(text):
        answer = _answer(line["value"], form) if line["value"].strip("*_ \t") else None
        if answer:
            yield answer


def _prose(text: str, form: ReplyForm) -> str:
    return _tag_line(form).sub("", text.replace(_OBJECT_MARK, "")).strip()


def _tag_line(form: ReplyForm) -> re.Pattern[str]:
    # Only emphasis and a heading mark may stand before the tag: in a quotation or
    # in the middle of a sentence it is somebody else's verdict.
    tags = "|".join(re.escape(tag) for tag in form.tags)
    return re.compile(
        rf"^[ \t]*(?:#{{1,6}}[ \t]+)?[*_]{{0,3}}(?:{tags})[*_]{{0,3}}[ \t]*[:=][ \t]*"
        r"(?P<value>[^\n]*)$",
        re.IGNORECASE | re.MULTILINE,
    )


def _answer(value: Any, form: ReplyForm) -> _Answer | None:  # noqa: ANN401 - a JSON value
    """The answer that a value gives; None when it only lists the options."""
    if not isinstance(value, str):
        return _Answer(None, repr(value))
    bare = _bare(value)
    known = {
        spelling.casefold(): label
        for label, others in form.labels.items()
        for spelling in (label, *others)
    }
    if bare in known:
        return _Answer(known[bare], known[bare])
    # Whole tokens: `Not Applicable` does not hold the label `Applicable Not`, nor
    # does `bypass` hold `pass`.
    words = re.findall(r"\w+", bare)
    named = {known[word] for word in words if word in known}
    listed = len(named) > 1 and not set(words).difference(known, _JOINERS)
    return None if listed else _Answer(None, repr(value.strip()[:80]))


_JOINERS = frozenset({"or", "and", "either", "one", "of", "the", "a", "versus", "vs"})


def _bare(value: str) -> str:
    folded = value.casefold().strip().strip("*_`\"'\u201c\u201d\u2018\u2019 \t")
    return folded.rstrip(".,;:!\u3002*_`\"' \t").strip()


def _names_key(text: str, form: ReplyForm) -> bool:
    keys = "|".join(re.escape(key) for key in form.keys)
    return re.search(rf"[\"'](?:{keys})[\"']\s*:", text, re.IGNORECASE) is not None


_OBJECT_MARK = "\ufffc"


def _without(text: str, objects: tuple[FoundObject, ...]) -> str:
    """The text beside the objects; a mark stands for each, so no new line starts there."""
    pieces: list[str] = []
    position = 0
    for found in objects:
        pieces += [text[position : found.start], _OBJECT_MARK]
        position = found.end
    return "".join([*pieces, text[position:]])
