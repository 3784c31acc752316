"""Which verdict answers which label, and what has no partner?

Labels and verdicts meet by (session, dimension). Once coded as whole numbers, a
million rows are counted by one `bincount`. Nothing is dropped in silence: a
verdict without a label is unmatched, a label without a verdict is missing, and
both are counted per judge.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from assay.errors import AlignmentError
from assay.metrics import ConfusionMatrix
from assay.schema import LabelSet, Verdict

PASS, FAIL, ABSTAINED, ERRORED = range(4)
"""Outcome codes of a verdict; human results use the first two."""
_OUTCOMES = {"pass": PASS, "fail": FAIL, "abstained": ABSTAINED, "errored": ERRORED}
_RESULTS = {"Pass": PASS, "Fail": FAIL}
_SHOWN = 3

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Cell:
    """One judge on one dimension, over all agents or for one."""

    counts: Ints
    """Shape (2, 4): human Pass, Fail by judge pass, fail, abstained, errored."""
    missing: Ints
    """Shape (2,): labelled items of human Pass, Fail without any verdict."""
    reasons: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def matrix(self) -> ConfusionMatrix:
        """Pass is the positive class; abstained, errored and missing are undecided."""
        undecided = self.counts[:, ABSTAINED:].sum(axis=1) + self.missing
        return ConfusionMatrix(
            tp=int(self.counts[PASS, PASS]),
            fp=int(self.counts[FAIL, PASS]),
            tn=int(self.counts[FAIL, FAIL]),
            fn=int(self.counts[PASS, FAIL]),
            undecided_pass=int(undecided[PASS]),
            undecided_fail=int(undecided[FAIL]),
        )

    @property
    def n_abstained(self) -> int:
        """Items with a reply but no usable verdict."""
        return int(self.counts[:, ABSTAINED].sum())

    @property
    def n_errored(self) -> int:
        """Items without a usable reply."""
        return int(self.counts[:, ERRORED].sum())

    @property
    def n_missing(self) -> int:
        """Items without a record."""
        return int(self.missing.sum())


@dataclass(frozen=True)
class Alignment:
    """Counts of every judge on every dimension and agent, and what did not meet."""

    judges: tuple[str, ...]
    """Sorted."""
    dimensions: tuple[str, ...]
    agents: tuple[str, ...]
    """Sorted; sessions of unknown agents count only in the totals."""
    totals: Mapping[tuple[str, str], Cell]
    """(judge, dimension) -> counts over all agents."""
    by_agent: Mapping[tuple[str, str, str], Cell]
    """(judge, dimension, agent) -> counts, for agents with a label on the dimension."""
    unmatched: Mapping[str, tuple[tuple[str, str], ...]]
    """judge -> (session, dimension) of its verdicts without a label, sorted."""
    n_repeats: int
    """Verdicts of repeats after the first, which are not counted here."""


def count_cells(codes: Ints, shape: Sequence[int]) -> Ints:
    """Count packed codes: the one pass over all rows.

    Args:
        codes: Shape (n_rows,): `numpy.ravel_multi_index` of (judge, dimension, agent,
            human result, outcome) in `shape`.
        shape: Number of values of each of these.

    Returns:
        Counts of that shape.
    """
    return np.bincount(codes, minlength=int(np.prod(shape))).reshape(tuple(shape))


def align(labels: LabelSet, verdicts: Sequence[Verdict], *, dimensions: Sequence[str]) -> Alignment:
    """Join verdicts to labels and count.

    Args:
        labels: One label per (session, dimension).
        verdicts: Verdicts of any number of judges, in any order; of repeats the lowest counts.
        dimensions: Dimensions of the labels, in the order wanted.

    Returns:
        Counts; the order of rows plays no part.

    Raises:
        AlignmentError: If a judge has two verdicts on one item, or none that meets a
            label, or if there is no label or no verdict at all.
    """
    first = first_repeats(verdicts)
    if not labels.labels or not first:
        what = "labels" if not labels.labels else "verdicts"
        message = f"{labels.source or 'measure'}: no {what}; there is nothing to compare."
        raise AlignmentError(message)
    items = _Items(labels, dimensions)
    judges = tuple(sorted({v.judge for v in first}))
    judge_code = {judge: code for code, judge in enumerate(judges)}
    judge = np.fromiter((judge_code[v.judge] for v in first), np.int64, len(first))
    item = np.fromiter((items.code_of(v.session_id, v.dimension) for v in first), np.int64)
    outcome = np.fromiter((_OUTCOMES[v.outcome] for v in first), np.int64, len(first))
    _refuse_duplicates(judge, item, judges, items)
    met = item < items.n_labelled
    _refuse_strangers(judge[met], judges, items, first)
    where = item[met]
    shape = (len(judges), len(dimensions), len(items.agents) + 1, 2, 4)
    key = (judge[met], items.dimension[where], items.agent[where], items.human[where])
    counts = count_cells(np.ravel_multi_index((*key, outcome[met]), shape), shape)
    labelled = count_cells(
        np.ravel_multi_index((items.dimension, items.agent, items.human), shape[1:4]), shape[1:4]
    )
    reasons = _count_reasons(first, judge, item, items)
    return Alignment(
        judges=judges,
        dimensions=tuple(dimensions),
        agents=items.agents,
        totals={
            (name, d): _cell(
                counts[j, k].sum(axis=0), labelled[k].sum(axis=0), reasons.get((j, k, None))
            )
            for j, name in enumerate(judges)
            for k, d in enumerate(dimensions)
        },
        by_agent={
            (name, d, agent): _cell(counts[j, k, a], labelled[k, a], reasons.get((j, k, a)))
            for j, name in enumerate(judges)
            for k, d in enumerate(dimensions)
            for a, agent in enumerate(items.agents)
            if labelled[k, a].any()
        },
        unmatched=_unmatched(judge[~met], item[~met], judges, items),
        n_repeats=len(verdicts) - len(first),
    )


class _Items:
    """(session, dimension) pairs as numbers: labelled ones first, strangers as they come."""

    def __init__(self, labels: LabelSet, dimensions: Sequence[str]) -> None:
        self.labels = labels
        self.agents = tuple(
            sorted(
                {
                    labels.agents[x.session_id]
                    for x in labels.labels
                    if x.session_id in labels.agents
                }
            )
        )
        self._codes = {(x.session_id, x.dimension): i for i, x in enumerate(labels.labels)}
        self.n_labelled = len(labels.labels)
        if len(self._codes) < self.n_labelled:
            twice = [k for k, n in _count_keys(labels).items() if n > 1]
            message = (
                f"{labels.source or 'labels'}: {len(twice)} items have more than one label: "
                f"{_show(twice)}; keep one, or aggregate annotators when loading."
            )
            raise AlignmentError(message)
        dimension_code = {d: code for code, d in enumerate(dimensions)}
        agent_code = {a: code for code, a in enumerate(self.agents)}
        unknown = len(self.agents)
        rows = labels.labels
        self.dimension = np.array([dimension_code[x.dimension] for x in rows], dtype=np.int64)
        self.human = np.array([_RESULTS[x.result] for x in rows], dtype=np.int64)
        self.agent = np.array(
            [agent_code.get(labels.agents.get(x.session_id, ""), unknown) for x in rows],
            dtype=np.int64,
        )

    def code_of(self, session_id: str, dimension: str) -> int:
        return self._codes.setdefault((session_id, dimension), len(self._codes))

    def keys(self) -> list[tuple[str, str]]:
        return list(self._codes)


def first_repeats(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Of each judge's repeats on an item the one with the lowest number, in input order."""
    lowest: dict[tuple[str, str, str], int] = {}
    if all(v.repeat == 0 for v in verdicts):
        return list(verdicts)
    for v in verdicts:
        key = (v.judge, v.session_id, v.dimension)
        lowest[key] = min(v.repeat, lowest.get(key, v.repeat))
    return [v for v in verdicts if v.repeat == lowest[v.judge, v.session_id, v.dimension]]


