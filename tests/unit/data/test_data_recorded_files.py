"""Real files of other projects: what loads is counted with other tools, what does not says why."""

from __future__ import annotations

import json
from collections import Counter

import pandas as pd
import pytest

from assay.data import (
    LabelOptions,
    VerdictOptions,
    load_combined,
    load_labels,
    load_pairs,
    load_verdicts,
    sniff,
)
from assay.errors import LabelFileError
from tests.shared_material import shared_path

COMBINED = ("nq301_openqa", "evalsbench_annotation", "evalsbench_benchmark")
PAIRWISE = ("pandalm", "llmbar_natural_gptinst", "ragchecker_meta")


def test_counts_of_a_combined_file_equal_those_of_pandas():
    path = shared_path("data/nq301_openqa.binary.jsonl")
    labels, verdicts = load_combined(path)
    frame = pd.read_json(path, lines=True, dtype=False)
    assert len(labels.labels) == len(frame) == 3557
    assert (
        Counter(x.result.lower() for x in labels.labels) == frame["human"].value_counts().to_dict()
    )
    assert Counter(labels.agents.values()) == frame["agent"].value_counts().to_dict()
    assert len(set(labels.groups.values())) == frame["question_id"].nunique() == 301
    said = pd.json_normalize(frame["judges"].tolist())
    assert verdicts.judges == tuple(said.columns)
    for judge in verdicts.judges:
        outcomes = Counter(v.outcome for v in verdicts.verdicts if v.judge == judge)
        assert outcomes == said[judge].fillna("abstained").value_counts().to_dict()
    # A judge's table against people, cell by cell, from the plain JSON.
    human = {x.session_id: x.result.lower() for x in labels.labels}
    ours = Counter((human[v.session_id], v.outcome, v.judge) for v in verdicts.verdicts)
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert ours == Counter(
        (r["human"], v or "abstained", j) for r in records for j, v in r["judges"].items()
    )
    assert len(labels.votes) == sum(len(r["annotators"]) for r in records)
    assert labels.aggregation == "recorded"


@pytest.mark.parametrize("name", COMBINED)
def test_every_combined_file_loads_in_full(name):
    path = shared_path(f"data/{name}.binary.jsonl")
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    labels, verdicts = load_combined(path)
    assert sniff(path) == "combined"
    assert [x.session_id for x in labels.labels] == [r["item_id"] for r in records]
    assert len(verdicts.verdicts) == sum(len(r["judges"]) for r in records)
    assert set(labels.agents.values()) == {r["agent"] for r in records}


@pytest.mark.parametrize("name", PAIRWISE)
def test_every_pairwise_file_loads_in_full(name):
    path = shared_path(f"data/{name}.pairwise.jsonl")
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    pairs = load_pairs(path)
    assert sniff(path) == "pairs"
    assert [x.winner for x in pairs.labels] == [r["human"] for r in records]
    both = {(r["pair_id"], j): (v["ab"], v["ba"]) for r in records for j, v in r["judges"].items()}
    assert {(v.pair_id, v.judge): (v.ab, v.ba) for v in pairs.verdicts} == both
    assert len(pairs.votes) == sum(len(r.get("annotators", {})) for r in records)


def test_published_figures_of_pairwise_files_come_out():
    # LLMBar's statistics for GPT-4/Vanilla on Natural: 95 and 96 of 100 right, 93 in both orders.
    pairs = load_pairs(shared_path("data/llmbar_natural_gptinst.pairwise.jsonl"))
    natural = {x.pair_id: x.winner for x in pairs.labels if x.pair_id.startswith("nat-")}
    said = [v for v in pairs.verdicts if v.judge == "GPT-4/Vanilla" and v.pair_id in natural]
    right = [(v.ab == natural[v.pair_id], v.ba == natural[v.pair_id]) for v in said]
    assert (sum(a for a, _ in right), sum(b for _, b in right)) == (95, 96)
    assert sum(a and b for a, b in right) == 93
    # PandaLM's majority labels: tie 105, A 422, B 472.
    labels = load_pairs(shared_path("data/pandalm.pairwise.jsonl")).labels
    assert Counter(x.winner for x in labels) == {"tie": 105, "A": 422, "B": 472}


def test_rows_narrower_than_the_header_are_refused_and_counted():
    # The header names five columns; every row glues two of them together.
    path = shared_path("data/raw/openqa-eval.NQ301_text-davinci-003.tsv")
    with pytest.raises(LabelFileError) as caught:
        load_verdicts(path)
    first, *_, last = caught.value.faults
    assert first.startswith(f"{path.name}:2: record 1: 4 cells, but the header has 5 columns")
    assert len(caught.value.faults) == 21
    assert "more faults" in last


def test_ids_that_repeat_are_refused_with_both_places():
    path = shared_path("data/raw/openqa-eval.NQ301_human.tsv")
    wide = LabelOptions(annotator_columns=("annotator1", "annotator2", "annotator3"))
    with pytest.raises(LabelFileError) as caught:
        load_labels(path, options=wide)
    assert "record 2: a second label for '1', overall by annotator1" in caught.value.faults[0]
    assert "record 1, line 2" in caught.value.faults[0]


def test_quoted_line_breaks_of_a_real_table_load_like_in_pandas(tmp_path):
    path = shared_path("data/raw/evalsbench.annotation_df.csv")
    frame = pd.read_csv(path, keep_default_na=False, dtype=str)
    assert frame["response"].str.contains("\n").any()
    # The table has no id: number the records, and leave every cell as it is.
    numbered = tmp_path / "numbered.csv"
    frame.insert(0, "id", [f"r{i}" for i in range(len(frame))])
    frame.to_csv(numbered, index=False)
    options = VerdictOptions(columns={"raw_text": "response"}, ignore=("notes",))
    found = load_verdicts(numbered, options=options)
    assert [v.raw_text for v in found.verdicts] == frame["response"].tolist()
    assert [v.outcome for v in found.verdicts] == frame["verdict"].str.lower().tolist()
    # Its column `reason` holds the judge's own words, not why a verdict is missing.
    assert [v.rationale for v in found.verdicts] == frame["reason"].tolist()
    assert any("reason is read as the judge's rationale" in n for n in found.notices)


def test_a_real_header_without_an_id_lists_what_is_there():
    with pytest.raises(LabelFileError, match=r"no id: expected session_id, id, .*topic, question"):
        load_labels(shared_path("data/raw/evalsbench.benchmark_df.csv"))


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("pandalm.gpt-3.5-turbo-testset-v1.json", "no id"),
        ("llmbar.Natural.PaLM2-CoT.result.json", "no id"),
        ("paperbench.semantic-self-consistency.expected_result.json", "no label"),
    ],
)
def test_json_of_another_shape_is_refused_in_words(name, word):
    with pytest.raises(LabelFileError, match=word):
        load_labels(shared_path(f"data/raw/{name}"))
