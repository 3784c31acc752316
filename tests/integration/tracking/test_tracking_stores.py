"""Opening a store: once, safely, or with a message that says what to do."""

from __future__ import annotations

import shutil
import socket
import sqlite3
import subprocess
import time
from contextlib import closing

import pytest

from assay.errors import TrackingError
from assay.schema import TrackingSpec
from assay.tracking import open_store


@pytest.fixture(autouse=True)
def _no_other_process_is_creating_the_store(monkeypatch):
    from assay.tracking import schema_check

    monkeypatch.setattr(schema_check, "_SETTLES_S", 0.0)


def change(path, statement):
    with closing(sqlite3.connect(path)) as db:
        db.execute(statement)
        db.commit()


@pytest.mark.slow
def test_six_processes_on_a_fresh_file_all_succeed(tmp_path, process):
    code = "with open_run(store, name='x', identity=f'i{os.getpid()}', tags={}) as r: r.complete()"
    children = [process(code, folder=tmp_path) for _ in range(6)]
    ends = [(child.communicate(timeout=240), child.returncode) for child in children]
    assert [code for _, code in ends] == [0] * 6, ends
    with closing(sqlite3.connect(tmp_path / "mlflow.db")) as db:
        assert db.execute("SELECT status, count(*) FROM runs GROUP BY status").fetchall() == [
            ("FINISHED", 6)
        ]
        assert db.execute("SELECT count(*) FROM experiments").fetchone() == (2,)


def test_opening_twice_finds_the_same_experiment(store, start):
    again = open_store(TrackingSpec(), start=start)
    assert again.experiment_id == store.experiment_id
    assert again.experiment == "assay"


def test_artifacts_lie_beside_the_database_whatever_the_current_folder(
    start, tmp_path_factory, monkeypatch
):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    monkeypatch.chdir(elsewhere)
    store = open_store(TrackingSpec(), start=start)
    where = store.client.get_experiment(store.experiment_id).artifact_location
    assert where == (start / "mlartifacts" / "assay").as_uri()
    assert list(elsewhere.iterdir()) == []


def test_an_experiment_name_that_is_no_folder_name_still_has_a_folder(start):
    store = open_store(TrackingSpec(experiment="../judges / v2?"), start=start)
    where = store.client.get_experiment(store.experiment_id).artifact_location
    assert where.startswith((start / "mlartifacts").as_uri() + "/")
    assert ".." not in where


def test_the_whereabouts_are_absolute_and_complete(store, start):
    assert store.shown == f"sqlite:///{start}/mlflow.db"
    assert store.view_command.startswith(
        f"mlflow ui --backend-store-uri sqlite:///{start}/mlflow.db --port 5000"
    )
    here = f"/#/experiments/{store.experiment_id}/runs"
    assert store.link("abc", base="http://h:1") == (
        f"http://h:1{here}/abc?workflowType=machine_learning"
    )
    assert store.link().startswith(f"http://127.0.0.1:5000{here}?workflowType=machine_learning")


def test_the_linked_view_is_in_the_store_and_shows_headline_metrics(store):
    key = store.link().rpartition("viewStateShareKey=")[2]
    tags = store.client.get_experiment(store.experiment_id).tags
    assert "metrics.`dev/min_tpr`" in tags[f"mlflow.sharedViewState.{key}"]


def test_a_deleted_experiment_gets_a_message_with_both_ways_out(store, start):
    store.client.delete_experiment(store.experiment_id)
    with pytest.raises(TrackingError) as caught:
        open_store(TrackingSpec(), start=start)
    assert f"restore --experiment-id {store.experiment_id}" in str(caught.value)
    assert "tracking.experiment=NAME" in str(caught.value)


def test_a_store_of_another_mlflow_version_is_refused_and_left_alone(start):
    path = start / "mlflow.db"
    change(path, "UPDATE alembic_version SET version_num = 'f00f00f00f00'")
    before = path.read_bytes()
    with pytest.raises(TrackingError) as caught:
        open_store(TrackingSpec(), start=start)
    assert "made by another version of MLflow (schema f00f00f00f00" in str(caught.value)
    assert f"mlflow db upgrade sqlite:///{path}" in str(caught.value)
    assert path.read_bytes() == before


def test_an_older_store_is_not_migrated_without_asking(start):
    # MLflow itself would migrate a file in which one of its newer tables is missing.
    path = start / "mlflow.db"
    with closing(sqlite3.connect(path)) as db:
        tables = [r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type='table'")]
    change(path, f"DROP TABLE {next(t for t in tables if 'endpoint' in t or 'webhook' in t)}")
    change(path, "UPDATE alembic_version SET version_num = '0a8213491aaa'")
    with pytest.raises(TrackingError, match="another version of MLflow"):
        open_store(TrackingSpec(), start=start)


def test_somebody_elses_database_is_not_written_into(tmp_path):
    path = tmp_path / "mlflow.db"
    change(path, "CREATE TABLE customers (id INTEGER)")
    with pytest.raises(TrackingError, match="tables that are not MLflow's"):
        open_store(TrackingSpec(), start=tmp_path)
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT name FROM sqlite_master").fetchall() == [("customers",)]


def test_a_file_that_is_no_database_is_refused(tmp_path):
    (tmp_path / "mlflow.db").write_text("labels, not a database\n" * 100, encoding="utf-8")
    with pytest.raises(TrackingError, match="cannot be read as a SQLite database"):
        open_store(TrackingSpec(), start=tmp_path)


def test_a_folder_in_the_files_place_is_refused(tmp_path):
    (tmp_path / "mlflow.db").mkdir()
    with pytest.raises(TrackingError, match="is a folder"):
        open_store(TrackingSpec(), start=tmp_path)


def test_a_folder_that_cannot_be_made_is_refused_at_once(tmp_path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(TrackingError, match="cannot be written"):
        open_store(TrackingSpec(uri="file/sub/mlflow.db"), start=tmp_path)


@pytest.mark.parametrize("scheme", ["http://me:hunter2@", "postgresql://me:hunter2@"])
def test_a_dead_server_is_found_out_in_bounded_time_without_its_password(scheme, tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        begun = time.monotonic()
        with pytest.raises(TrackingError) as caught:
            open_store(TrackingSpec(uri=f"{scheme}127.0.0.1:{port}"), start=tmp_path)
    assert time.monotonic() - begun < 15
    assert "nothing answers there" in str(caught.value)
    assert "mlflow server --host 127.0.0.1" in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_a_server_that_accepts_and_never_answers_is_found_out_too(tmp_path, monkeypatch):
    from assay.tracking import reach

    monkeypatch.setattr(reach, "_WAIT_S", 0.5)
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        with pytest.raises(TrackingError, match="timed out"):
            open_store(
                TrackingSpec(uri=f"http://127.0.0.1:{deaf.getsockname()[1]}"), start=tmp_path
            )


def test_a_path_with_spaces_and_signs_works(tmp_path, migrated):
    folder = tmp_path / "a b #1 100%"
    folder.mkdir()
    shutil.copy(migrated, folder / "mlflow.db")
    store = open_store(TrackingSpec(), start=folder)
    assert store.experiment_id
    assert [p.name for p in tmp_path.iterdir()] == ["a b #1 100%"]
    assert f"'sqlite:///{folder}/mlflow.db'" in store.view_command


def test_importing_the_room_loads_no_mlflow():
    import sys

    code = "import sys, assay.tracking; sys.exit('mlflow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
