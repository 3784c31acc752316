"""Numbers as a person reads them; expected intervals from Wilson (1927), worked by hand."""

from __future__ import annotations

import pytest

from assay.metrics import ConfusionMatrix, Figure
from assay.reporting.numbers import figure_text, gate_words, number, p_text, rate_text, signed
from assay.reporting.text import in_html, in_markdown, in_sheet, printable


def test_a_rate_stands_with_its_interval_and_n():
    # 19/20: centre (0.95 + 1.9207/20) / (1 + 3.8415/20) = 0.8775, half width 0.1135.
    assert rate_text(ConfusionMatrix(tp=19, fn=1).tpr()) == "0.95 [0.76, 0.99] n=20"


def test_r32_full_marks_still_have_an_interval():
    # 20/20: low = 20 / (20 + 3.8415) = 0.839; 0/20 is its mirror.
    assert rate_text(ConfusionMatrix(tp=20).tpr()) == "1.00 [0.84, 1.00] n=20"
    assert rate_text(ConfusionMatrix(fn=20).tpr()) == "0.00 [0.00, 0.16] n=20"


def test_r31_an_undefined_rate_gives_its_reason():
    assert rate_text(ConfusionMatrix(tp=5).tnr()) == "undefined (no item that people failed)"


def test_an_undefined_figure_gives_its_reason():
    kappa = ConfusionMatrix(tp=2).kappa()
    assert figure_text(kappa).startswith("undefined (judge and people both used one")
    assert figure_text(Figure(None)) == "undefined (no reason recorded)"


@pytest.mark.parametrize(
    ("p", "shown"), [(0.5, "p=0.50"), (0.0123, "p=0.012"), (0.0002, "p<0.001"), (0.0, "p<0.001")]
)
def test_p_values_are_never_shown_as_zero(p, shown):
    assert p_text(p) == shown


def test_a_missing_p_value_gives_its_reason():
    assert p_text(None, undefined="too few") == "p undefined (too few)"


def test_no_number_is_shown_as_negative_zero_or_nan():
    assert number(-0.001) == "0.00"
    assert number(float("nan")) == "undefined"
    assert signed(0.125) == "+0.12"
    assert signed(-0.2) == "-0.20"


def test_every_gate_state_has_words():
    from typing import get_args

    from assay.metrics import GateState

    words = [gate_words(state) for state in get_args(GateState)]
    assert len(set(words)) == 7
    assert not any("_" in w for w in words)


def test_control_and_direction_characters_are_shown_not_obeyed():
    assert printable("a\x1b[2J\nb\u202ec") == "a\\x1b[2J\\nb\\u202ec"
    assert printable("naïve 評価") == "naïve 評価"


def test_html_markdown_and_sheet_text_is_inert():
    assert in_html('<b a="1">&') == "&lt;b a=&quot;1&quot;&gt;&amp;"
    assert in_markdown("a|b<i>[x](y)\n`c`") == r"a\|b&lt;i&gt;\[x\](y)\\n\`c\`"
    assert in_sheet("=1+1") == "'=1+1"
    assert in_sheet("  @SUM(A1)") == "'  @SUM(A1)"
    assert in_sheet("plain") == "plain"
