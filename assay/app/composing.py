"""Compose `conf/` with overrides, and explain what cannot be composed.

Value overrides are handed to Hydra as forced additions, so that the one judge
of keys is the pydantic model: it names the nearest known key, and a default
that a YAML file leaves out can still be set.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.app.flags import FREE_TEXT_KEYS, GROUPS, Flags, quoted, working_form
from assay.config import Composition, parse_config
from assay.errors import ConfigError, InputError


def conf_dir() -> Path:
    """Folder of the packaged configuration: inside the wheel, else in the checkout.

    Raises:
        InputError: If neither is there, which means a broken installation.
    """
    package = Path(__file__).resolve().parents[1]
    for candidate in (package / "conf", package.parent / "conf"):
        if (candidate / "config.yaml").is_file():
            return candidate
    message = f"{package}: no conf/ folder in or beside it; reinstall assayers-bench."
    raise InputError(message)


def compose(flags: Flags, *, start: Path) -> Composition:
    """Compose the configuration and have it judged.

    Args:
        flags: Overrides and texts of one job; no sweep.
        start: Folder that relative paths are resolved against.

    Returns:
        The composition: frozen values, their YAML, and where option files lie.

    Raises:
        ConfigError: If an override cannot be read, names an unknown option or
            key, or gives a wrong type.
    """
    import yaml
    from hydra import compose as hydra_compose
    from hydra import initialize_config_dir
    from hydra.core.global_hydra import GlobalHydra
    from hydra.errors import HydraException
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    base = conf_dir()
    search = _search_path(base, flags.config_dir, start)
    words = [_forced(word) for word in flags.overrides]
    if len(search) > 1:
        words.append(f"hydra.searchpath=[{quoted('file://' + str(search[0]))}]")
    # Hydra keeps one global instance; a host program's own must survive ours.
    before = GlobalHydra.instance().hydra
    GlobalHydra.instance().clear()
    try:
        with initialize_config_dir(config_dir=str(base), version_base="1.3"):
            composed = hydra_compose(config_name="config", overrides=words)
        container = OmegaConf.to_container(composed, resolve=True, throw_on_missing=True)
    except HydraException as error:
        raise ConfigError(_explain(error, flags.overrides, search)) from error
    except yaml.YAMLError as error:
        first = " ".join(str(error).split())
        message = f"config: an option file is no YAML: {first}"
        raise ConfigError(message) from error
    except OmegaConfBaseException as error:
        first = str(error).splitlines()[0]
        message = f"config: {first}. Long or special text belongs in a file, not in YAML values."
        raise ConfigError(message) from error
    finally:
        GlobalHydra.instance().clear()
        if before is not None:
            GlobalHydra.instance().initialize(before)
    plain = _with_texts(container, flags.texts)
    config = parse_config(plain)
    given = tuple(flags.overrides) + tuple(f"{k}={quoted(v)}" for k, v in flags.texts.items())
    return Composition(
        config=config, yaml=_yaml(config), overrides=given, search=search, start=start
    )


def unreadable(override: str) -> str:
    """The message for an override that Hydra's grammar refuses, with the working form."""
    key, equals, value = override.partition("=")
    if not equals:
        return f"{override}: not an override; write key=value, such as judge=strict."
    where = "prose belongs in a file or in quotes" if key in FREE_TEXT_KEYS else "quote the value"
    form = working_form(key, value)
    return f"{override}: Hydra cannot read this value; {where}: {form}"


def _search_path(base: Path, config_dir: Path | None, start: Path) -> tuple[Path, ...]:
    if config_dir is None:
        return (base,)
    extra = (start / config_dir).resolve()
    if not extra.is_dir():
        message = (
            f"--config-dir {config_dir}: not a folder; give one with judge/, panel/, prompt/..."
        )
        raise ConfigError(message)
    return (extra, base)


def _forced(word: str) -> str:
    key = word.partition("=")[0]
    if "=" not in word or key[:1] in "+~" or key in GROUPS or key.startswith("hydra"):
        return word
    return f"++{word}"


def _with_texts(container: Any, texts: Mapping[str, str]) -> dict[str, Any]:  # noqa: ANN401
    plain: dict[str, Any] = dict(container)
    for key, value in texts.items():
        group, _, leaf = key.partition(".")
        plain[group] = {**plain[group], leaf: value}
    return plain


def _yaml(config: Any) -> str:  # noqa: ANN401
    import yaml

    return yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False, allow_unicode=True)


def _explain(error: Exception, overrides: Sequence[str], search: Sequence[Path]) -> str:
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import HydraException, OverrideParseException

    parser = OverridesParser.create()
    for word in overrides:
        try:
            parsed = parser.parse_override(word)
        except HydraException:
            return unreadable(word)
        if parsed.is_sweep_override():
            key, _, value = word.partition("=")
            form = working_form(key, value)
            return f"{word}: several values; add -m to sweep over them, or quote: {form}"
        key, _, value = word.partition("=")
        if key in GROUPS and value not in (options := options_of(key, search)):
            close = difflib.get_close_matches(value, options, n=1)
            hint = f" Did you mean {close[0]}?" if close else ""
            return f"{word}: no such option; {key} is one of: {', '.join(options)}.{hint}"
    text = str(error).splitlines()[0]
    kind = "override" if isinstance(error, OverrideParseException) else "composition"
    return f"config: {kind} failed: {text}"


def options_of(group: str, search: Sequence[Path]) -> list[str]:
    """Names of the options of a configuration group, sorted."""
    return sorted({p.stem for folder in search for p in (folder / group).glob("*.yaml")})
