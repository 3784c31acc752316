from __future__ import annotations

import re

import pytest

from assay import errors
from assay.errors import AssayError, LabelFileError


def tree() -> dict[str, type[AssayError]]:
    return {
        name: value
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, AssayError)
    }


def documented() -> list[tuple[int, str, int]]:
    """(indent, class, exit code) of each line of the module's table."""
    rows = re.findall(r"^( +)(\w+) +(\d)  ", errors.__doc__ or "", flags=re.MULTILINE)
    return [(len(indent), name, int(code)) for indent, name, code in rows]


def test_the_table_lists_every_class_and_no_other():
    assert {name for _, name, _ in documented()} == set(tree())


def test_every_class_has_the_exit_code_and_the_parent_that_the_table_gives_it():
    above: dict[int, str] = {}
    for indent, name, code in documented():
        assert tree()[name].exit_code == code
        above[indent] = name
        parent = above.get(indent - 2)
        assert tree()[name].__base__.__name__ == (parent or "Exception")


def test_no_known_failure_exits_as_success():
    assert {c.exit_code for c in tree().values()} == {1, 2, 3, 4, 5}


def test_the_faults_of_a_file_are_kept_apart_and_shown_together():
    error = LabelFileError(["a.csv:2: blank id.", "a.csv:7: unknown label 'ok'."])
    assert error.faults == ("a.csv:2: blank id.", "a.csv:7: unknown label 'ok'.")
    assert str(error) == "a.csv:2: blank id.\na.csv:7: unknown label 'ok'."


@pytest.mark.parametrize("name", sorted(tree()))
def test_every_class_says_what_it_is_for(name):
    assert tree()[name].__doc__
