"""What a split came to: its manifest, the labels of each part, sizes and warnings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.errors import TooFewLabels
from assay.protocol.strata import Strata, Stratum
from assay.schema import (
    HumanLabel,
    LabelSet,
    SplitDeviation,
    SplitManifest,
    SplitPart,
    SplitSpec,
    digest,
)

PartName = Literal["train", "dev", "test"]
PART_NAMES: tuple[PartName, PartName, PartName] = ("train", "dev", "test")


@dataclass(frozen=True)
class StratumSize:
    """One row of the table of sizes."""

    dimension: str | None
    """None in the first row, which counts sessions."""
    result: Literal["Pass", "Fail"] | None
    agent: str | None
    """None over all agents, and for merged strata."""
    train: int
    dev: int
    test: int

    @property
    def total(self) -> int:
        """Sessions in all three parts."""
        return self.train + self.dev + self.test


@dataclass(frozen=True)
class SplitPlan:
    """A split that is not yet written."""

    manifest: SplitManifest
    parts: Mapping[str, LabelSet]
    """Part -> its labels, votes, agents and groups, and no others; sorted by session."""
    sizes: tuple[StratumSize, ...]
    """Sessions, then (dimension, label), then (dimension, label, agent)."""
    warnings: tuple[str, ...] = ()


def describe_split(
    labels: LabelSet,
    part_of: Mapping[str, PartName],
    *,
    spec: SplitSpec,
    strata: Strata,
    alike: Sequence[Sequence[str]],
) -> SplitPlan:
    """Turn a placement into a plan.

    Args:
        labels: All labels together.
        part_of: session_id -> part, for every labelled session.
        spec: Settings, recorded in the manifest.
        strata: Cells of the label set.
        alike: Groups of sessions with equal work.

    Returns:
        The plan.

    Raises:
        TooFewLabels: If a part has no item of a class of a dimension.
    """
    held = Counter(part_of.values())
    everything = StratumSize(None, None, None, held["train"], held["dev"], held["test"])
    classes = [_size(c, part_of) for c in strata.classes]
    cells = [_size(c, part_of) for c in strata.cells if c not in strata.classes]
    _require_both_classes(classes)
    parts = {name: _restrict(labels, part_of, name) for name in PART_NAMES}
    train, dev, test = (_part(part_of, name, parts[name]) for name in PART_NAMES)
    manifest = SplitManifest(
        fractions={"train": spec.train, "dev": spec.dev, "test": spec.test},
        seed=spec.seed,
        group_by_task=spec.group_by_task,
        labels_digest=labels.digest,
        train=train,
        dev=dev,
        test=test,
        largest_deviation=_largest_deviation(cells or classes, spec),
        merged_strata=strata.merged,
        text_conflicts=_text_conflicts(labels, alike),
        synthetic=labels.synthetic,
    )
    return SplitPlan(
        manifest=manifest,
        parts=parts,
        sizes=(everything, *classes, *cells),
        warnings=_warnings(manifest, cells, alike),
    )


def _size(stratum: Stratum, part_of: Mapping[str, PartName]) -> StratumSize:
    held = Counter(part_of[i] for i in stratum.sessions)
    return StratumSize(
        stratum.dimension,
        stratum.result,
        stratum.agent,
        held["train"],
        held["dev"],
        held["test"],
    )


def _require_both_classes(classes: Sequence[StratumSize]) -> None:
    lacking = [
        f"  {row.dimension} {row.result}: {row.train} in train, {row.dev} in dev, "
        f"{row.test} in test"
        for row in classes
        if not (row.train and row.dev and row.test)
    ]
    if lacking:
        message = (
            "split: no way was found to give every part both labels of every dimension:\n"
            + "\n".join(lacking)
            + "\nLabel more sessions of these classes on other tasks, or let tasks be divided with "
            "split.group_by_task=false."
        )
        raise TooFewLabels(message)


def _restrict(labels: LabelSet, part_of: Mapping[str, PartName], part: PartName) -> LabelSet:
    # Only what belongs to the part: counts over the whole file would tell of other parts.
    def mine(rows: Sequence[HumanLabel]) -> tuple[HumanLabel, ...]:
        inside = [row for row in rows if part_of.get(row.session_id) == part]
        return tuple(sorted(inside, key=lambda r: (r.session_id, r.dimension, r.annotator or "")))

    def facts(known: Mapping[str, str]) -> dict[str, str]:
        return {i: value for i, value in sorted(known.items()) if part_of.get(i) == part}

    agents = facts(labels.agents)
    here = set(agents.values())
    return LabelSet(
        labels=mine(labels.labels),
        agents=agents,
        families={a: f for a, f in sorted(labels.families.items()) if a in here},
        groups=facts(labels.groups),
        votes=mine(labels.votes),
        aggregation=labels.aggregation,
        source=_labels_file(part),
    )


def _labels_file(part: PartName) -> str:
    return f"labels.{part}.jsonl"


def _part(part_of: Mapping[str, PartName], name: PartName, labels: LabelSet) -> SplitPart:
    ids = sorted(i for i, part in part_of.items() if part == name)
    return SplitPart(
        session_ids=tuple(ids),
        digest=digest(ids),
        labels_file=_labels_file(name),
        labels_digest=labels.digest,
    )


def _largest_deviation(rows: Sequence[StratumSize], spec: SplitSpec) -> SplitDeviation | None:
    found: SplitDeviation | None = None
    largest = -1.0
    for row in rows:
        if row.dimension is None or row.result is None:
            continue
        actual: dict[PartName, int] = {"train": row.train, "dev": row.dev, "test": row.test}
        shares: dict[PartName, float] = {"train": spec.train, "dev": spec.dev, "test": spec.test}
        for part in PART_NAMES:
            quota = round(shares[part] * row.total, 6)
            if abs(actual[part] - quota) > largest:
                largest = abs(actual[part] - quota)
                found = SplitDeviation(
                    dimension=row.dimension,
                    result=row.result,
                    agent=row.agent,
                    part=part,
                    quota=quota,
                    actual=actual[part],
                )
    return found


def _text_conflicts(labels: LabelSet, alike: Sequence[Sequence[str]]) -> tuple[str, ...]:
    given = {(x.session_id, x.dimension): x.result for x in labels.labels}
    sentences: list[str] = []
    for group in alike:
        for dimension in sorted(labels.dimensions):
            results = [(i, given[i, dimension]) for i in group if (i, dimension) in given]
            if len({result for _, result in results}) == 2:
                passed = ", ".join(i for i, result in results if result == "Pass")
                failed = ", ".join(i for i, result in results if result == "Fail")
                sentences.append(
                    f"equal work, different {dimension} labels: Pass for {passed}; "
                    f"Fail for {failed}."
                )
    return tuple(sentences)


def _warnings(
    manifest: SplitManifest, cells: Sequence[StratumSize], alike: Sequence[Sequence[str]]
) -> tuple[str, ...]:
    found: list[str] = []
    if alike:
        sessions = sum(len(group) for group in alike)
        found.append(
            f"{sessions} sessions in {len(alike)} groups show equal work; each group is kept in "
            f"one part ({', '.join(alike[0][:3])})."
        )
    if manifest.text_conflicts:
        found.append(
            f"{len(manifest.text_conflicts)} times equal work has different labels; see "
            f"text_conflicts in the manifest and label these again."
        )
    absent = [
        f"{row.dimension} {row.result} by {row.agent or 'merged agents'} in {part}"
        for row in cells
        for part, count in (("train", row.train), ("dev", row.dev), ("test", row.test))
        if count == 0
    ]
    if absent:
        shown = "; ".join(absent[:5]) + ("; ..." if len(absent) > 5 else "")
        found.append(f"{len(absent)} strata are absent from a part: {shown}.")
    return tuple(found)
