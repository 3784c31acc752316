"""What a dev run starts from: dev labels, train anchors, sessions, criteria, prompt.

Everything here comes from the train and dev parts. There is no path to a test
label: the loader is typed to the two parts it may open.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assay.config import Composition
from assay.data import (
    load_criteria,
    load_sessions,
    read_manifest,
    read_text,
    read_tuning_labels,
)
from assay.errors import ConfigError, InputError
from assay.protocol import choose_anchors
from assay.schema import Anchor, Criterion, LabelSet, Session, SplitManifest, SplitSpec
from assay.stages.bench_set import ensure_split
from assay.stages.split import with_session_facts


@dataclass(frozen=True)
class DevInputs:
    """All that a dev run may see."""

    manifest: SplitManifest
    labels: LabelSet
    """Labels of the dev part."""
    sessions: tuple[Session, ...]
    """Sessions of the dev part, in file order."""
    criteria: tuple[Criterion, ...]
    template: str
    """The prompt file's text."""
    anchors: Mapping[str, tuple[Anchor, ...]]
    """Few-shot examples per dimension, from train only."""

    @property
    def dimensions_of(self) -> dict[str, frozenset[str]]:
        """session_id -> dimensions that have a label: others need no verdict."""
        found: dict[str, set[str]] = {}
        for label in self.labels.labels:
            found.setdefault(label.session_id, set()).add(label.dimension)
        return {session_id: frozenset(of) for session_id, of in found.items()}


def load_dev_inputs(run: Composition) -> DevInputs:
    """Load what a dev run may see, and nothing else.

    Args:
        run: Composition.

    Returns:
        The inputs.

    Raises:
        InputError: If a file is missing or faulty.
        ConfigError: If the split on disk was made with other settings.
        LeakageError: If a few-shot example would come from outside train.
    """
    config = run.config
    folder = ensure_split(run)
    manifest = read_manifest(folder / "split")
    _check_split(manifest, config.split)
    dev_ids, train_ids = set(manifest.dev.session_ids), set(manifest.train.session_ids)
    everything = load_sessions(folder / config.data.sessions)
    known = {s.session_id: s for s in everything if s.session_id in dev_ids | train_ids}
    if unknown := sorted((dev_ids | train_ids) - set(known)):
        message = (
            f"{folder / config.data.sessions}: {len(unknown)} sessions of the split are not in "
            f"it ({', '.join(unknown[:3])}); split again or restore the file."
        )
        raise InputError(message)
    labels = with_session_facts(read_tuning_labels(folder / "split", "dev"), tuple(known.values()))
    judged = tuple(s for s in everything if s.session_id in dev_ids)
    criteria = _criteria_for(run, labels)
    anchors: Mapping[str, tuple[Anchor, ...]] = {}
    if config.judge.few_shot.per_class:
        anchors = choose_anchors(
            read_tuning_labels(folder / "split", "train"),
            {i: known[i] for i in train_ids},
            spec=config.judge.few_shot,
            judged=judged,
        )
    return DevInputs(
        manifest=manifest,
        labels=labels,
        sessions=judged,
        criteria=criteria,
        template=read_text(run.find("prompt", config.judge.prompt, ".md")),
        anchors=anchors,
    )


def _criteria_for(run: Composition, labels: LabelSet) -> tuple[Criterion, ...]:
    path = run.find("criteria", run.config.data.criteria, ".yaml")
    criteria = load_criteria(path)
    asked, labelled = {c.dimension for c in criteria}, set(labels.dimensions)
    if missing := sorted(labelled - asked):
        message = (
            f"{path.name}: no question for labelled dimensions {', '.join(missing)}; add them, "
            f"or choose another file with data.criteria=NAME."
        )
        raise ConfigError(message)
    return tuple(c for c in criteria if c.dimension in labelled)


def _check_split(manifest: SplitManifest, spec: SplitSpec) -> None:
    wanted = {"train": spec.train, "dev": spec.dev, "test": spec.test}
    same = (
        manifest.fractions == wanted
        and manifest.seed == spec.seed
        and manifest.group_by_task == spec.group_by_task
    )
    if not same:
        message = (
            f"split.json was made with {manifest.fractions}, seed {manifest.seed}, but the "
            f"configuration says {wanted}, seed {spec.seed}; use the split's own settings, or "
            f"another data.dir for another split."
        )
        raise ConfigError(message)
