"""The split on disk: one manifest, and one label file per part.

There is a reader for the labels of train and of dev. There is none for test:
what cannot be called cannot leak.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, get_args

from pydantic import ValidationError

from assay.data.files import write_jsonl, write_record
from assay.data.labels import load_labels
from assay.data.text import read_text
from assay.errors import InputError, LabelFileError, LeakageError
from assay.schema import LabelSet, SplitManifest

TuningPart = Literal["train", "dev"]
"""The parts whose labels may be read while a judge is being tuned."""

MANIFEST = "split.json"


def write_split(folder: Path, manifest: SplitManifest, parts: Mapping[str, LabelSet]) -> None:
    """Write split.json and one label file per part.

    Writing the same split again changes nothing.

    Args:
        folder: Folder for the files; made when missing.
        manifest: Who is where, with digests.
        parts: train, dev and test -> their labels; all votes are kept.

    Raises:
        InputError: If another split is already there.
    """
    path = folder / MANIFEST
    if path.exists() and read_manifest(folder) != manifest:
        message = (
            f"{path}: another split is already there, and a second one would mix what was "
            f"tuned on with what is tested on; use another data.dir, or delete the folder "
            f"if nothing was measured on it."
        )
        raise InputError(message)
    for name, labels in parts.items():
        part = getattr(manifest, name)
        write_jsonl(folder / part.labels_file, labels.votes or labels.labels)
    write_record(path, manifest)


def read_manifest(folder: Path) -> SplitManifest:
    """Read split.json.

    Raises:
        InputError: If it is not there.
        LabelFileError: If it is no split manifest.
    """
    path = folder / MANIFEST
    try:
        return SplitManifest.model_validate(json.loads(read_text(path)))
    except (ValidationError, ValueError) as error:
        first = str(error).splitlines()[0]
        message = f"{path}: not a split manifest: {first}; run assay split again."
        raise LabelFileError([message]) from error


def read_tuning_labels(folder: Path, part: TuningPart) -> LabelSet:
    """Labels of train or dev, from that part's own file.

    Args:
        folder: Folder of the split.
        part: "train" or "dev".

    Returns:
        The labels, equal to those that were split.

    Raises:
        LeakageError: For any other part, whatever a type checker was told.
        LabelFileError: If the file changed since the split.
    """
    if part not in get_args(TuningPart):
        message = f"labels of {part!r} cannot be read here; only train and dev are for tuning."
        raise LeakageError(message)
    manifest = read_manifest(folder)
    entry = manifest.train if part == "train" else manifest.dev
    labels = load_labels(folder / entry.labels_file)
    if labels.digest != entry.labels_digest:
        message = (
            f"{folder / entry.labels_file}: changed since the split (digest {labels.digest[:12]}, "
            f"split.json says {entry.labels_digest[:12]}); restore it, or split again elsewhere."
        )
        raise LabelFileError([message])
    return labels
