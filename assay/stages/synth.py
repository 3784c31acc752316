"""`assay synth`: write the synthetic bench set, every record of which says so."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.bench import generate
from assay.config import Composition
from assay.data import write_jsonl
from assay.errors import InputError
from assay.reporting import say, say_json


@dataclass(frozen=True)
class Written:
    """What was written where."""

    folder: Path
    records: dict[str, int]
    """File name -> records."""
    sentence: str


def synth(run: Composition, *, as_json: bool = False) -> int:
    """Write sessions.jsonl, labels.jsonl and pairs.jsonl into `data.dir`.

    Args:
        run: Composition; `data.dir`, `data.size` and `data.seed` matter.
        as_json: Print one JSON object instead of sentences.

    Returns:
        0.

    Raises:
        InputError: If a file that differs is already there.
    """
    written = write_bench_set(run)
    if as_json:
        say_json({"dir": str(written.folder), "synthetic": True, "records": written.records})
        return 0
    say(written.sentence)
    say("Labels follow from how each session was made; no person gave them.")
    return 0


def write_bench_set(run: Composition) -> Written:
    """Make the set and write it; the same set again changes nothing.

    Raises:
        InputError: If a file that differs is already there.
    """
    spec = run.config.data
    folder = run.path(spec.dir)
    if spec.kind == "files":
        message = f"data={spec.name} names data of your own; write the set with data=synthetic."
        raise InputError(message)
    made = generate(spec.size, spec.seed)
    files = {
        spec.sessions: made.sessions,
        spec.labels: made.labels,
        "pairs.jsonl": made.pairs,
    }
    _refuse_foreign_folder(folder, set(files))
    for name, records in files.items():
        write_jsonl(folder / name, records)
    agents = ", ".join(sorted({s.agent for s in made.sessions}))
    tasks = len({s.task_id for s in made.sessions})
    sentence = (
        f"SYNTHETIC bench set in {folder}: {len(made.sessions)} sessions on {tasks} tasks by "
        f"{agents}; {len(made.labels)} labels, {len(made.pairs)} pairs."
    )
    return Written(folder, {name: len(records) for name, records in files.items()}, sentence)


def _refuse_foreign_folder(folder: Path, names: set[str]) -> None:
    # A forgotten data=files must not mix made-up sessions with somebody's labels.
    there = {p.name for p in folder.iterdir()} if folder.is_dir() else set[str]()
    ours = names <= there or not there
    if ours or not there - {"split"}:
        return
    listed = ", ".join(sorted(there)[:5])
    message = (
        f"{folder}: holds {listed}, but no whole bench set; nothing was written. For your own data "
        f"say data=files; for the synthetic set name an empty folder: data.dir=DIR."
    )
    raise InputError(message)
