"""One reading of the command line for all three doors.

`assay dev judge=strict` writes Hydra overrides; `mlflow run -P judge=strict`
hands parameters over as `--judge strict`, quoted by a shell. Both become the
same list of overrides here. A value that Hydra's grammar cannot read when it
comes as a flag is quoted for it, since a flag's value is always meant literally.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from assay.errors import ConfigError

FREE_TEXT_KEYS = ("judge.extra_instruction", "tracking.note")
"""Keys whose value is prose: never swept over, never interpolated, taken verbatim."""

GROUPS = ("judge", "panel", "data", "split", "policy", "tracking")
"""Configuration groups: folders of `conf/`, whose options are named, not set."""

_SWITCHES = {"-m": "multirun", "--multirun": "multirun", "--json": "json", "--cfg": "cfg"}


@dataclass(frozen=True)
class Flags:
    """What was asked, apart from the verb."""

    overrides: tuple[str, ...] = ()
    """Hydra overrides, as given or rewritten from flags."""
    multirun: bool = False
    json: bool = False
    show_config: bool = False
    """Print the composed configuration and stop."""
    config_dir: Path | None = None
    """A further folder of options beside the packaged ones."""
    texts: dict[str, str] = field(default_factory=dict)
    """Values of free-text keys, taken out before Hydra sees them."""


def parse_flags(argv: list[str]) -> Flags:
    """Read overrides and flags in any order.

    Args:
        argv: Words after the verb: `key=value`, `--key value`, `--key=value`,
            `-m`, `--json`, `--cfg`, `--config-dir DIR`. An empty value of a flag
            means the default.

    Returns:
        The flags; overrides keep their order.

    Raises:
        ConfigError: If a flag lacks its value or an override cannot be read.
    """
    multirun = "-m" in argv or "--multirun" in argv
    overrides: list[str] = []
    texts: dict[str, str] = {}
    seen: dict[str, bool] = {}
    config_dir: Path | None = None
    words = iter(argv)
    for word in words:
        if word in _SWITCHES:
            seen[_SWITCHES[word]] = True
            # Hydra's spelling is `--cfg job`; the word after it says nothing more here.
            if word == "--cfg":
                next(words, None)
        elif word.startswith("--"):
            key, value = _flag(word, words)
            if value == "":
                continue
            if key == "config-dir":
                config_dir = Path(value)
            elif key in FREE_TEXT_KEYS:
                texts[key] = value
            else:
                overrides.append(_literal(key, value, sweeping=multirun or key in GROUPS))
        elif word.startswith("-"):
            message = f"{word}: unknown flag; use key=value, --key value, -m, --json or --cfg job."
            raise ConfigError(message)
        else:
            key, _, _ = word.partition("=")
            if key.lstrip("+") in FREE_TEXT_KEYS:
                texts[key.lstrip("+")] = _free_text(word)
            else:
                overrides.append(word)
    return Flags(
        overrides=tuple(overrides),
        multirun=multirun,
        json=seen.get("json", False),
        show_config=seen.get("cfg", False),
        config_dir=config_dir,
        texts=texts,
    )


def quoted(value: str) -> str:
    """A value quoted for Hydra's grammar, whatever characters it holds."""
    # The grammar un-escapes only backslashes that stand before a quote, so only
    # those are doubled: the ones before an inner quote and those at the end.
    body = re.sub(r"(\\*)'", lambda run: run[1] * 2 + r"\'", value)
    trailing = len(body) - len(body.rstrip("\\"))
    return f"'{body}" + "\\" * trailing + "'"


def working_form(key: str, value: str) -> str:
    """An override as it can be typed in a shell, quoted for Hydra and for the shell."""
    word = f"{key}={quoted(value)}"
    return shlex.quote(word) if re.search(r'["$`\\!]', word) else f'"{word}"'


def readable(override: str) -> bool:
    """Whether Hydra's grammar can read an override as it stands."""
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import HydraException

    try:
        OverridesParser.create().parse_override(override)
    except HydraException:
        return False
    return True


def _flag(word: str, words: Iterator[str]) -> tuple[str, str]:
    key, equals, value = word[2:].partition("=")
    if equals:
        return key, value
    following = next(words, None)
    if following is None:
        message = f"--{key}: needs a value; write --{key} VALUE or {key}=VALUE."
        raise ConfigError(message)
    return key, following


def _literal(key: str, value: str, *, sweeping: bool) -> str:
    plain = f"{key}={value}"
    if readable(plain) and (sweeping or "," not in value or value[0] in "'\"[{"):
        return plain
    return f"{key}={quoted(value)}"


def _free_text(word: str) -> str:
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import HydraException

    from assay.app.composing import unreadable

    key, _, value = word.partition("=")
    try:
        parsed = OverridesParser.create().parse_override(word)
    except HydraException as error:
        raise ConfigError(unreadable(word)) from error
    if parsed.is_sweep_override():
        message = (
            f"{key.lstrip('+')}: a comma in free text would start a sweep; "
            f"quote the text: {working_form(key, value)}"
        )
        raise ConfigError(message)
    read = parsed.value()
    if not isinstance(read, str):
        # `note=12` or a quoted string object of Hydra's own.
        text = getattr(read, "text", None)
        if text is None:
            form = working_form(key, value)
            message = f"{key.lstrip('+')} must be text, got {read!r}; quote it: {form}"
            raise ConfigError(message)
        return str(text)
    return read
