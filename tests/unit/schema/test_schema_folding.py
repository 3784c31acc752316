from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.schema import fold


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Fixed the bug.", "fixed  the\n bug"),
        ("`parse_row`, then stop!", "Parse row; then stop"),
        ("STRASSE", "straße"),
        ("\uff26\uff55ll width", "full width"),
        ("cafe\u0301", "caf\u00e9"),
        ("zero\u200bwidth", "zerowidth"),
        ("x==1", "x == 1"),
    ],
)
def test_case_space_punctuation_and_unicode_spelling_do_not_count(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("return a + b", "return a - b"),
        ("3.5 seconds", "35 seconds"),
        ("5 €", "5 $"),
        ("का", "की"),
        ("now here", "nowhere"),
    ],
)
def test_what_changes_the_meaning_is_kept(one: str, other: str) -> None:
    assert fold(one) != fold(other)


def test_text_without_a_word_folds_to_nothing() -> None:
    assert fold(" -- ...\t\n") == ""


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)
