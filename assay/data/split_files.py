"""The split on disk: one manifest, and one label file per part.

There is a reader for the labels of train and of dev. There is none for test:
what cannot be called cannot leak.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import ValidationError

from assay.data.files import write_json, write_jsonl
from assay.data.labels import load_labels
from assay.data.strict_json import parse_json
from assay.data.text import read_text
from assay.data.votes import rule_behind
from assay.errors import InputError, LabelFileError, LeakageError
from assay.schema import HumanLabel, LabelSet, SplitManifest, SplitPart, digest

TuningPart = Literal["train", "dev"]
"""The parts whose labels may be read while a judge is being tuned."""

MANIFEST = "split.json"


def write_split(folder: Path, manifest: SplitManifest, parts: Mapping[str, LabelSet]) -> None:
    """Write split.json and one label file per part.

    A part whose annotators are named gets a second file with their votes. The
    manifest comes last: a folder with split.json holds all parts. Writing the
    same split again changes nothing.

    Args:
        folder: Folder for the files; made when missing.
        manifest: Who is where, with digests.
        parts: train, dev and test -> their labels.

    Raises:
        InputError: If another split is already there.
    """
    path = folder / MANIFEST
    if path.exists() and read_manifest(folder) != manifest:
        message = (
            f"{path}: another split is already there (other labels, sessions or settings), and a "
            f"second one would mix what was tuned on with what is tested on; use another "
            f"data.dir, or delete the folder if nothing was measured on it."
        )
        raise InputError(message)
    for name, labels in parts.items():
        write_jsonl(folder / _labels_file(name), _rows(labels))
        if labels.votes:
            write_jsonl(folder / _votes_file(name), labels.votes)
    write_json(path, manifest)


def read_manifest(folder: Path) -> SplitManifest:
    """Read split.json.

    Raises:
        InputError: If it is not there.
        LabelFileError: If it is no split manifest.
    """
    path = folder / MANIFEST
    if not path.exists():
        message = f"{path}: no such file; run assay split first."
        raise InputError(message)
    try:
        return SplitManifest.model_validate(parse_json(read_text(path)))
    except (ValidationError, ValueError) as error:
        reason = str(error).splitlines()[0]
        if isinstance(error, ValidationError):
            first = error.errors()[0]
            reason = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
        message = f"{path}: not a split manifest: {reason}; run assay split again."
        raise LabelFileError([message]) from error


def read_tuning_labels(folder: Path, part: TuningPart) -> LabelSet:
    """Labels of train or dev, from that part's own file.

    Args:
        folder: Folder of the split.
        part: "train" or "dev".

    Returns:
        The labels that were split, with their votes, agents and tasks.

    Raises:
        LeakageError: For any other part, whatever a type checker was told, and
            for a file that holds another part's sessions.
        LabelFileError: If the file changed since the split.
    """
    if part not in get_args(TuningPart):
        message = f"labels of {part!r} cannot be read here; only train and dev are for tuning."
        raise LeakageError(message)
    manifest = read_manifest(folder)
    entry = manifest.train if part == "train" else manifest.dev
    _check_entry(folder, part, entry)
    labels = load_labels(folder / _labels_file(part))
    _check_ids(labels.source, part, entry, labels.labels)
    if labels.digest != entry.labels_digest:
        message = (
            f"{folder / _labels_file(part)}: changed since the split (digest "
            f"{labels.digest[:12]}, split.json says {entry.labels_digest[:12]}); restore it, or "
            f"split again elsewhere."
        )
        raise LabelFileError([message])
    return _with_votes(folder, part, entry, labels)


def _with_votes(folder: Path, part: TuningPart, entry: SplitPart, labels: LabelSet) -> LabelSet:
    path = folder / _votes_file(part)
    if not path.exists():
        return replace(labels, votes=(), aggregation="single")
    votes = load_labels(path).votes
    _check_ids(path.name, part, entry, votes)
    several = len({v.annotator for v in votes}) > 1
    voted = {(v.session_id, v.dimension) for v in votes}
    return replace(
        labels,
        votes=votes,
        aggregation=rule_behind(votes, labels.labels) if several else "single",
        undecided=len(voted - {(x.session_id, x.dimension) for x in labels.labels}),
    )


def _check_entry(folder: Path, part: TuningPart, entry: SplitPart) -> None:
    # Another name in the manifest would be a way to another part's labels.
    if entry.labels_file != _labels_file(part):
        message = (
            f"{folder / MANIFEST}: {part} names {entry.labels_file} instead of "
            f"{_labels_file(part)}; restore split.json, or split again elsewhere."
        )
        raise LeakageError(message)
    if digest(sorted(entry.session_ids)) != entry.digest:
        message = (
            f"{folder / MANIFEST}: the sessions of {part} changed since the split; restore it, or "
            f"split again elsewhere."
        )
        raise LabelFileError([message])


def _check_ids(name: str, part: str, entry: SplitPart, labels: tuple[HumanLabel, ...]) -> None:
    strangers = sorted({x.session_id for x in labels} - set(entry.session_ids))
    if strangers:
        message = (
            f"{name}: {len(strangers)} sessions are not in {part} ({', '.join(strangers[:3])}); "
            f"restore the file, or split again elsewhere."
        )
        raise LeakageError(message)


def _labels_file(part: str) -> str:
    return f"labels.{part}.jsonl"


def _votes_file(part: str) -> str:
    return f"votes.{part}.jsonl"


def _rows(labels: LabelSet) -> Iterator[dict[str, Any]]:
    """Labels with what else is known of their sessions, so that each part stands alone."""
    for label in labels.labels:
        agent = labels.agents.get(label.session_id)
        family = labels.families.get(agent) if agent is not None else None
        beside = {"agent": agent, "agent_family": family}
        beside["task_id"] = labels.groups.get(label.session_id)
        known = {name: value for name, value in beside.items() if value is not None}
        yield label.model_dump(mode="json") | known
