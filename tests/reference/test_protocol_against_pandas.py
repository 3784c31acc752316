"""Real judges on real answers, counted by pandas and scikit-learn and by us.

The file holds 3,557 answers of 12 question-answering systems to 301 questions,
two or three annotators, and three judges.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from functools import cache
from itertools import combinations
from typing import Any

import pytest

from assay.protocol import measure, split_sessions
from assay.schema import HumanLabel, LabelSet, PolicySpec, SplitSpec, ValidationReport, Verdict
from tests.shared_material import shared_path

JUDGES = ("gpt-4", "text-davinci-003", "BEM")


@cache
def _rows() -> list[dict[str, Any]]:
    path = shared_path("data/nq301_openqa.binary.jsonl")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@cache
def _labels() -> LabelSet:
    rows = _rows()

    def label(row: dict[str, Any], said: str, annotator: str | None = None) -> HumanLabel:
        return HumanLabel(
            session_id=row["item_id"],
            dimension=row["dimension"],
            result=said.title(),  # type: ignore[arg-type]
            annotator=annotator,
        )

    return LabelSet(
        tuple(label(r, r["human"]) for r in rows),
        agents={r["item_id"]: r["agent"] for r in rows},
        groups={r["item_id"]: r["question_id"] for r in rows},
        votes=tuple(label(r, said, who) for r in rows for who, said in r["annotators"].items()),
        aggregation="recorded",
    )


@cache
def _report() -> ValidationReport:
    verdicts = tuple(
        Verdict(
            session_id=r["item_id"],
            dimension=r["dimension"],
            judge=judge,
            outcome=said or "abstained",
            reason=None if said else "not_recorded",
        )
        for r in _rows()
        for judge, said in r["judges"].items()
    )
    return measure(_labels(), verdicts, kind="validate", policy=PolicySpec(), headline="gpt-4")


@cache
def _frame() -> Any:
    pd = pytest.importorskip("pandas")
    return pd.DataFrame(
        [{"agent": r["agent"], "human": r["human"], **r["judges"]} for r in _rows()]
    )


@pytest.mark.parametrize("judge", JUDGES)
def test_counts_of_every_judge_and_agent_equal_those_of_pandas(judge: str) -> None:
    frame = _frame()
    report = next(j for j in _report().judges if j.judge == judge)
    assert len(report.agents) == 12
    for m in (*report.dimensions, *report.agents):
        here = frame if m.agent is None else frame[frame["agent"] == m.agent]
        table = here.groupby(["human", judge]).size().to_dict()
        assert (m.tp, m.fn) == (table.get(("pass", "pass"), 0), table.get(("pass", "fail"), 0))
        assert (m.tn, m.fp) == (table.get(("fail", "fail"), 0), table.get(("fail", "pass"), 0))
        assert m.n == len(here)
        assert m.n_abstained == int(here[judge].isna().sum())
        assert m.n_missing == 0


@pytest.mark.parametrize("judge", JUDGES)
def test_rates_and_kappa_equal_those_of_scikit_learn(judge: str) -> None:
    from sklearn.metrics import balanced_accuracy_score, cohen_kappa_score, recall_score

    frame = _frame()
    report = next(j for j in _report().judges if j.judge == judge)
    for m in (*report.dimensions, *report.agents):
        here = frame if m.agent is None else frame[frame["agent"] == m.agent]
        decided = here[here[judge].notna()]
        human, said = decided["human"].to_numpy(str), decided[judge].to_numpy(str)
        assert m.tpr.value == pytest.approx(recall_score(human, said, pos_label="pass"))
        assert m.tnr.value == pytest.approx(recall_score(human, said, pos_label="fail"))
        assert m.kappa.value == pytest.approx(cohen_kappa_score(human, said))
        assert m.balanced_accuracy.value == pytest.approx(balanced_accuracy_score(human, said))


def test_agreement_of_annotators_is_the_mean_of_scikit_learns_kappas_by_shared_items() -> None:
    from sklearn.metrics import cohen_kappa_score

    kappas: list[float] = []
    shared: list[int] = []
    for one, other in combinations(["annotator1", "annotator2", "annotator3"], 2):
        both = [r["annotators"] for r in _rows() if {one, other} <= set(r["annotators"])]
        kappas.append(cohen_kappa_score([x[one] for x in both], [x[other] for x in both]))
        shared.append(len(both))
    found = _report().labels
    assert found.annotator_agreement.value == pytest.approx(
        sum(k * n for k, n in zip(kappas, shared, strict=True)) / sum(shared)
    )
    assert found.n_doubly_labelled == sum(len(r["annotators"]) > 1 for r in _rows())


def test_the_real_set_is_split_in_seconds_without_tearing_a_question_apart() -> None:
    labels = _labels()
    texts = {r["item_id"]: json.dumps(r["text"]) for r in _rows()}
    start = time.process_time()
    plan = split_sessions(labels, spec=SplitSpec(), texts=texts)
    assert time.process_time() - start < 10
    part_of = {
        i: p for p in ("train", "dev", "test") for i in getattr(plan.manifest, p).session_ids
    }
    assert len(part_of) == len(labels.labels)
    assert len({(labels.groups[i], p) for i, p in part_of.items()}) == 301
    worst = plan.manifest.largest_deviation
    assert worst is not None
    # Questions hold up to 12 answers of one class each; 24 cells share them.
    assert abs(worst.actual - worst.quota) <= 3
    cells = Counter(
        (labels.agents[x.session_id], x.result, part_of[x.session_id]) for x in labels.labels
    )
    assert min(cells.values()) >= 3
