"""One model judges the composed configuration, whatever door it came through.

Hydra composes plain YAML; this module turns the result into frozen values or
one line per fault that names the key, what was got, and the nearest known key.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args

from pydantic import BaseModel, ValidationError

from assay.errors import ConfigError
from assay.schema import (
    DataSpec,
    JudgeSpec,
    PanelSpec,
    PolicySpec,
    Record,
    SplitSpec,
    TrackingSpec,
)


class AssayConfig(Record):
    """Everything that a run is made of."""

    judge: JudgeSpec
    panel: PanelSpec
    data: DataSpec
    split: SplitSpec
    policy: PolicySpec
    tracking: TrackingSpec
    out: str = "assay-out"
    """Folder for local results, relative to the start directory; MLflow gets a copy."""
    fail_fast: bool = False
    """Stop a sweep at its first failed job."""


@dataclass(frozen=True)
class Composition:
    """A composed configuration and what came with it."""

    config: AssayConfig
    yaml: str
    """The final composed values, as YAML."""
    overrides: tuple[str, ...]
    """What was set on the command line, in order."""
    search: tuple[Path, ...]
    """Folders of option files, the user's before the packaged one."""
    start: Path
    """Absolute folder that relative paths are resolved against."""

    def path(self, relative: str) -> Path:
        """A path of the configuration, resolved against the start folder."""
        return (self.start / Path(relative).expanduser()).resolve()

    def find(self, kind: str, name: str, suffix: str) -> Path:
        """File `<kind>/<name><suffix>` of the option folders.

        Raises:
            ConfigError: If no folder has it; names the ones there are.
        """
        for folder in self.search:
            candidate = folder / kind / f"{name}{suffix}"
            if candidate.is_file():
                return candidate
        there = sorted({p.stem for f in self.search for p in (f / kind).glob(f"*{suffix}")})
        close = difflib.get_close_matches(name, there, n=1)
        hint = f" Did you mean {close[0]}?" if close else ""
        known = f"there are: {', '.join(there)}." if there else "there is none of this kind."
        message = f"config: no file {kind}/{name}{suffix}; {known}{hint}"
        raise ConfigError(message)


def parse_config(composed: Mapping[str, Any]) -> AssayConfig:
    """Turn a composed configuration into frozen values.

    Args:
        composed: Plain containers, as Hydra composed and resolved them.

    Returns:
        The configuration.

    Raises:
        ConfigError: With one line per fault: key path, what was got, what to do.
    """
    try:
        return AssayConfig.model_validate(composed)
    except ValidationError as error:
        lines = [_explain(e["loc"], e["type"], e["msg"], e.get("input")) for e in error.errors()]
        raise ConfigError("\n".join(dict.fromkeys(lines))) from error


def _explain(location: tuple[int | str, ...], kind: str, message: str, got: object) -> str:
    path = ".".join(str(part) for part in location) or "the whole"
    key = str(location[-1]) if location else ""
    if kind == "extra_forbidden":
        known = _known_keys(location[:-1])
        close = difflib.get_close_matches(key, known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"known here: {', '.join(known)}."
        return f"config: unknown key {path!r}; {hint}"
    if kind == "missing":
        return f"config: {path} is missing; set {path}=..."
    if key == "api_key_env":
        # A key put here by mistake must not reach a terminal or a log.
        return (
            f"config: {path} must be the name of an environment variable, such as OPENAI_API_KEY, "
            "never the key itself; what was given is not shown"
        )
    if kind == "value_error":
        return f"config: {path}: {message.removeprefix('Value error, ')}"
    if kind == "string_type" and got is not None:
        # YAML has lost the spelling by now: 123E456 is infinity, 007 is 7, yes is true.
        example = str(got).lower() if isinstance(got, bool | int) else "123E456"
        hint = f"quote it as you wrote it, such as {path}='\"{example}\"'"
        return f"config: {path} must be text, got {_yaml_word(got)}; {hint}"
    if kind in _MUST_BE:
        hint = "; write it without quotes" if kind in _UNQUOTED and isinstance(got, str) else ""
        return f"config: {path} must be {_MUST_BE[kind]}, got {_yaml_word(got)}{hint}"
    return f"config: {path}: {message[0].lower()}{message[1:]}, got {_yaml_word(got)}"


_MUST_BE = {
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "model_type": "a group of keys",
    "string_pattern_mismatch": (
        "a name (letters, digits, '_', '.' and '-', a letter or digit first)"
    ),
}
"""pydantic's word for a wrong type, in the words of somebody who writes YAML."""
_UNQUOTED = {"int_type", "float_type", "bool_type"}
_SHOWN = 80


def _yaml_word(got: object) -> str:
    if got is None:
        return "null"
    if isinstance(got, bool):
        return f"the boolean {str(got).lower()}"
    if isinstance(got, int | float):
        return f"the number {got}"
    kind = "text" if isinstance(got, str) else "group" if isinstance(got, Mapping) else "list"
    shown = repr(cast("object", got))
    return f"the {kind} {shown if len(shown) <= _SHOWN else shown[: _SHOWN - 3] + '...'}"


def _known_keys(location: tuple[int | str, ...]) -> list[str]:
    model: type[BaseModel] = AssayConfig
    for part in location:
        if isinstance(part, int):
            continue
        field = model.model_fields.get(part)
        if field is None:
            return []
        candidates = [field.annotation, *get_args(field.annotation)]
        found = [c for c in candidates if isinstance(c, type) and issubclass(c, BaseModel)]
        if not found:
            return []
        model = found[0]
    return list(model.model_fields)
