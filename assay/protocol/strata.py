"""The cells that a split must share out, and which of them are too small to be shared.

A stratum is one dimension, one label and one agent. One with fewer sessions
than there are parts cannot be in all of them, whatever the search does, so it
is refused or merged over agents before anything else happens.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.errors import TooFewLabels
from assay.schema import HumanLabel, LabelSet, SplitSpec
from assay.schema.records import Result

RESULTS: tuple[Result, Result] = ("Pass", "Fail")


@dataclass(frozen=True)
class Stratum:
    """Sessions with one label on one dimension, by one agent or by several small ones."""

    dimension: str
    result: Result
    agent: str | None
    """None over all agents, or over those whose small strata were merged."""
    sessions: frozenset[str]

    @property
    def name(self) -> str:
        """Such as "correctness Fail by atlas-coder"."""
        by = "" if self.agent is None else f" by {self.agent}"
        return f"{self.dimension} {self.result}{by}"


@dataclass(frozen=True)
class Strata:
    """All cells of a label set, after merging."""

    classes: tuple[Stratum, ...]
    """(dimension, label) over all agents; both labels of every dimension."""
    cells: tuple[Stratum, ...]
    """(dimension, label, agent), sorted; sessions of unknown agents are in none."""
    merged: tuple[str, ...] = ()
    """Names of the cells that were merged over agents, with their counts."""


def find_strata(labels: LabelSet, *, spec: SplitSpec) -> Strata:
    """Cells of a label set, each large enough to be shared out.

    Args:
        labels: All labels together.
        spec: `min_per_stratum` and `small_strata` decide what is too small.

    Returns:
        Classes and cells.

    Raises:
        TooFewLabels: Naming every class or cell that is too small, with its count
            and both ways out.
    """
    held: defaultdict[tuple[str, Result, str | None], set[str]] = defaultdict(set)
    for label in labels.labels:
        agent = labels.agents.get(label.session_id)
        held[label.dimension, label.result, agent].add(label.session_id)
    by_class: dict[tuple[str, Result], list[Stratum]] = {
        (dimension, result): [] for dimension in sorted(labels.dimensions) for result in RESULTS
    }
    for dimension, result, agent in sorted(held, key=lambda k: (k[0], k[1], k[2] or "")):
        ids = frozenset(held[dimension, result, agent])
        by_class[dimension, result].append(Stratum(dimension, result, agent, ids))
    classes = tuple(_over_agents(*key, cells) for key, cells in by_class.items())
    _refuse_small_classes(classes, spec, labels.source)
    by_agent = {key: [c for c in cells if c.agent is not None] for key, cells in by_class.items()}
    small = [
        cell
        for cells in by_agent.values()
        for cell in cells
        if len(cell.sessions) < spec.min_per_stratum
    ]
    if small and spec.small_strata == "refuse":
        _refuse_small_cells(small, spec, labels.source)
    cells: list[Stratum] = []
    merged: list[str] = []
    for (dimension, result), mine in by_agent.items():
        kept, pooled = _merge_small(mine, spec.min_per_stratum)
        cells += kept
        if pooled:
            cells.append(_over_agents(dimension, result, pooled))
            merged += [f"{cell.name} ({len(cell.sessions)})" for cell in pooled]
    return Strata(classes, tuple(cells), tuple(merged))


def _over_agents(dimension: str, result: Result, cells: Sequence[Stratum]) -> Stratum:
    ids = (session_id for cell in cells for session_id in cell.sessions)
    return Stratum(dimension, result, None, frozenset(ids))


def _merge_small(cells: list[Stratum], minimum: int) -> tuple[list[Stratum], list[Stratum]]:
    """Small cells of one class go together, with the next smallest while still too few."""
    if all(len(cell.sessions) >= minimum for cell in cells):
        return cells, []
    by_size = sorted(cells, key=lambda c: (len(c.sessions), c.agent or ""))
    pooled: list[Stratum] = []
    while by_size and (
        len(by_size[0].sessions) < minimum or sum(len(c.sessions) for c in pooled) < minimum
    ):
        pooled.append(by_size.pop(0))
    return [cell for cell in cells if cell not in pooled], pooled


def _refuse_small_classes(classes: Sequence[Stratum], spec: SplitSpec, source: str) -> None:
    # Three parts need three, however small a stratum the settings allow.
    least = max(3, spec.min_per_stratum)
    small = [c for c in classes if len(c.sessions) < least]
    if not small:
        return
    lines = [f"  {c.name}: {len(c.sessions)} (needs at least {least})" for c in small]
    message = (
        f"{source or 'split'}: too small to be in train, dev and test, over all agents together:\n"
        + "\n".join(lines)
        + "\n"
        "Label more sessions of these classes, or leave the dimension out."
    )
    raise TooFewLabels(message)


def _refuse_small_cells(small: Sequence[Stratum], spec: SplitSpec, source: str) -> None:
    lines = [f"  {c.name}: {len(c.sessions)}" for c in small]
    message = (
        f"{source or 'split'}: strata with fewer than {spec.min_per_stratum} sessions "
        f"(split.min_per_stratum), {len(small)} in all:\n" + "\n".join(lines) + "\n"
        "Label more of these, or merge them over agents with split.small_strata=merge."
    )
    raise TooFewLabels(message)


def require_groups(strata: Strata, group_of: Mapping[str, int]) -> None:
    """Refuse a class whose sessions sit in too few groups to be in every part.

    Args:
        strata: Cells of the label set.
        group_of: session_id -> number of the group that stays together.

    Raises:
        TooFewLabels: Naming every such class with its sessions and groups.
    """
    lines: list[str] = []
    for c in strata.classes:
        groups = len({group_of[i] for i in c.sessions})
        if groups < 3:
            lines.append(f"  {c.name}: {len(c.sessions)} sessions in {groups} groups")
    if lines:
        message = (
            "split: sessions of one task, or with equal work, stay together, and these classes "
            "sit in fewer than 3 groups:\n" + "\n".join(lines) + "\n"
            "Label sessions of more tasks, or let tasks be divided with split.group_by_task=false."
        )
        raise TooFewLabels(message)


def repeated_labels(labels: Sequence[HumanLabel]) -> list[tuple[str, str]]:
    """(session, dimension) pairs that have more than one label, sorted."""
    seen: set[tuple[str, str]] = set()
    twice: set[tuple[str, str]] = set()
    for label in labels:
        key = (label.session_id, label.dimension)
        (twice if key in seen else seen).add(key)
    return sorted(twice)
