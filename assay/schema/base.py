"""What all records share: frozen, no unknown keys, no silent conversion, a content digest."""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field

T = TypeVar("T")

Many = Annotated[tuple[T, ...], Field(strict=False)]
"""A tuple that a list may fill, as JSON and YAML have no tuples; its items convert nothing."""


class Record(BaseModel):
    """Base of all records. A field's docstring is its description in the JSON schema.

    Strict: `"0.5"` is no number, `"off"` no boolean and `true` no 1, so a slip of the
    pen in a file is refused where it stands instead of being read as something else.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        use_attribute_docstrings=True,
        allow_inf_nan=False,
        validate_default=True,
    )


def canonical_json(value: Any) -> str:  # noqa: ANN401 - any JSON-ready value
    """JSON with sorted keys and no spare space, equal for equal values on any platform."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def digest(value: Any) -> str:  # noqa: ANN401 - a record or any JSON-ready value
    """SHA-256 of the canonical JSON of a record or JSON-ready value, as 64 hex digits."""
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json")
    return hashlib.sha256(canonical_json(value).encode("utf-8")).hexdigest()
