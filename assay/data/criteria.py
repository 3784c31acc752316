"""The questions: dimensions with their weights, read as opaque text.

YAML would turn `no` into a boolean and `12:30` into a number, and would keep
the last of two equal keys. Here every scalar stays the text that was written,
`${x}` included; only the weight is a number.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from assay.data.faults import Faults
from assay.data.records_in import describe
from assay.data.text import read_text
from assay.errors import ConfigError
from assay.schema import Criterion

if TYPE_CHECKING:
    import yaml

_TOLERANCE = 1e-6
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})


def load_criteria(path: Path) -> tuple[Criterion, ...]:
    """Read the criteria of a bench.

    Args:
        path: YAML with a list under `criteria`.

    Returns:
        Criteria in file order; their weights add up to 1.

    Raises:
        InputError: If the file cannot be opened.
        ConfigError: If it is not YAML of this shape, a key is missing, unknown
            or doubled, a text is blank, a dimension comes twice, or the weights
            do not add up; with every fault found, each at its line.
    """
    faults = Faults(path.name)
    criteria: list[Criterion] = []
    seen: dict[str, int] = {}
    for entry in _entries(_root(path), faults):
        line = entry.start_mark.line + 1
        found = _read(entry, faults)
        if found is None:
            continue
        first = seen.setdefault(found.dimension, line)
        if first != line:
            what = f"dimension {found.dimension!r} comes twice; the first is at line {first}."
            faults.add(line, what)
        criteria.append(found)
    total = math.fsum(c.weight for c in criteria)
    if not len(faults) and abs(total - 1) > _TOLERANCE:
        faults.add(None, f"the weights add up to {total:g}; they must add up to 1.")
    if len(faults):
        raise ConfigError("\n".join(faults.sentences))
    return tuple(criteria)


def _root(path: Path) -> yaml.Node | None:
    import yaml

    text = read_text(path)
    try:
        # Nodes keep the text and the line of each scalar; nothing is constructed from them.
        return yaml.compose(text, Loader=yaml.BaseLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        message = f"{path.name}:{line}: not YAML: {error.problem or error.context}."
        raise ConfigError(message) from error
    except (yaml.YAMLError, RecursionError) as error:
        message = f"{path.name}: not YAML: {str(error).splitlines()[0]}."
        raise ConfigError(message) from error


def _entries(root: yaml.Node | None, faults: Faults) -> list[yaml.Node]:
    import yaml

    found = _mapping(root, faults) if isinstance(root, yaml.MappingNode) else {}
    if set(found) != {"criteria"}:
        there = f", got {', '.join(sorted(found))}" if found else ""
        faults.add(None, f"expected one key, criteria, with a list under it{there}.")
        return []
    entries = found["criteria"]
    if not isinstance(entries, yaml.SequenceNode) or not entries.value:
        line = entries.start_mark.line + 1
        faults.add(line, "criteria must be a list with at least one entry.")
        return []
    return entries.value


def _mapping(node: yaml.MappingNode, faults: Faults) -> dict[str, yaml.Node]:
    found: dict[str, yaml.Node] = {}
    for key, value in node.value:
        name = str(key.value)
        if name in found:
            faults.add(key.start_mark.line + 1, f"key {name!r} stands twice; keep one.")
        found[name] = value
    return found


def _read(entry: yaml.Node, faults: Faults) -> Criterion | None:
    import yaml

    line = entry.start_mark.line + 1
    if not isinstance(entry, yaml.MappingNode):
        faults.add(line, f"each criterion is a mapping, got {entry.value!r}.")
        return None
    before = len(faults)
    values: dict[str, Any] = {}
    lines: dict[str, int] = {}
    for name, node in _mapping(entry, faults).items():
        lines[name] = node.start_mark.line + 1
        values[name] = _scalar(node, name, faults)
    if "weight" in values and isinstance(values["weight"], str):
        values["weight"] = _weight(values["weight"], lines["weight"], faults)
    if len(faults) > before:
        return None
    try:
        return Criterion.model_validate(values)
    except ValidationError as error:
        for one in error.errors():
            at = lines.get(str(one["loc"][0]), line) if one["loc"] else line
            faults.add(at, f"{values.get('dimension', '?')}: {describe(one, Criterion)}")
        return None


def _scalar(node: yaml.Node, name: str, faults: Faults) -> str | None:
    import yaml

    line = node.start_mark.line + 1
    if not isinstance(node, yaml.ScalarNode):
        faults.add(line, f"{name} must be a text, got a list or mapping; quote it.")
        return None
    text = str(node.value)
    if not node.style and text in _NULLS:
        faults.add(line, f"{name} is null; give a text, or quote it if it is the text.")
    elif not text.strip():
        faults.add(line, f"{name} is blank; give a text.")
    return text


def _weight(text: str, line: int, faults: Faults) -> float | None:
    try:
        weight = float(text)
    except ValueError:
        weight = math.nan
    if not 0 < weight <= 1:
        faults.add(line, f"weight must be a number above 0 and at most 1, got {text!r}.")
        return None
    return weight
