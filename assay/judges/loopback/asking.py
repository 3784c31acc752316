"""What was asked? The server knows only the text it was sent, and reads it here."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from assay.judges.loopback.planted import PromptFeatures
from assay.judges.reply_shapes import Shape

_OPENING = re.compile(
    r"^<<<(SESSION|ANCHOR|CANDIDATE FIRST|CANDIDATE SECOND) ([0-9a-f]{16})$", re.MULTILINE
)
_DIMENSION = re.compile(r"^Dimension: (\S+)[ \t]*$", re.MULTILINE)
_FIELD_IN_WORDS = re.compile(
    r'"(rationale|verdict|evidence|anchors|for_pass|for_fail|doubt|winner)"\s*:'
)
_STRICT_WORDS = "burden of proof"
_TEXT_FIELD: Mapping[str, Any] = {"type": "string"}


class BadRequest(Exception):  # noqa: N818 - it is a kind of reply, not a fault of ours
    """The request is not one that an OpenAI-compatible server takes."""

    def __init__(self, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.param = param


@dataclass(frozen=True)
class Block:
    """One delimited text of a prompt."""

    kind: str
    nonce: str
    body: str
    """What stands between the delimiters."""

    @cached_property
    def digest(self) -> bytes:
        """BLAKE2b of the text without its nonce: equal for equal work in any prompt and place."""
        bare = self.body.replace(self.nonce, "").encode("utf-8", "surrogatepass")
        return hashlib.blake2b(bare, digest_size=16).digest()


@dataclass(frozen=True)
class Asked:
    """One request, understood."""

    judged: tuple[Block, ...]
    """One session, two candidates (first, second), or nothing."""
    dimension: str | None
    features: PromptFeatures
    fields: Mapping[str, Mapping[str, Any]]
    """Field -> JSON schema of the reply, in the order asked for."""
    prompt: bytes
    """Digest of all that was sent beside the judged text."""


def message_text(messages: object) -> str:
    """All text of a chat request's messages.

    Raises:
        BadRequest: If they are not a non-empty list of messages with text.
    """
    if not isinstance(messages, list) or not messages:
        message = "'messages' must be a non-empty list."
        raise BadRequest(message, "messages")
    texts: list[str] = []
    for i, entry in enumerate(messages):
        content = entry.get("content") if isinstance(entry, dict) else None
        if isinstance(content, list):
            pieces = [part.get("text") for part in content if isinstance(part, dict)]
            content = "\n".join(piece for piece in pieces if isinstance(piece, str))
        if not isinstance(content, str):
            message = f"'messages[{i}].content' must be text."
            raise BadRequest(message, f"messages[{i}].content")
        texts.append(content)
    return "\n\n".join(texts)


def understand(text: str, response_format: object) -> Asked:
    """Read a request.

    Args:
        text: From `message_text`.
        response_format: As sent; None when absent.

    Returns:
        What is judged, on which dimension, by what kind of prompt, in which shape.

    Raises:
        BadRequest: If the response format is not known.
    """
    blocks, outside = split_blocks(text)
    judged = _judged(blocks)
    fields = _schema_fields(response_format) or _fields_in_words(outside, len(judged) == 2)
    dimension = _DIMENSION.findall(outside)
    anchors = any(block.kind == "ANCHOR" for block in blocks)
    rest = hashlib.blake2b(outside.encode("utf-8", "surrogatepass"), digest_size=16)
    for block in blocks:
        if block.kind == "ANCHOR":
            rest.update(block.digest)
    return Asked(
        judged=judged,
        dimension=dimension[-1] if dimension else None,
        features=PromptFeatures(
            reply=_shape(list(fields)),
            anchors=anchors,
            strict=_STRICT_WORDS in " ".join(outside.casefold().split()),
        ),
        fields=fields,
        prompt=rest.digest(),
    )


def split_blocks(text: str) -> tuple[list[Block], str]:
    """The outermost complete blocks of a prompt, and the text around them.

    A block within a block is part of its text: an example is never the judged
    session, and nothing that an agent wrote is read as part of the prompt.
    """
    blocks: list[Block] = []
    outside: list[str] = []
    at = 0
    search_from = 0
    while opening := _OPENING.search(text, search_from):
        kind, nonce = opening.groups()
        closing = f"\n{kind} {nonce}>>>"
        end = text.find(closing, opening.end())
        if end < 0:
            search_from = opening.end()
            continue
        outside.append(text[at : opening.start()])
        at = search_from = end + len(closing)
        blocks.append(Block(kind, nonce, text[opening.end() + 1 : end]))
    outside.append(text[at:])
    nonces = {block.nonce for block in blocks}
    around = "".join(outside)
    # The prompt may name its delimiter; that changes with the session, the prompt does not.
    for nonce in nonces:
        around = around.replace(nonce, "")
    return blocks, around


def _judged(blocks: Sequence[Block]) -> tuple[Block, ...]:
    last = {block.kind: block for block in blocks}
    first, second = last.get("CANDIDATE FIRST"), last.get("CANDIDATE SECOND")
    if first and second:
        return (first, second)
    return (last["SESSION"],) if "SESSION" in last else ()


def _schema_fields(response_format: object) -> Mapping[str, Mapping[str, Any]] | None:
    if response_format is None:
        return None
    kind = response_format.get("type") if isinstance(response_format, dict) else None
    if kind in {"json_object", "text"}:
        return None
    if kind != "json_schema":
        message = "'response_format.type' must be json_schema, json_object or text."
        raise BadRequest(message, "response_format")
    try:
        properties = response_format["json_schema"]["schema"]["properties"]  # type: ignore[index]
    except (KeyError, TypeError):
        properties = None
    if not isinstance(properties, dict) or not properties:
        message = "'response_format.json_schema.schema' must be an object with properties."
        raise BadRequest(message, "response_format")
    return {n: s if isinstance(s, dict) else _TEXT_FIELD for n, s in properties.items()}


def _fields_in_words(outside: str, pair: bool) -> Mapping[str, Mapping[str, Any]]:
    """Fields that the prompt shows as `"name": ...`, in that order; else the plain shape."""
    answer = "winner" if pair else "verdict"
    names = list(dict.fromkeys(_FIELD_IN_WORDS.findall(outside)))
    if answer not in names:
        names = ["rationale", answer]
    return {n: {"type": "array"} if n == "evidence" else _TEXT_FIELD for n in names}


def _shape(names: Sequence[str]) -> Shape:
    if "evidence" in names or "for_fail" in names:
        return "scratchpad"
    if "rationale" not in names:
        return "verdict_only"
    if "verdict" in names and names.index("verdict") < names.index("rationale"):
        return "verdict_first"
    return "rationale_first"
