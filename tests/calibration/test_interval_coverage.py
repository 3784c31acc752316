"""Exact coverage of every interval, by enumeration of all outcomes; nothing is simulated."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from assay.stats import wilson
from experiments.studies.interval_coverage import METHODS, coverage, main, study

SIZES = (5, 10, 20, 30, 40, 50, 100)
TRUTHS = np.linspace(0.01, 0.99, 99)
EXACT = ("Clopper-Pearson", "lower bound", "upper bound")


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("method", EXACT)
def test_clopper_pearson_never_covers_less_than_it_promises(method, level):
    found = coverage(method, sizes=SIZES, truths=TRUTHS, level=level)
    assert found.lowest >= level - 1e-12


@pytest.mark.parametrize("method", ["lower bound", "upper bound"])
def test_a_one_sided_bound_wastes_nothing_at_its_worst(method):
    # Somewhere on the grid it is nearly exact: it promises no less than it could.
    assert coverage(method, sizes=SIZES, truths=TRUTHS).lowest < 0.9505


def test_wilson_covers_95_percent_on_average():
    found = coverage("Wilson", sizes=SIZES, truths=TRUTHS)
    by_size = found.values.mean(axis=1)
    # Measured: .955 at n = 5 and 10, falling to .949 at n = 100.
    assert by_size.min() > 0.947
    assert by_size.max() < 0.957
    assert found.mean == pytest.approx(0.952, abs=0.001)


def test_wilson_dips_where_the_literature_says_it_does():
    # Brown, Cai and DasGupta (2001): the dip lies near 0 and 1, where one outcome
    # drops out of the interval. Lowest of this grid: .8587 at n = 5 and p = .97.
    found = coverage("Wilson", sizes=SIZES, truths=TRUTHS)
    n, truth = found.where_lowest()
    assert n == 5
    assert min(truth, 1 - truth) == pytest.approx(0.03)
    # There only the interval of 5 of 5 still holds the truth, and .97^5 = .8587.
    assert found.lowest == pytest.approx(0.97**5)
    # From 20 labels of a class on, and between .05 and .95, it is never below .92.
    inner = (TRUTHS >= 0.05) & (TRUTHS <= 0.95)
    assert found.values[2:, inner].min() > 0.92


def test_enumeration_agrees_with_a_sum_written_out_by_hand():
    # n = 2, p = .5: outcomes 0, 1, 2 have chances .25, .5, .25. Wilson at 95%:
    # [0, .658], [.095, .905], [.342, 1]: all three hold .5, so coverage is 1.
    # At p = .05 only 0 (.9025) holds it: .095 is above .05.
    found = coverage("Wilson", sizes=[2], truths=np.array([0.5, 0.05]))
    assert found.values[0] == pytest.approx([1.0, 0.9025])


def test_enumeration_agrees_with_a_seeded_simulation():
    rng = np.random.default_rng(11)
    n, truth, draws = 30, 0.9, 20_000
    ends = [wilson(x, n) for x in range(n + 1)]
    held = sum(ends[x].low <= truth <= ends[x].high for x in rng.binomial(n, truth, draws))
    exact = coverage("Wilson", sizes=[n], truths=np.array([truth])).values[0, 0]
    # Four standard errors of the simulation.
    assert held / draws == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / draws))


def test_the_law_used_adds_up():
    assert binom.pmf(np.arange(51), 50, 0.95).sum() == pytest.approx(1)


def test_the_study_runs_small_draws_its_figure_and_concludes(tmp_path, capsys):
    assert main(["--small", "--out", str(tmp_path / "new")]) == 0
    printed = capsys.readouterr().out
    assert "Conclusion: Clopper-Pearson never falls below its level" in printed
    assert all(f"{name}: mean" in printed for name in METHODS)
    assert (tmp_path / "new" / "coverage.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_the_whole_study_says_the_same_at_every_size_from_5_to_200():
    by_name = {found.method: found for found in study(small=False)}
    for name in EXACT:
        assert by_name[name].lowest >= 0.95 - 1e-12
    # Measured: mean .9515; lowest .8325 at n = 5 and p = .036 or .964.
    assert by_name["Wilson"].mean == pytest.approx(0.9515, abs=0.0005)
    assert by_name["Wilson"].lowest == pytest.approx(0.8325, abs=0.0005)
