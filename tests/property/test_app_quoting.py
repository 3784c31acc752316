"""Whatever text is quoted for Hydra's grammar comes back unchanged."""

from __future__ import annotations

from hydra.core.override_parser.overrides_parser import OverridesParser
from hypothesis import given
from hypothesis import strategies as st

from assay.app.flags import parse_flags, quoted

_PARSER = OverridesParser.create()
_TEXT = st.text(
    st.characters(blacklist_categories=["Cs"], blacklist_characters="\x00"), max_size=30
)
_AWKWARD = st.text(alphabet="ab'\\\"# ,=[]{}()$|%:\n\t~!&;<", max_size=12)


@given(_TEXT | _AWKWARD)
def test_a_quoted_value_parses_back_to_itself(value):
    read = _PARSER.parse_override(f"key={quoted(value)}").value()
    assert str(getattr(read, "text", read)) == value


@given((_TEXT | _AWKWARD).filter(bool))
def test_a_flag_and_its_quoted_override_mean_the_same(value):
    as_flag = parse_flags(["--tracking.note", value]).texts
    as_override = parse_flags([f"tracking.note={quoted(value)}"]).texts
    assert as_flag == as_override == {"tracking.note": value}
