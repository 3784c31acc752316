"""The split on disk: one label file per part, and no way to that of test."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import assay.data
from assay.data import (
    load_pairs,
    load_sessions,
    read_manifest,
    read_tuning_labels,
    write_json,
    write_jsonl,
    write_split,
)
from assay.data.files import write_text
from assay.errors import InputError, LabelFileError, LeakageError
from assay.schema import HumanLabel, LabelSet, Session, SplitManifest, SplitPart, digest

PARTS = {"train": ["a"], "dev": ["b", "c"], "test": ["d"]}


def label_set(ids):
    return LabelSet(
        tuple(HumanLabel(session_id=i, dimension="x", result="Pass", notes="n") for i in ids)
    )


@pytest.fixture
def split(tmp_path):
    parts = {name: label_set(ids) for name, ids in PARTS.items()}
    manifest = SplitManifest(
        fractions={"train": 0.25, "dev": 0.5, "test": 0.25},
        seed=0,
        group_by_task=False,
        labels_digest=label_set("abcd").digest,
        largest_deviation=None,
        **{
            name: SplitPart(
                session_ids=tuple(ids),
                digest=digest(ids),
                labels_file=f"labels.{name}.jsonl",
                labels_digest=parts[name].digest,
            )
            for name, ids in PARTS.items()
        },
    )
    write_split(tmp_path, manifest, parts)
    return tmp_path, manifest, parts


def test_tuning_parts_are_read_from_their_own_files(split):
    folder, manifest, parts = split
    (folder / manifest.test.labels_file).unlink()
    for part in ("train", "dev"):
        assert read_tuning_labels(folder, part).labels == parts[part].labels


@pytest.mark.parametrize("part", ["test", "labels.test.jsonl", "../x", ""])
def test_no_other_part_can_be_read_whatever_a_type_checker_was_told(split, part):
    with pytest.raises(LeakageError, match="only train and dev"):
        read_tuning_labels(split[0], part)


def test_no_code_of_the_data_room_reads_the_test_part():
    # The manifest's test entry may be written; nothing loads from it.
    for path in Path(assay.data.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.Attribute) and node.attr == "test"), path.name


def test_a_changed_label_file_is_noticed(split):
    folder, manifest, _ = split
    path = folder / manifest.dev.labels_file
    path.write_text(path.read_text(encoding="utf-8").replace("Pass", "Fail", 1), encoding="utf-8")
    with pytest.raises(LabelFileError, match="changed since the split"):
        read_tuning_labels(folder, "dev")


def test_the_same_split_may_be_written_again_and_another_may_not(split):
    folder, manifest, parts = split
    write_split(folder, manifest, parts)
    with pytest.raises(InputError, match="another split is already there"):
        write_split(folder, manifest.model_copy(update={"seed": 1}), parts)


def test_a_file_with_other_content_is_never_overwritten_unasked(tmp_path):
    path = tmp_path / "deep" / "x.txt"
    write_text(path, "mine\n")
    write_text(path, "mine\n")
    with pytest.raises(InputError, match="already with other content"):
        write_text(path, "yours\n")
    assert path.read_bytes() == b"mine\n"
    write_text(path, "yours\n", overwrite=True)
    assert path.read_bytes() == b"yours\n"
    assert [p.name for p in path.parent.iterdir()] == ["x.txt"]


def test_sessions_come_back_as_written_and_faults_are_named(tmp_path):
    sessions = [
        Session(session_id=f"s{i}", task_id="t", agent="a", agent_family="f", task_prompt="\u2028x")
        for i in range(2)
    ]
    path = tmp_path / "sessions.jsonl"
    write_jsonl(path, sessions)
    assert load_sessions(path) == tuple(sessions)
    lines = path.read_text(encoding="utf-8").split("\n")
    path.write_text(
        "\n".join([lines[0], lines[0], lines[1].replace("final_message", "final_mesage"), "{}"]),
        encoding="utf-8",
    )
    with pytest.raises(LabelFileError) as caught:
        load_sessions(path)
    text = str(caught.value)
    assert "sessions.jsonl:2: session_id 's0' again" in text
    assert "did you mean 'final_message'" in text
    assert "sessions.jsonl:4: session_id is missing" in text


def test_pairs_with_judges_keep_both_orders(tmp_path):
    path = tmp_path / "pairs.jsonl"
    path.write_text(
        '{"pair_id": "p", "human": "A", "judges": {"j": {"ab": "A", "ba": null}},'
        ' "agents": {"A": "x", "B": "y"}, "orders": "ab-only"}\n'
        '{"pair_id": "q", "human": null, "judges": {"j": {"ab": "tie", "ba": "B"}}}\n',
        encoding="utf-8",
    )
    pairs = load_pairs(path)
    assert [(p.pair_id, p.winner, p.agent_a) for p in pairs.labels] == [("p", "A", "x")]
    assert [(v.ab, v.ba) for v in pairs.verdicts] == [("A", None), ("tie", "B")]
    assert pairs.unlabelled == 1


def vote(session, result, who):
    return HumanLabel(session_id=session, dimension="x", result=result, annotator=who)


def write_dev(folder, labels):
    """A split whose dev part holds these labels and whose other parts hold none."""
    ids = sorted({x.session_id for x in (*labels.labels, *labels.votes)})
    parts = {"train": LabelSet(()), "dev": labels, "test": LabelSet(())}
    manifest = SplitManifest(
        fractions={"train": 0.25, "dev": 0.5, "test": 0.25},
        seed=0,
        group_by_task=False,
        labels_digest=labels.digest,
        largest_deviation=None,
        **{
            name: SplitPart(
                session_ids=ids if name == "dev" else [],
                digest=digest(ids if name == "dev" else []),
                labels_file=f"labels.{name}.jsonl",
                labels_digest=part.digest,
            )
            for name, part in parts.items()
        },
    )
    write_split(folder, manifest, parts)
    return manifest


def test_agents_families_and_tasks_stay_with_their_part(tmp_path):
    labels = LabelSet(
        (
            HumanLabel(
                session_id="007", dimension="x", result="Pass", notes="\u2028 n", confidence=1
            ),
        ),
        agents={"007": "bot"},
        families={"bot": "atlas"},
        groups={"007": "t1"},
    )
    write_dev(tmp_path, labels)
    back = read_tuning_labels(tmp_path, "dev")
    assert (back.labels, back.agents, back.families, back.groups) == (
        labels.labels, labels.agents, labels.families, labels.groups,
    )  # fmt: skip


@pytest.mark.parametrize("rule", ["majority", "unanimous", "recorded"])
def test_votes_stay_beside_the_labels_that_were_made_of_them(tmp_path, rule):
    votes = (vote("a", "Pass", "ann"), vote("a", "Pass", "bob"), vote("a", "Fail", "cyd"))
    votes += (vote("b", "Pass", "ann"), vote("b", "Fail", "bob"), vote("c", "Pass", "ann"))
    # a: two of three; b: a tie; c: one vote. A recorded label may go against all of them.
    made = {
        "majority": {"a": "Pass", "c": "Pass"},
        "unanimous": {"c": "Pass"},
        "recorded": {"a": "Fail", "b": "Pass", "c": "Pass"},
    }[rule]
    labels = tuple(HumanLabel(session_id=s, dimension="x", result=r) for s, r in made.items())
    undecided = 3 - len(labels)
    write_dev(tmp_path, LabelSet(labels, votes=votes, aggregation=rule, undecided=undecided))
    back = read_tuning_labels(tmp_path, "dev")
    assert (back.labels, back.votes) == (labels, votes)
    assert (back.aggregation, back.undecided) == (rule, undecided)


def test_labels_of_named_annotators_alone_are_single(tmp_path):
    labels = (vote("a", "Pass", "ann"), vote("b", "Fail", "ann"))
    write_dev(tmp_path, LabelSet(labels, votes=labels))
    back = read_tuning_labels(tmp_path, "dev")
    assert (back.labels, back.votes, back.aggregation) == (labels, labels, "single")


def test_a_manifest_that_points_at_another_parts_file_is_refused(split):
    folder, _, _ = split
    path = folder / "split.json"
    text = path.read_text(encoding="utf-8").replace("labels.dev.jsonl", "labels.test.jsonl")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(LeakageError, match=r"dev names labels.test.jsonl"):
        read_tuning_labels(folder, "dev")


def test_another_parts_labels_under_devs_name_are_refused(split):
    folder, _, _ = split
    (folder / "labels.dev.jsonl").write_bytes((folder / "labels.test.jsonl").read_bytes())
    with pytest.raises(LeakageError, match=r"1 sessions are not in dev \(d\)"):
        read_tuning_labels(folder, "dev")


def test_votes_on_another_parts_sessions_are_refused(tmp_path):
    labels = (vote("a", "Pass", "ann"),)
    write_dev(tmp_path, LabelSet(labels, votes=labels))
    write_jsonl(tmp_path / "votes.dev.jsonl", [vote("z", "Pass", "ann")], overwrite=True)
    with pytest.raises(LeakageError, match="not in dev"):
        read_tuning_labels(tmp_path, "dev")


def test_sessions_added_to_a_part_of_the_manifest_are_noticed(split):
    folder, manifest, _ = split
    dev = manifest.dev.model_copy(update={"session_ids": ("b", "c", "d")})
    write_json(folder / "split.json", manifest.model_copy(update={"dev": dev}), overwrite=True)
    with pytest.raises(LabelFileError, match="sessions of dev changed since the split"):
        read_tuning_labels(folder, "dev")


@pytest.mark.parametrize("text", ["{", "{}", "[]", '{"seed": 1, "seed": 2}'])
def test_a_file_that_is_no_manifest_says_so(tmp_path, text):
    (tmp_path / "split.json").write_text(text, encoding="utf-8")
    with pytest.raises(LabelFileError, match="not a split manifest"):
        read_manifest(tmp_path)


def test_a_folder_without_a_split_says_what_to_run(tmp_path):
    with pytest.raises(InputError, match="run assay split first"):
        read_manifest(tmp_path)


def test_a_label_file_in_the_way_is_never_overwritten(split):
    folder, manifest, parts = split
    (folder / "labels.train.jsonl").write_text("mine\n", encoding="utf-8")
    with pytest.raises(InputError, match="already with other content"):
        write_split(folder, manifest, parts)
    assert (folder / "labels.train.jsonl").read_text(encoding="utf-8") == "mine\n"
