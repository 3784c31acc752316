"""Reports for machines: strict JSON, where null stands beside its reason and NaN does not exist."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import PurePath

from pydantic import BaseModel, JsonValue

from assay.schema import ValidationReport


def report_json(report: ValidationReport) -> str:
    """A report as indented strict JSON.

    Args:
        report: Any report.

    Returns:
        JSON; an undefined rate or figure is `"value": null` with `"undefined": "<reason>"`.
    """
    return strict_json(report)


def strict_json(value: object, *, indent: int | None = 2, ascii_only: bool = False) -> str:
    """Records, dataclasses, named tuples and plain containers as strict JSON.

    Args:
        value: What to write. Keys keep their order.
        indent: Spaces per level; None writes one line.
        ascii_only: Escape everything beyond ASCII, for streams of unknown encoding.

    Returns:
        JSON. NaN and infinity, which JSON does not have, become null.

    Raises:
        TypeError: If something has no JSON form; a fault of the caller.
    """
    return json.dumps(plain_value(value), indent=indent, ensure_ascii=ascii_only, allow_nan=False)


def plain_value(value: object) -> JsonValue:
    """The same content as dicts, lists, text and numbers."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value):
        return {f.name: plain_value(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        names: tuple[str, ...] = value._fields  # pyright: ignore[reportAttributeAccessIssue]
        return {name: plain_value(item) for name, item in zip(names, value, strict=True)}
    if isinstance(value, Mapping):
        return {str(key): plain_value(item) for key, item in value.items()}
    if isinstance(value, AbstractSet):
        return sorted((plain_value(item) for item in value), key=repr)
    if isinstance(value, Sequence):
        return [plain_value(item) for item in value]
    if isinstance(value, PurePath):
        return str(value)
    message = f"strict_json: no JSON form for {type(value).__name__}"
    raise TypeError(message)
