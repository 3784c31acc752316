"""`assay labels`: what is in a label file, how far people agree, and what it can certify."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from assay.config import Composition
from assay.data import LabelOptions, load_combined, load_labels, sniff
from assay.errors import InputError
from assay.protocol import agreement_among, class_outlook
from assay.reporting import print_label_summary, print_spellings, say_json, talk
from assay.schema import LabelSet


def labels(run: Composition, path: Path, *, options: LabelOptions, as_json: bool = False) -> int:
    """Read a label file and say what is in it.

    Args:
        run: Composition; the policy's bars decide what the counts can certify.
        path: Labels, or a combined file.
        options: How to read other people's columns and spellings.
        as_json: Print counts as JSON.

    Returns:
        0 for a file without a fault.

    Raises:
        LabelFileError: With every fault found.
        InputError: If the file holds something else than labels.
    """
    found = _load(path, options)
    counts = Counter(
        (x.dimension, found.agents.get(x.session_id, ""), x.result) for x in found.labels
    )
    agreement = agreement_among(found)
    per_dimension = {
        d: (
            sum(n for (dim, _, r), n in counts.items() if dim == d and r == "Pass"),
            sum(n for (dim, _, r), n in counts.items() if dim == d and r == "Fail"),
        )
        for d in found.dimensions
    }
    if as_json:
        say_json(
            {
                "file": str(path),
                "labels": len(found.labels),
                "unlabelled": found.unlabelled,
                "undecided": found.undecided,
                "aggregation": found.aggregation,
                "digest": found.digest,
                "spellings": {k: list(v) for k, v in found.spellings.items()},
                "counts": [
                    {"dimension": d, "agent": a or None, "result": r, "n": n}
                    for (d, a, r), n in sorted(counts.items())
                ],
            }
        )
        return 0
    print_spellings(found.spellings, title=f"labels in {found.source}")
    for notice in found.notices:
        talk(notice)
    print_label_summary(found, counts, agreement)
    for dimension, (passes, fails) in per_dimension.items():
        talk(f"{dimension}: {class_outlook(passes, fails, policy=run.config.policy)}")
    return 0


def _load(path: Path, options: LabelOptions) -> LabelSet:
    form = sniff(path)
    if form == "combined":
        return load_combined(path, spellings=options.spellings)[0]
    if form in {"pairs", "verdicts"}:
        message = f"{path}: holds {form}, not labels; give a file with a person's Pass and Fail."
        raise InputError(message)
    return load_labels(path, options=options)
