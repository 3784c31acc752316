"""Several annotators, one label: the declared rule that gets from votes to a label."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from assay.schema import Aggregation, HumanLabel


def aggregate(votes: Sequence[HumanLabel], rule: Aggregation) -> tuple[tuple[HumanLabel, ...], int]:
    """One label per (session, dimension) from all annotators' votes.

    Args:
        votes: All labels, each with its annotator, in file order.
        rule: majority (strict; an even split is no label) or unanimous.

    Returns:
        The labels in order of first appearance, and the count of items on which
        the rule gave none. A single vote stays as it is; the label of several
        names no annotator and no confidence, and joins their notes.
    """
    by_item: dict[tuple[str, str], list[HumanLabel]] = defaultdict(list)
    for vote in votes:
        by_item[vote.session_id, vote.dimension].append(vote)
    labels: list[HumanLabel] = []
    undecided = 0
    for (session_id, dimension), given in by_item.items():
        if len(given) == 1:
            labels.append(given[0])
            continue
        passes = sum(v.result == "Pass" for v in given)
        fails = len(given) - passes
        if passes == fails or (rule == "unanimous" and passes and fails):
            undecided += 1
            continue
        labels.append(
            HumanLabel(
                session_id=session_id,
                dimension=dimension,
                result="Pass" if passes > fails else "Fail",
                notes="; ".join(v.notes for v in given if v.notes),
                synthetic=any(v.synthetic for v in given),
            )
        )
    return tuple(labels), undecided


def rule_behind(votes: Sequence[HumanLabel], labels: Sequence[HumanLabel]) -> Aggregation:
    """The rule that gives these labels from these votes; `recorded` when neither does."""
    given = {(x.session_id, x.dimension, x.result) for x in labels}
    rules: Iterable[Aggregation] = ("majority", "unanimous")
    for rule in rules:
        found, _ = aggregate(votes, rule)
        if {(x.session_id, x.dimension, x.result) for x in found} == given:
            return rule
    return "recorded"