def _count_keys(labels: LabelSet) -> Counter[tuple[str, str]]:
    return Counter((x.session_id, x.dimension) for x in labels.labels)


def _cell(counts: Ints, labelled: Ints, reasons: Mapping[str, int] | None) -> Cell:
    return Cell(counts, labelled - counts.sum(axis=1), dict(sorted((reasons or {}).items())))


def _count_reasons(
    verdicts: Sequence[Verdict], judge: Ints, item: Ints, items: _Items
) -> dict[tuple[int, int, int | None], Counter[str]]:
    found: defaultdict[tuple[int, int, int | None], Counter[str]] = defaultdict(Counter)
    for row, verdict in enumerate(verdicts):
        if verdict.reason is None or item[row] >= items.n_labelled:
            continue
        j, k = int(judge[row]), int(items.dimension[item[row]])
        found[j, k, None][verdict.reason] += 1
        found[j, k, int(items.agent[item[row]])][verdict.reason] += 1
    return found


def _unmatched(
    judge: Ints, item: Ints, judges: Sequence[str], items: _Items
) -> dict[str, tuple[tuple[str, str], ...]]:
    keys = items.keys()
    found: dict[str, list[tuple[str, str]]] = {name: [] for name in judges}
    for j, i in zip(judge, item, strict=True):
        found[judges[int(j)]].append(keys[int(i)])
    return {name: tuple(sorted(theirs)) for name, theirs in found.items()}


