"""Rates and agreement beside scikit-learn 1.9, on random tables of every shape."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import (
    balanced_accuracy_score,
    cohen_kappa_score,
    confusion_matrix,
    precision_score,
    recall_score,
)

from assay.metrics import ConfusionMatrix


def answers(m: ConfusionMatrix) -> tuple[np.ndarray, np.ndarray]:
    """The items behind the counts: people's and the judge's, 1 = Pass."""
    people = np.repeat([1, 0, 0, 1], [m.tp, m.fp, m.tn, m.fn])
    judge = np.repeat([1, 1, 0, 0], [m.tp, m.fp, m.tn, m.fn])
    return people, judge


def random_tables() -> list[ConfusionMatrix]:
    rng = np.random.default_rng(20)
    found = []
    for size in (2, 5, 20, 100, 1000):
        for _ in range(40):
            # Uneven cells on purpose; many hold zero at the small sizes.
            cells = rng.multinomial(size, rng.dirichlet([0.5] * 4))
            found.append(ConfusionMatrix(*(int(c) for c in cells)))
    return found


TABLES = random_tables()


def test_cells_are_those_of_scikit_learn():
    for m in TABLES:
        people, judge = answers(m)
        (tn, fp), (fn, tp) = confusion_matrix(people, judge, labels=[0, 1])
        assert (m.tp, m.fp, m.tn, m.fn) == (tp, fp, tn, fn)


def test_tpr_is_recall_of_pass_and_tnr_recall_of_fail():
    for m in TABLES:
        people, judge = answers(m)
        if m.tp + m.fn:
            assert m.tpr().value == pytest.approx(recall_score(people, judge, pos_label=1))
        else:
            assert m.tpr().value is None
        if m.tn + m.fp:
            assert m.tnr().value == pytest.approx(recall_score(people, judge, pos_label=0))
        else:
            assert m.tnr().value is None


def test_precision():
    for m in TABLES:
        people, judge = answers(m)
        if m.tp + m.fp:
            assert m.precision().value == pytest.approx(precision_score(people, judge))
        else:
            assert m.precision().value is None


def test_balanced_accuracy_where_both_classes_occur():
    compared = 0
    for m in TABLES:
        people, judge = answers(m)
        if not (m.tp + m.fn and m.tn + m.fp):
            assert m.balanced_accuracy().value is None
            continue
        compared += 1
        assert m.balanced_accuracy().value == pytest.approx(balanced_accuracy_score(people, judge))
    assert compared > 100


def test_kappa_where_it_is_defined():
    compared = 0
    for m in TABLES:
        people, judge = answers(m)
        if m.kappa().value is None:
            # Ours is undefined exactly where all answers are one and the same.
            assert len(set(people) | set(judge)) == 1
            continue
        compared += 1
        theirs = cohen_kappa_score(people, judge, labels=[0, 1])
        assert m.kappa().value == pytest.approx(theirs, abs=1e-12)
    assert compared > 100
