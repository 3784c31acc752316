"""`assay demo`: the whole story on synthetic data, in one folder, without a key.

Makes the synthetic set, splits it, sweeps five prompt variants over a panel of
three SIMULATED families, and prints which one the labels support.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.reporting import say
from assay.stages.sweep import SweepJob, sweep

VARIANTS = ("baseline", "strict", "few_shot", "scratchpad", "commit_first")


def demo(jobs: Sequence[SweepJob], *, as_json: bool = False) -> int:
    """Run the demo's jobs, then say what was seen.

    Args:
        jobs: One per variant, composed to start in the demo's folder.
        as_json: Print the leader table as JSON.

    Returns:
        The sweep's exit code.
    """
    code = sweep(jobs, as_json=as_json)
    if not as_json:
        say(
            "These judges are SIMULATED and err at planted rates: the table shows how the bench "
            "works, not how any real model does.\n"
            "Next: assay validate --labels LABELS --verdicts VERDICTS for verdicts you have, or "
            "assay dev panel=openai for a judge of your own (see README)."
        )
    return code
