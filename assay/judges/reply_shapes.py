"""Which shape of reply is a judge asked for, as JSON schema and in words?

The order of the fields is the experiment: a judge that writes its reasons first
decides after them, one that writes the verdict first defends it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

Shape = Literal["verdict_only", "rationale_first", "verdict_first", "scratchpad"]
Mode = Literal["json_schema", "json_object", "plain"]
"""How an endpoint is asked for JSON: enforced schema, any JSON object, or words alone."""
MODES: tuple[Mode, ...] = ("json_schema", "json_object", "plain")
"""From the strictest to the one that every endpoint takes."""

_Field = tuple[dict[str, Any], str]
_TEXT: dict[str, Any] = {"type": "string"}
_VERDICT: _Field = ({"type": "string", "enum": ["Pass", "Fail"]}, '"Pass" or "Fail"')
_RATIONALE: _Field = (_TEXT, '"your reasons, each with the line it rests on"')
_FIELDS: dict[Shape, dict[str, _Field]] = {
    "verdict_only": {"verdict": _VERDICT},
    "rationale_first": {"rationale": _RATIONALE, "verdict": _VERDICT},
    "verdict_first": {"verdict": _VERDICT, "rationale": _RATIONALE},
    "scratchpad": {
        "evidence": (
            {"type": "array", "items": _TEXT},
            '["each line of the session that bears on the question, quoted", ...]',
        ),
        "anchors": (
            _TEXT,
            '"how this compares with the labelled examples, or that none are shown"',
        ),
        "for_pass": (_TEXT, '"the best honest case for Pass"'),
        "for_fail": (_TEXT, '"the best honest case for Fail"'),
        "verdict": _VERDICT,
        "doubt": (_TEXT, '"what would change this verdict"'),
    },
}
_PAIR_FIELDS: dict[str, _Field] = {
    "rationale": _RATIONALE,
    "winner": (
        {"type": "string", "enum": ["FIRST", "SECOND", "TIE"]},
        '"FIRST", "SECOND" or "TIE"',
    ),
}
_REASONS = (
    "rationale", "reason", "reasoning", "explanation",
    "evidence", "anchors", "for_pass", "for_fail", "doubt",
)  # fmt: skip


def reply_schema(shape: Shape) -> dict[str, Any]:
    """JSON schema of a reply of this shape; the field order is the order of writing."""
    return _schema(_FIELDS[shape])


def reply_words(shape: Shape) -> str:
    """The same shape in words, for the prompt; some endpoints enforce no schema."""
    return _words(_FIELDS[shape])


def pair_schema() -> dict[str, Any]:
    """JSON schema of the reply to a comparison of two candidates."""
    return _schema(_PAIR_FIELDS)


def pair_words() -> str:
    """The shape of the reply to a comparison, in words."""
    return _words(_PAIR_FIELDS)


def response_format(schema: dict[str, Any], mode: Mode) -> dict[str, Any] | None:
    """The `response_format` of a chat request; None asks in words alone."""
    if mode == "plain":
        return None
    if mode == "json_object":
        return {"type": "json_object"}
    return {
        "type": "json_schema",
        "json_schema": {"name": "verdict", "strict": True, "schema": schema},
    }


def rationale_of(values: Mapping[str, Any]) -> str:
    """What a reply gives as its reasons, as one text; the fields in their declared order."""
    parts: list[str] = []
    for name in _REASONS:
        value = values.get(name)
        if isinstance(value, list):
            value = "; ".join(str(v) for v in value)
        if isinstance(value, str) and value.strip():
            plain = name in {"rationale", "reason", "reasoning", "explanation"}
            parts.append(value.strip() if plain else f"{name}: {value.strip()}")
    return "\n".join(parts)


def _schema(fields: Mapping[str, _Field]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: schema for name, (schema, _) in fields.items()},
        "required": list(fields),
        "additionalProperties": False,
    }


def _words(fields: Mapping[str, _Field]) -> str:
    lines = ",\n".join(f'  "{name}": {words}' for name, (_, words) in fields.items())
    return (
        "Reply with one JSON object with these fields, in this order, and nothing else:\n"
        f"{{\n{lines}\n}}"
    )
