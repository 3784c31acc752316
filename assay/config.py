"""One model judges the composed configuration, whatever door it came through.

Hydra composes plain YAML; this module turns the result into frozen values or
one line per fault that names the key, what was got, and the nearest known key.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

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
        message = f"config: no file {kind}/{name}{suffix}; there are: {', '.join(there)}.{hint}"
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
    path = ".".join(str(part) for part in location)
    if kind == "extra_forbidden":
        key = str(location[-1])
        close = difflib.get_close_matches(key, _known_keys(location[:-1]), n=1)
        known = ", ".join(_known_keys(location[:-1]))
        hint = f"did you mean {close[0]!r}?" if close else f"known here: {known}."
        return f"config: unknown key {path!r}; {hint}"
    if kind == "missing":
        return f"config: {path} is missing; set {path}=..."
    if kind == "string_type":
        word = _yaml_word(got)
        return f"config: {path} must be text, got {word}; quote it: {path}='\"{got}\"'"
    if kind == "value_error":
        return f"config: {path or 'config'}: {message.removeprefix('Value error, ')}"
    return f"config: {path}: {message[0].lower()}{message[1:]}, got {got!r}"


def _yaml_word(got: object) -> str:
    if isinstance(got, bool):
        return f"the boolean {str(got).lower()}"
    if isinstance(got, int | float):
        return f"the number {got}"
    return f"{type(got).__name__} {got!r}"


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
