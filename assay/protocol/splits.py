"""Which sessions may be looked at when? Train, dev and test, divided once.

A session is in one part for all its dimensions. Parts are alike in every
dimension's labels and in agents. Sessions of one task stay together, and so do
sessions whose work is equal but for case, space and punctuation, since a judge
tuned on one has seen the other.

The result depends on ids, labels, agents, groups, fractions and seed; the order
of rows and the platform play no part.

References:
    Sechidis, Tsoumakas and Vlahavas (2011), ECML PKDD, on stratification by
    several labels at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from assay.errors import InputError, TooFewLabels
from assay.protocol.split_plan import PART_NAMES, PartName, SplitPlan, describe_split
from assay.protocol.split_search import Floats, Goal, place_groups
from assay.protocol.strata import Strata, find_strata, repeated_labels, require_groups
from assay.schema import LabelSet, SplitSpec, fold

_SESSION_WEIGHT, _CLASS_WEIGHT, _AGENT_WEIGHT, _CELL_WEIGHT = 6, 2, 2, 1
"""What a squared session off costs: a part's size before its labels before its cells."""


def split_sessions(
    labels: LabelSet, *, spec: SplitSpec, texts: Mapping[str, str] | None = None
) -> SplitPlan:
    """Divide labelled sessions into train, dev and test.

    Args:
        labels: All labels together; a session may lack labels of some dimensions.
        spec: Fractions, seed, grouping, and what to do with small strata.
        texts: session_id -> what a judge would see of it, for keeping equal work in
            one part; sessions without a text are not compared.

    Returns:
        The manifest, the labels of each part, and sizes to print.

    Raises:
        TooFewLabels: If a stratum or class is too small, or sits in too few groups.
        InputError: If a session has two labels on one dimension.
    """
    if repeated := repeated_labels(labels.labels):
        shown = ", ".join(f"{i} ({d})" for i, d in repeated[:3])
        message = (
            f"{labels.source or 'split'}: {len(repeated)} sessions have more than one label on a "
            f"dimension: {shown}; keep one, or aggregate annotators when loading."
        )
        raise InputError(message)
    if not labels.labels:
        message = f"{labels.source or 'split'}: no labelled session; label some first."
        raise TooFewLabels(message)
    strata = find_strata(labels, spec=spec)
    ids = sorted({x.session_id for x in labels.labels})
    alike = _equal_work(ids, texts or {})
    group_of = _groups(ids, labels.groups if spec.group_by_task else {}, alike)
    require_groups(strata, group_of)
    part_of = _place(ids, group_of, labels, strata, spec)
    return describe_split(labels, part_of, spec=spec, strata=strata, alike=alike)


def _equal_work(ids: Sequence[str], texts: Mapping[str, str]) -> list[list[str]]:
    """Sessions with equal text, in groups of two and more."""
    by_text: defaultdict[str, list[str]] = defaultdict(list)
    for session_id in ids:
        # A session that shows no word at all is evidence of nothing.
        if folded := fold(texts.get(session_id, "")):
            by_text[folded].append(session_id)
    return sorted(group for group in by_text.values() if len(group) > 1)


def _groups(
    ids: Sequence[str], tasks: Mapping[str, str], alike: Iterable[Sequence[str]]
) -> dict[str, int]:
    """session_id -> group number; sessions joined by task or by equal work share one."""
    parent = {i: i for i in ids}

    def root(i: str) -> str:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    first_of_task: dict[str, str] = {}
    for i in ids:
        if (task := tasks.get(i)) is not None:
            parent[root(i)] = root(first_of_task.setdefault(task, i))
    for group in alike:
        for i in group[1:]:
            parent[root(i)] = root(group[0])
    # Numbered by first member in sorted order, so that links' direction cannot show.
    number: dict[str, int] = {}
    return {i: number.setdefault(root(i), len(number)) for i in ids}


def _place(
    ids: Sequence[str],
    group_of: Mapping[str, int],
    labels: LabelSet,
    strata: Strata,
    spec: SplitSpec,
) -> dict[str, PartName]:
    fractions = np.array([spec.train, spec.dev, spec.test])
    by_agent: defaultdict[str, set[str]] = defaultdict(set)
    for i in ids:
        if i in labels.agents:
            by_agent[labels.agents[i]].add(i)
    agents = [frozenset(by_agent[a]) for a in sorted(by_agent)]
    cells = [c.sessions for c in strata.cells]
    classes = [c.sessions for c in strata.classes]
    columns = [frozenset(ids), *classes, *agents, *cells]
    weights = np.repeat(
        [_SESSION_WEIGHT, _CLASS_WEIGHT, _AGENT_WEIGHT, _CELL_WEIGHT],
        [1, len(classes), len(agents), len(cells)],
    )
    counts = np.zeros((max(group_of.values()) + 1, len(columns)), dtype=np.int64)
    for column, members in enumerate(columns):
        np.add.at(counts[:, column], [group_of[i] for i in members], 1)
    sizes = np.array([len(members) for members in columns])
    quotas = sizes[:, None] * fractions
    quotas[0] = _whole(len(ids), fractions)
    needed = np.zeros(len(columns), dtype=np.bool_)
    needed[1 : 1 + len(classes)] = True
    for row in np.flatnonzero(needed):
        quotas[row] = _at_least_one(quotas[row])
    placed = place_groups(counts, Goal(quotas, weights, needed), seed=spec.seed)
    return {i: PART_NAMES[placed[group_of[i]]] for i in ids}


def _whole(total: int, fractions: Floats) -> Floats:
    """Whole sizes that add up, by largest remainder."""
    exact = total * fractions
    # The small constant keeps 0.45 * 100 from flooring to 44.
    sizes = np.floor(exact + 1e-9)
    for part in np.argsort(sizes - exact, kind="stable")[: total - int(sizes.sum())]:
        sizes[part] += 1
    return sizes


def _at_least_one(quota: Floats) -> Floats:
    """Aim at one session of a small class in every part, at the cost of the largest."""
    raised = np.maximum(quota, 1.0)
    raised[int(np.argmax(quota))] -= raised.sum() - quota.sum()
    return raised
