"""`-m judge=baseline,strict panel=poll,solo`: the jobs of a sweep, in Hydra's own grammar.

The grammar and its iteration are Hydra's; the loop over jobs is ours, so that
all jobs share one process, one failed job does not hide another, and every job
lands in the MLflow run it should.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

from assay.app.composing import unreadable
from assay.app.flags import Flags
from assay.errors import ConfigError


def expand_sweep(flags: Flags) -> list[Flags]:
    """One Flags per job, in the order of the sweep's product.

    Args:
        flags: Flags with `multirun`; overrides may hold choices and ranges.

    Returns:
        At least one job; each without `multirun`.

    Raises:
        ConfigError: If an override cannot be read or uses glob(...).
    """
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.core.override_parser.types import ValueType
    from hydra.errors import HydraException

    parser = OverridesParser.create()
    axes: list[list[str]] = []
    for word in flags.overrides:
        try:
            parsed = parser.parse_override(word)
        except HydraException as error:
            raise ConfigError(unreadable(word)) from error
        if not parsed.is_sweep_override():
            axes.append([word])
            continue
        if parsed.value_type == ValueType.GLOB_CHOICE_SWEEP:
            message = f"{word}: glob() is not supported; name the options: judge=baseline,strict."
            raise ConfigError(message)
        key = word.partition("=")[0]
        axes.append([f"{key}={value}" for value in parsed.sweep_string_iterator()])
    # `judge=strict,strict` is one job, not a comparison.
    jobs = dict.fromkeys(itertools.product(*axes))
    return [replace(flags, overrides=job, multirun=False) for job in jobs]
