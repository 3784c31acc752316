"""Composition: from command-line words to frozen values, and from values to a stage.

The only room that imports hydra and omegaconf. It composes plain YAML, lets one
pydantic model judge the result, and knows where `conf/` lies in a checkout and
in an installed wheel.
"""

from assay.app.composing import compose, conf_dir
from assay.app.doors import run_door
from assay.app.flags import Flags, parse_flags
from assay.app.sweeping import expand_sweep

__all__ = ["Flags", "compose", "conf_dir", "expand_sweep", "parse_flags", "run_door"]
