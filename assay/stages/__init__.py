"""One verb, one file: the only place where services meet.

Each stage reads top to bottom like the protocol it carries out, prints its
result through `reporting`, and returns an exit code. Known failures are raised
as `AssayError` and printed by the door.
"""

from assay.stages.demo import VARIANTS as DEMO_VARIANTS
from assay.stages.demo import demo
from assay.stages.dev import dev
from assay.stages.gold import gold_check
from assay.stages.labels import labels
from assay.stages.reap import reap
from assay.stages.split import split
from assay.stages.sweep import SweepJob, sweep
from assay.stages.synth import synth
from assay.stages.validate import VerdictSource, validate

__all__ = [
    "DEMO_VARIANTS",
    "SweepJob",
    "VerdictSource",
    "demo",
    "dev",
    "gold_check",
    "labels",
    "reap",
    "split",
    "sweep",
    "synth",
    "validate",
]
