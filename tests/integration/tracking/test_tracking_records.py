"""What ends up in the store: everything, uncut, once, in few files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.errors import StaleRunError, TrackingError
from assay.protocol import measure
from assay.schema import PolicySpec
from assay.tracking import RunContent, metrics_of, open_run, record, unsegment
from tests.labelled_worlds import planted, verdict


def report_of(cells, **kwargs):
    labels, verdicts = planted(cells, **kwargs)
    return measure(labels, verdicts, kind="dev", policy=PolicySpec(), split_digest="5" * 64)


@pytest.fixture
def content(tmp_path):
    def make(report=None, **kwargs):
        folder = tmp_path / "out"
        folder.mkdir(exist_ok=True)
        (folder / "report.json").write_text("{}", encoding="utf-8")
        values = {
            "report": report or report_of({"a": (8, 2, 4, 1)}),
            "params": {"judge": "strict", "temperature": 0.0},
            "description": "# Verdict",
            "folder": folder,
            **kwargs,
        }
        return RunContent(**values)

    return make


@pytest.fixture
def recorded(store, content):
    def go(*args, name="strict", **kwargs):
        with open_run(store, name=name, identity="i", tags={}) as run:
            record(run, content(*args, **kwargs))
        there = store.client.get_run(run.run_id)
        return there, Path(there.info.artifact_uri.removeprefix("file://"))

    return go


def test_a_recorded_run_is_finished_and_holds_the_reports_numbers(recorded, content):
    there, folder = recorded()
    assert there.info.status == "FINISHED"
    assert there.data.params == {"cfg/judge": "strict", "cfg/temperature": "0.0"}
    assert there.data.metrics == dict(metrics_of(content().report)[0])
    assert there.data.tags["assay.positive_class"] == "Pass"
    assert there.data.tags["mlflow.note.content"] == "# Verdict"
    assert (folder / "report.json").is_file()


def test_metrics_parameters_and_tags_go_in_one_call(store, content, monkeypatch):
    calls: list[int] = []
    real = type(store.client).log_batch

    def counted(self, run_id, metrics=(), **kwargs):
        calls.append(len(metrics))
        return real(self, run_id, metrics=metrics, **kwargs)

    with open_run(store, name="x", identity="i", tags={}) as run:
        monkeypatch.setattr(type(store.client), "log_batch", counted)
        record(run, content())
    assert len(calls) == 1
    assert calls[0] > 10


def test_more_metrics_than_one_call_takes_are_all_there(recorded, content):
    # 60 dimensions of 16 metrics each.
    labels, verdicts = [], []
    for i in range(60):
        part, said = planted({"a": (3, 1, 2, 1)}, dimension=f"d{i:02}")
        labels += part.labels
        verdicts += said
    from assay.schema import LabelSet

    report = measure(LabelSet(tuple(labels)), verdicts, kind="dev", policy=PolicySpec())
    expected = dict(metrics_of(report)[0])
    assert len(expected) > 900
    there, _ = recorded(report)
    assert there.data.metrics == expected


def test_the_number_of_artifacts_does_not_depend_on_the_number_of_items(recorded):
    few = report_of({"a": (6, 1, 2, 1), "b": (6, 1, 2, 1)})
    many = report_of({"a": (120, 5, 20, 5), "b": (120, 5, 20, 5)})  # 300 items
    names = []
    for report in (few, many):
        there, folder = recorded(report)
        names.append(sorted(p.name for p in folder.rglob("*")))
        tables = json.loads(there.data.tags["mlflow.loggedArtifacts"])
        assert len(tables) <= 5
    assert names[0] == names[1]
    assert len(names[0]) < 10


def test_a_sixth_table_is_refused(recorded):
    tables = {f"t{i}.json": {"a": [1]} for i in range(5)}
    with pytest.raises(TrackingError, match="5 fit"):
        recorded(tables=tables)


def test_a_folder_with_a_file_per_item_is_refused(recorded, tmp_path):
    (tmp_path / "out").mkdir()
    for i in range(300):
        (tmp_path / "out" / f"{i}.json").write_text("{}", encoding="utf-8")
    with pytest.raises(TrackingError, match="301 files"):
        recorded()


def test_tables_can_be_read_back_with_mlflows_own_reader(store, recorded, monkeypatch):
    there, _ = recorded()
    # The reader looks for runs in the store of the environment, not in the client's own.
    monkeypatch.setenv("MLFLOW_TRACKING_URI", store.uri)
    frame = store.client.load_table(there.info.experiment_id, "confusion.json", [there.info.run_id])
    assert frame["FP false pass"].tolist() == [1]
    assert frame["TP"].tolist() == [8]
    assert frame["TPR"][0].startswith("0.80 (")


def test_an_undefined_metric_is_absent_and_listed(recorded):
    there, _ = recorded(report_of({"a": (9, 1, 0, 0)}))
    assert not [name for name in there.data.metrics if "tnr" in name]
    assert "dev/correctness/tnr" in there.data.tags["undefined_metrics"]


def test_judges_that_differ_in_punctuation_stay_apart(recorded):
    judges = ("org/model:8b@q4", "org/model:8b q4")
    labels, _ = planted({"a": (3, 1, 2, 1)})
    verdicts = [
        verdict(x.session_id, x.dimension, "pass", judge=j) for x in labels.labels for j in judges
    ]
    report = measure(labels, verdicts, kind="dev", policy=PolicySpec(), headline="org/model:8b q4")
    there, folder = recorded(report)
    names = json.loads((folder / "metric_names.json").read_text(encoding="utf-8"))
    assert sorted(names.values()) == sorted(judges)
    assert all(unsegment(segment) == original for segment, original in names.items())
    assert "dev/judge/org_2Fmodel_3A8b_40q4/min_tpr" in there.data.metrics


def test_what_was_measured_against_is_a_dataset_input(recorded, content):
    there, _ = recorded()
    digest = content().report.labels.digest
    datasets = {x.dataset.name: x for x in there.inputs.dataset_inputs}
    assert set(datasets) == {f"labels-dev@{digest[:8]}", "split@55555555"}
    labels = datasets[f"labels-dev@{digest[:8]}"]
    assert json.loads(labels.dataset.source) == {"sha256": digest}
    assert [(t.key, t.value) for t in labels.tags] == [("mlflow.data.context", "dev")]


def test_a_long_description_is_whole_in_its_artifact(recorded):
    text = "\n".join(f"| row {i} | äöü |" for i in range(3000))
    there, folder = recorded(description=text)
    assert len(there.data.tags["mlflow.note.content"]) < 8000
    assert "description.md" in there.data.tags["mlflow.note.content"]
    assert (folder / "description.md").read_text(encoding="utf-8") == text


def test_a_tag_that_the_store_would_cut_is_refused_locally(recorded):
    with pytest.raises(TrackingError, match=r"tag assay\.long has 9000"):
        recorded(tags={"assay.long": "x" * 9000})


def test_known_secrets_are_masked_everywhere(recorded):
    there, folder = recorded(
        params={"note": "key sk-12345 here"},
        description="used sk-12345 at http://me:pw@host",
        overrides=["panel.note=sk-12345"],
        config_yaml="note: sk-12345\n",
        secrets=["sk-12345", "", "key"],
    )
    everything = json.dumps(there.data.to_dictionary()) + "".join(
        p.read_text(encoding="utf-8") for p in folder.rglob("*") if p.is_file()
    )
    assert "sk-12345" not in everything
    assert "me:pw" not in everything
    assert there.data.params["cfg/note"] == "key *** here"


def test_overrides_and_the_composed_configuration_are_kept(recorded):
    there, folder = recorded(overrides=["judge=strict", "a='b, c'"], config_yaml="a: 1\n")
    assert json.loads(there.data.tags["assay.overrides"]) == ["judge=strict", "a='b, c'"]
    assert (folder / "config.yaml").read_text(encoding="utf-8") == "a: 1\n"


def test_simulated_judges_say_so_in_name_and_tag(recorded):
    labels, verdicts = planted({"a": (8, 2, 4, 1)})
    simulated = [v.model_copy(update={"simulated": True}) for v in verdicts]
    report = measure(labels, simulated, kind="dev", policy=PolicySpec())
    there, _ = recorded(report)
    assert there.info.run_name == "SIMULATED strict"
    assert there.data.tags["assay.simulated"] == "true"


def test_a_failing_store_loses_no_result_and_says_where_it_is(store, content, tmp_path):
    with open_run(store, name="x", identity="i", tags={}) as run:
        store.client.delete_run(run.run_id)
        with pytest.raises(TrackingError) as caught:
            record(run, content())
        store.client.restore_run(run.run_id)
    assert store.client.get_run(run.run_id).info.status == "FAILED"
    assert f"Nothing is lost: the results are complete in {tmp_path / 'out'}" in str(caught.value)
    assert (tmp_path / "out" / "report.json").is_file()
    assert not run.completed


def test_a_second_record_of_a_run_repeats_nothing(store, content):
    with open_run(store, name="x", identity="i", tags={}) as run:
        record(run, content())
        record(run, content())
    folder = Path(store.client.get_run(run.run_id).info.artifact_uri.removeprefix("file://"))
    assert len(json.loads((folder / "confusion.json").read_text(encoding="utf-8"))["data"]) == 1


def test_a_recorded_parameter_is_never_rewritten(store, content):
    params = {"cfg/temperature": "0.2"}
    with (
        pytest.raises(StaleRunError, match=r"cfg/temperature=0\.2, now cfg/temperature=0\.0"),
        open_run(store, name="x", identity="i", tags={}, params=params) as run,
    ):
        record(run, content())
    assert store.client.get_run(run.run_id).info.status == "FAILED"
