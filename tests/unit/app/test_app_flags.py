"""Command-line words become overrides, whichever door they came through."""

from __future__ import annotations

import pytest

from assay.app.flags import parse_flags, quoted
from assay.errors import ConfigError


def test_overrides_keep_their_order_and_flags_become_overrides():
    flags = parse_flags(["judge=strict", "--panel", "poll", "--data.size=200", "--json"])
    assert flags.overrides == ("judge=strict", "panel=poll", "data.size=200")
    assert flags.json
    assert not flags.multirun


def test_an_empty_flag_value_means_the_default():
    assert parse_flags(["--judge", "", "--tracking.note", ""]) == parse_flags([])


@pytest.mark.parametrize(
    "prose",
    [
        "issue #12 is named",
        "a, b",
        "a=b",
        'it\'s "quoted"',
        "Price is ${amount}",
        "ü < ! ; & ~",
        " x ",
    ],
)
def test_free_text_given_as_a_flag_is_taken_verbatim(prose):
    assert parse_flags(["--tracking.note", prose]).texts == {"tracking.note": prose}


def test_quoted_free_text_is_read_as_hydra_quotes_it():
    flags = parse_flags(["judge.extra_instruction='a|b 50% c@d'"])
    assert flags.texts == {"judge.extra_instruction": "a|b 50% c@d"}


def test_unreadable_free_text_is_refused_with_a_form_that_works():
    with pytest.raises(ConfigError) as caught:
        parse_flags(["judge.extra_instruction=issue #12 is named"])
    message = str(caught.value)
    assert "\n" not in message
    working = message.rpartition(": ")[2].strip('"')
    assert parse_flags([working]).texts == {"judge.extra_instruction": "issue #12 is named"}


def test_a_comma_in_free_text_is_refused_even_in_a_sweep():
    with pytest.raises(ConfigError, match="comma in free text"):
        parse_flags(["-m", "judge=baseline,strict", "tracking.note=first,second"])


@pytest.mark.parametrize("word", ["tracking.note=12", "tracking.note=true", "tracking.note=[a]"])
def test_free_text_that_reads_as_something_else_is_refused_with_the_hint_to_quote(word):
    with pytest.raises(ConfigError, match=r"must be text.*quote it"):
        parse_flags([word])


def test_a_flag_without_its_value_and_an_unknown_short_flag_are_refused():
    with pytest.raises(ConfigError, match="needs a value"):
        parse_flags(["--judge"])
    with pytest.raises(ConfigError, match="unknown flag"):
        parse_flags(["-x"])


def test_a_comma_in_a_flag_is_literal_unless_it_sweeps():
    assert parse_flags(["--data.dir", "a,b"]).overrides == ("data.dir='a,b'",)
    assert parse_flags(["-m", "--judge", "a,b"]).overrides == ("judge=a,b",)


def test_quoting_leaves_plain_text_readable():
    assert quoted("a b") == "'a b'"
    assert quoted("it's") == r"'it\'s'"
