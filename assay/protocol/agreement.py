"""How well do people agree with each other? No judge can be asked for more.

References:
    Cohen (1960), Educational and Psychological Measurement 20, 37-46.
    Light (1971), Psychological Bulletin 76, 365-377: the mean over pairs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import combinations

from assay.metrics import ConfusionMatrix, Figure
from assay.schema import LabelSet


@dataclass(frozen=True)
class Agreement:
    """Agreement between annotators on items that several of them labelled."""

    kappa: Figure
    """Mean of Cohen's kappa over pairs of annotators, weighted by shared items, in [-1, 1]."""
    n_items: int
    """(session, dimension) pairs with at least two annotators."""


def agreement_among(labels: LabelSet) -> Agreement:
    """Mean pairwise Cohen's kappa between annotators, weighted by the items a pair shares.

    An annotator who is called in only where others disagree shares few items, all of
    them hard; unweighted, such a pair would count as much as one with thousands.

    Args:
        labels: Its votes are compared; those that name no annotator are left out.

    Returns:
        The mean over pairs whose kappa is defined, or why there is none.
    """
    by_item: defaultdict[tuple[str, str], dict[str, bool]] = defaultdict(dict)
    for vote in labels.votes:
        if vote.annotator is not None:
            by_item[vote.session_id, vote.dimension][vote.annotator] = vote.result == "Pass"
    if not by_item:
        return Agreement(Figure(None, "annotators are not named"), 0)
    tables: defaultdict[tuple[str, str], Counter[tuple[bool, bool]]] = defaultdict(Counter)
    for given in by_item.values():
        for one, other in combinations(sorted(given), 2):
            tables[one, other][given[one], given[other]] += 1
    n_items = sum(len(given) > 1 for given in by_item.values())
    if not tables:
        return Agreement(Figure(None, "no item was labelled by two annotators"), 0)
    kappas = [(_kappa(table).value, table.total()) for _, table in sorted(tables.items())]
    defined = [(k, n) for k, n in kappas if k is not None]
    if not defined:
        reason = "annotators used one and the same class only on the items they share"
        return Agreement(Figure(None, reason), n_items)
    shared = sum(n for _, n in defined)
    return Agreement(Figure(sum(k * n for k, n in defined) / shared), n_items)


def _kappa(table: Counter[tuple[bool, bool]]) -> Figure:
    # Kappa is symmetric, so it does not matter who stands in for the judge.
    return ConfusionMatrix(
        tp=table[True, True],
        fp=table[False, True],
        tn=table[False, False],
        fn=table[True, False],
    ).kappa()
