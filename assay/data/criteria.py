"""The questions: dimensions with their weights, read as opaque text.

YAML would turn `no` into a boolean and `12:30` into a number. Here every
unquoted scalar stays the text that was written; only the weight is a number.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from assay.data.faults import Faults
from assay.data.records_in import describe
from assay.data.text import read_text
from assay.errors import ConfigError
from assay.schema import Criterion

_TOLERANCE = 1e-6


def load_criteria(path: Path) -> tuple[Criterion, ...]:
    """Read the criteria of a bench.

    Args:
        path: YAML with a list under `criteria`.

    Returns:
        Criteria in file order; their weights add up to 1.

    Raises:
        InputError: If the file cannot be opened.
        ConfigError: If it is not YAML of this shape, a key is missing or
            unknown, a dimension comes twice, or the weights do not add up.
    """
    import yaml

    text = read_text(path)
    try:
        # BaseLoader keeps scalars as the text they were written as.
        loaded: Any = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 - builds text only
    except yaml.YAMLError as error:
        message = f"{path.name}: not YAML: {str(error).splitlines()[0]}."
        raise ConfigError(message) from error
    if not isinstance(loaded, dict) or set(cast("dict[str, Any]", loaded)) != {"criteria"}:
        message = f"{path.name}: expected one key, criteria, with a list under it."
        raise ConfigError(message)
    entries = cast("dict[str, Any]", loaded)["criteria"]
    if not isinstance(entries, list) or not entries:
        message = f"{path.name}: criteria must be a list with at least one entry."
        raise ConfigError(message)
    faults = Faults(path.name)
    criteria = [c for entry in cast("list[Any]", entries) if (c := _read(entry, faults))]
    names = [c.dimension for c in criteria]
    for name in sorted({n for n in names if names.count(n) > 1}):
        faults.add(None, f"dimension {name!r} comes twice.")
    total = sum(c.weight for c in criteria)
    if not len(faults) and abs(total - 1) > _TOLERANCE:
        faults.add(None, f"the weights add up to {total:g}; they must add up to 1.")
    if len(faults):
        raise ConfigError("\n".join(faults.sentences))
    return tuple(criteria)


def _read(entry: Any, faults: Faults) -> Criterion | None:  # noqa: ANN401
    if not isinstance(entry, dict):
        faults.add(None, f"each criterion is a mapping, got {entry!r}.")
        return None
    values = dict(cast("dict[str, Any]", entry))
    try:
        values["weight"] = float(values.get("weight", ""))
    except (TypeError, ValueError):
        faults.add(None, f"weight must be a number in (0, 1], got {values.get('weight')!r}.")
        return None
    try:
        return Criterion.model_validate(values)
    except ValidationError as error:
        for one in error.errors():
            faults.add(None, f"{values.get('dimension', '?')}: {describe(one, Criterion)}")
        return None
