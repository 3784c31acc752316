"""Which labelled examples may a prompt show? From train, both classes, hard ones first.

A near miss teaches more than a plain case: a failed session that passes most
other dimensions, or a passed one that fails them. The judge cannot place it by
a general impression, only by the question asked.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from assay.errors import InputError, LeakageError, TooFewLabels
from assay.protocol.strata import RESULTS
from assay.schema import Anchor, FewShotSpec, HumanLabel, LabelSet, Session, fold


def work_text(session: Session) -> str:
    """What a judge would see of a session, for telling equal work apart."""
    outputs = "\n".join(c.command + c.output for c in session.commands)
    return f"{session.task_prompt}\n{session.diff}\n{outputs}\n{session.final_message}"


def choose_anchors(
    train: LabelSet,
    sessions: Mapping[str, Session],
    *,
    spec: FewShotSpec,
    judged: Iterable[Session],
) -> dict[str, tuple[Anchor, ...]]:
    """Pick `spec.per_class` Pass and as many Fail examples for each dimension.

    Near misses first, then agents that have been shown less, then a seeded draw.

    Args:
        train: Labels of the train part.
        sessions: session_id -> session, for the train part at least.
        spec: How many per class, and the seed.
        judged: Sessions that the prompt will be used on.

    Returns:
        dimension -> anchors, Fail and Pass in turn; empty when `per_class` is 0.

    Raises:
        LeakageError: If the train part holds a judged session, or work equal to one.
        TooFewLabels: If train has too few labels of a class; names all such classes.
        InputError: If a labelled train session is not among `sessions`.
    """
    if spec.per_class == 0:
        return {}
    pool = _sessions_of(train, sessions)
    _refuse_leakage(pool, tuple(judged))
    by_class: defaultdict[tuple[str, str], list[HumanLabel]] = defaultdict(list)
    for label in train.labels:
        by_class[label.dimension, label.result].append(label)
    dimensions = sorted(train.dimensions)
    _refuse_shortage(dimensions, by_class, spec, train.source)
    given = {(x.session_id, x.dimension): x.result for x in train.labels}
    anchors: dict[str, tuple[Anchor, ...]] = {}
    for dimension in dimensions:
        shown: Counter[str] = Counter()
        chosen = {
            result: _choose(by_class[dimension, result], given, dimensions, pool, shown, spec)
            for result in RESULTS
        }
        turns = zip(chosen["Fail"], chosen["Pass"], strict=True)
        anchors[dimension] = tuple(
            Anchor(session=pool[label.session_id], label=label) for pair in turns for label in pair
        )
    return anchors


def _sessions_of(train: LabelSet, sessions: Mapping[str, Session]) -> dict[str, Session]:
    ids = sorted({x.session_id for x in train.labels})
    if missing := [i for i in ids if i not in sessions]:
        message = (
            f"few-shot: {len(missing)} labelled train sessions are not among the sessions "
            f"({', '.join(missing[:3])}); restore them or split again."
        )
        raise InputError(message)
    return {i: sessions[i] for i in ids}


def _refuse_leakage(pool: Mapping[str, Session], judged: tuple[Session, ...]) -> None:
    # All of train is checked, not the chosen few: a leak must not depend on the seed.
    judged_ids = {s.session_id for s in judged}
    if same := sorted(judged_ids & set(pool)):
        message = (
            f"few-shot: {len(same)} train sessions are judged too ({', '.join(same[:3])}); "
            f"examples must come from train only. Judge another part, or split again."
        )
        raise LeakageError(message)
    by_text = {fold(work_text(s)): s.session_id for s in judged}
    by_text.pop("", None)
    for session_id, session in pool.items():
        if (twin := by_text.get(fold(work_text(session)))) is not None:
            message = (
                f"few-shot: train session {session_id} shows the same work as judged session "
                f"{twin}; split again, so that equal work stays in one part."
            )
            raise LeakageError(message)


def _refuse_shortage(
    dimensions: Iterable[str],
    by_class: Mapping[tuple[str, str], list[HumanLabel]],
    spec: FewShotSpec,
    source: str,
) -> None:
    counts = {(d, r): len(by_class.get((d, r), ())) for d in dimensions for r in RESULTS}
    short = {key: n for key, n in counts.items() if n < spec.per_class}
    if not counts:
        message = f"few-shot: {source or 'train'} has no label; set judge.few_shot.per_class=0."
        raise TooFewLabels(message)
    if short:
        lines = [f"  {d} {r}: {n}" for (d, r), n in short.items()]
        message = (
            f"few-shot: {source or 'train'} has fewer than {spec.per_class} sessions of these "
            f"classes:\n" + "\n".join(lines) + "\n"
            f"Label more, give train a larger share, or set "
            f"judge.few_shot.per_class={min(short.values())}."
        )
        raise TooFewLabels(message)


def _choose(
    candidates: Iterable[HumanLabel],
    given: Mapping[tuple[str, str], str],
    dimensions: Iterable[str],
    pool: Mapping[str, Session],
    shown: Counter[str],
    spec: FewShotSpec,
) -> list[HumanLabel]:
    def nearness(label: HumanLabel) -> float:
        others = [
            given[label.session_id, d] != label.result
            for d in dimensions
            if d != label.dimension and (label.session_id, d) in given
        ]
        return sum(others) / len(others) if others else 0.0

    def draw(label: HumanLabel) -> str:
        words = f"{spec.seed}\n{label.dimension}\n{label.session_id}"
        return hashlib.sha256(words.encode()).hexdigest()

    left = list(candidates)
    chosen: list[HumanLabel] = []
    while len(chosen) < spec.per_class:
        best = min(left, key=lambda x: (-nearness(x), shown[pool[x.session_id].agent], draw(x)))
        left.remove(best)
        chosen.append(best)
        shown[pool[best.session_id].agent] += 1
    return chosen
