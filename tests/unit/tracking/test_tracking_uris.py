"""Which store is meant, whatever way it is written."""

from __future__ import annotations

import pytest

from assay.errors import TrackingError
from assay.tracking import mask, resolve_uri
from assay.tracking.uris import canonical_uri, sqlite_path


def resolve(given, start, **environ):
    return resolve_uri(given, start=start, environ=environ)


def test_the_configured_uri_wins_over_the_environment_and_the_default(tmp_path):
    assert resolve("a.db", tmp_path, MLFLOW_TRACKING_URI="b.db") == f"sqlite:///{tmp_path}/a.db"
    assert resolve(None, tmp_path, MLFLOW_TRACKING_URI="b.db") == f"sqlite:///{tmp_path}/b.db"
    assert resolve(None, tmp_path) == f"sqlite:///{tmp_path}/mlflow.db"
    assert resolve(" ", tmp_path, MLFLOW_TRACKING_URI="") == f"sqlite:///{tmp_path}/mlflow.db"


@pytest.mark.parametrize(
    "given", ["runs.db", "./runs.db", "x/../runs.db", "sqlite:///runs.db", "sqlite:///./runs.db"]
)
def test_relative_forms_are_absolute_against_the_start_folder(given, tmp_path, monkeypatch):
    monkeypatch.chdir("/")
    uri = resolve(given, tmp_path)
    assert uri == f"sqlite:///{tmp_path}/runs.db"
    assert sqlite_path(uri) == tmp_path / "runs.db"


@pytest.mark.parametrize("given", ["file:C:/x", "file:///C:/x", "C:/x", "c:\\x", "file://C:/x"])
def test_windows_forms_of_a_folder_have_one_canonical_form(given, tmp_path):
    assert canonical_uri(given, start=tmp_path) == "file:///C:/x"


@pytest.mark.parametrize(
    "given", ["C:/x/m.db", "C:\\x\\m.db", "sqlite:///C:/x/m.db", "file:///C:/x/m.db"]
)
def test_windows_forms_of_a_database_have_one_canonical_form(given, tmp_path):
    assert resolve(given, tmp_path) == "sqlite:///C:/x/m.db"


@pytest.mark.parametrize(
    "given", ["./mlruns", "mlruns", "file:./mlruns", "file:mlruns", "/data/mlruns", "file:C:/x"]
)
def test_a_folder_store_is_refused_with_both_ways_out(given, tmp_path):
    with pytest.raises(TrackingError) as caught:
        resolve(given, tmp_path)
    text = str(caught.value)
    assert text.startswith("tracking.uri: ")
    assert "sqlite:///" in text
    assert "MLFLOW_ALLOW_FILE_STORE=true" in text
    assert caught.value.exit_code == 5


def test_a_folder_store_from_the_environment_is_blamed_on_its_variable(tmp_path):
    with pytest.raises(TrackingError, match=r"^MLFLOW_TRACKING_URI: "):
        resolve(None, tmp_path, MLFLOW_TRACKING_URI="./mlruns")


@pytest.mark.parametrize("value", ["true", "TRUE", "1"])
def test_the_opt_out_lets_a_folder_store_pass(value, tmp_path):
    uri = resolve("./ml runs", tmp_path, MLFLOW_ALLOW_FILE_STORE=value)
    assert uri == f"file://{tmp_path}/ml%20runs"


def test_the_opt_out_set_to_no_is_no_opt_out(tmp_path):
    with pytest.raises(TrackingError):
        resolve("./mlruns", tmp_path, MLFLOW_ALLOW_FILE_STORE="false")


@pytest.mark.parametrize("given", ["sqlite://", "sqlite:///", "sqlite:///:memory:", "sqlite:x.db"])
def test_a_sqlite_uri_without_a_file_is_refused(given, tmp_path):
    with pytest.raises(TrackingError, match="names no SQLite file"):
        resolve(given, tmp_path)


@pytest.mark.parametrize("given", ["a%20b.db", "a?b.db"])
def test_a_path_that_drivers_read_differently_is_refused(given, tmp_path):
    with pytest.raises(TrackingError, match="question mark"):
        resolve(given, tmp_path)


def test_a_file_uri_of_another_computer_is_refused(tmp_path):
    with pytest.raises(TrackingError, match="names the computer 'nas'"):
        resolve("file://nas/runs", tmp_path)


def test_servers_and_databases_pass_as_they_are(tmp_path):
    for uri in ("postgresql+psycopg2://u:p@db/x", "databricks://profile", "https://a.b:5000/ml"):
        assert resolve(uri, tmp_path) == uri
    assert resolve("http://127.0.0.1:5000/", tmp_path) == "http://127.0.0.1:5000"


def test_credentials_are_masked_and_nothing_else():
    assert mask("http://me:p@ss@host:1/x") == "http://***@host:1/x"
    assert mask("postgresql://h/d?sslmode=on&password=pw") == (
        "postgresql://h/d?sslmode=on&password=***"
    )
    assert mask("see http://a:b@h and sqlite:////x@y/m.db") == (
        "see http://***@h and sqlite:////x@y/m.db"
    )
    assert mask("max_tokens=1024") == "max_tokens=1024"


def test_a_refusal_shows_no_password(tmp_path):
    with pytest.raises(TrackingError) as caught:
        resolve("file://me:hunter2@nas/runs", tmp_path)
    assert "hunter2" not in str(caught.value)
