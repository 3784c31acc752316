"""Every exception of MLflow leaves the room as one sentence of ours."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from assay.errors import StaleRunError, TrackingError
from assay.tracking import mlflow_errors
from assay.tracking.failures import MEANINGS, explain


def test_every_public_exception_of_mlflow_has_a_meaning():
    import mlflow.exceptions

    public = {
        name
        for name, cls in inspect.getmembers(mlflow.exceptions, inspect.isclass)
        if issubclass(cls, Exception)
        and cls.__module__ == "mlflow.exceptions"
        and not name.startswith("_")
    }
    assert len(public) > 5
    assert public - set(MEANINGS) == set()


def test_a_class_that_mlflow_adds_later_falls_back_on_its_base():
    from mlflow.exceptions import MlflowException

    class NewKind(MlflowException):
        pass

    assert explain(NewKind("no such thing")) == "MLflow refused it (no such thing)."


@pytest.mark.parametrize("error", [OSError("disk full"), ValueError("x"), KeyError("y")])
def test_whatever_a_plugin_raises_becomes_a_tracking_error(error):
    with pytest.raises(TrackingError) as caught, mlflow_errors(Path("out")):
        raise error
    assert caught.value.__cause__ is error


def test_the_message_says_where_the_results_are_and_shows_no_password():
    uri = "http://me:hunter2@host"
    with pytest.raises(TrackingError) as caught, mlflow_errors(Path("/x/out"), uri=uri):
        raise OSError(f"cannot reach {uri}\nmore lines")
    assert str(caught.value) == (
        "http://***@host: cannot record the run: OSError (cannot reach http://***@host). "
        "Nothing is lost: the results are complete in /x/out"
    )


def test_our_own_errors_pass_as_they_are():
    with pytest.raises(StaleRunError), mlflow_errors():
        raise StaleRunError("x")
