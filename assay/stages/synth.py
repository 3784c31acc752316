"""`assay synth`: write the synthetic bench set, every record of which says so."""

from __future__ import annotations

from assay.bench import generate
from assay.config import Composition
from assay.data import write_jsonl
from assay.reporting import say, say_json


def synth(run: Composition, *, as_json: bool = False) -> int:
    """Write sessions.jsonl, labels.jsonl and pairs.jsonl into `data.dir`.

    Writing the same set again changes nothing; a different file in the way is
    refused, not overwritten.

    Args:
        run: Composition; `data.dir`, `data.size` and `data.seed` matter.
        as_json: Print one JSON object instead of sentences.

    Returns:
        0.

    Raises:
        InputError: If a file that differs is already there.
    """
    spec = run.config.data
    folder = run.path(spec.dir)
    made = generate(spec.size, spec.seed)
    files = {
        spec.sessions: made.sessions,
        spec.labels: made.labels,
        "pairs.jsonl": made.pairs,
    }
    for name, records in files.items():
        write_jsonl(folder / name, records)
    if as_json:
        counts = {name: len(records) for name, records in files.items()}
        say_json({"dir": str(folder), "synthetic": True, "records": counts})
        return 0
    agents = sorted({s.agent for s in made.sessions})
    tasks = len({s.task_id for s in made.sessions})
    say(
        f"SYNTHETIC bench set in {folder}: {len(made.sessions)} sessions on {tasks} tasks by "
        f"{', '.join(agents)}; {len(made.labels)} labels, {len(made.pairs)} pairs."
    )
    say("Labels follow from how each session was made; no person gave them.")
    return 0