def _refuse_duplicates(judge: Ints, item: Ints, judges: Sequence[str], items: _Items) -> None:
    n_items = int(item.max()) + 1
    packed, times = np.unique(judge * n_items + item, return_counts=True)
    twice = packed[times > 1]
    if not len(twice):
        return
    keys = items.keys()
    lines = sorted(
        f"  {judges[int(code) // n_items]}: {keys[int(code) % n_items][0]} "
        f"({keys[int(code) % n_items][1]})"
        for code in twice
    )
    more = f"\n  and {len(lines) - 20} more" if len(lines) > 20 else ""
    message = (
        f"verdicts: {len(lines)} items have more than one verdict by one judge:\n"
        + "\n".join(lines[:20])
        + more
        + "\nKeep one verdict per judge, session and dimension, or number further ones as repeats."
    )
    raise AlignmentError(message)


def _refuse_strangers(
    judge_of_met: Ints, judges: Sequence[str], items: _Items, verdicts: Sequence[Verdict]
) -> None:
    met = np.bincount(judge_of_met, minlength=len(judges))
    strangers = [judge for j, judge in enumerate(judges) if met[j] == 0]
    if not strangers:
        return
    ours = items.keys()[: items.n_labelled]
    theirs = [(v.session_id, v.dimension) for v in verdicts if v.judge == strangers[0]]
    message = (
        f"judge {strangers[0]}: none of its {len(theirs)} verdicts meets one of the "
        f"{len(ours)} labels.\n  labels:   {_describe(ours)}\n  verdicts: {_describe(theirs)}\n"
        f"Write session ids and dimension names alike on both sides."
    )
    if len(strangers) > 1:
        message += f"\nThe same holds for: {', '.join(strangers[1:])}."
    raise AlignmentError(message)


def _show(keys: Iterable[tuple[str, str]]) -> str:
    some = [f"{session} ({dimension})" for session, dimension in keys]
    return ", ".join(some[:_SHOWN]) + (", ..." if len(some) > _SHOWN else "")


def _describe(keys: Sequence[tuple[str, str]]) -> str:
    sessions, dimensions = sorted({k[0] for k in keys}), sorted({k[1] for k in keys})
    return f"sessions {_first(sessions)}; dimensions {_first(dimensions)}"


def _first(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (f", ... ({len(names)})" if len(names) > _SHOWN else "")
