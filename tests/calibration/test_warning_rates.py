"""How often is a fair judge warned about? Exact for two agents, simulated for three.

Measured rates stand in the comments. The bands of the simulation follow from its
own binomial error: three standard errors of a rate of .05.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from assay.metrics import ConfusionMatrix, broken_columns, self_enhancement
from assay.protocol.alignment import Alignment, Cell
from assay.protocol.own_family import flag_own_family

ALPHA = 0.05


def of(right_pass: int, n_pass: int, right_fail: int, n_fail: int) -> ConfusionMatrix:
    return ConfusionMatrix(
        tp=right_pass, fn=n_pass - right_pass, tn=right_fail, fp=n_fail - right_fail
    )


def far_off(by_agent: dict[str, ConfusionMatrix]) -> bool:
    total = sum(by_agent.values(), ConfusionMatrix())
    return any(w.kind == "agent_far_off" for w in broken_columns(total, by_agent))


@pytest.mark.parametrize(("n", "k"), [(7, 7), (13, 26), (20, 20), (40, 40)])
def test_two_agents_judged_alike_are_called_far_off_at_most_5_percent_of_the_time(n, k):
    # Exact, over all pairs of counts. Highest measured from .7 on: .045, at 20 + 20.
    # Below that mid-p goes a little over: .057 for a judge that tosses a coin at 40 + 40.
    warned = np.array(
        [
            [far_off({"a": of(x, n, 0, 0), "b": of(y, k, 0, 0)}) for y in range(k + 1)]
            for x in range(n + 1)
        ]
    )
    for truth in (0.5, 0.6, 0.7, 0.8, 0.9, 0.95):
        law_n = binom.pmf(np.arange(n + 1), n, truth)
        law_k = binom.pmf(np.arange(k + 1), k, truth)
        assert law_n @ warned @ law_k <= (ALPHA if truth >= 0.7 else 0.06), truth


@pytest.mark.parametrize(("n", "k"), [(7, 14), (13, 26), (20, 40)])
def test_a_fair_judge_shows_five_points_and_evidence_at_most_5_percent_of_the_time(n, k):
    # Exact, TPR of one own agent against one other, unadjusted: the weakest reading.
    shown = np.zeros((n + 1, k + 1))
    bare = np.zeros((n + 1, k + 1))
    for x in range(n + 1):
        for y in range(k + 1):
            by_agent = {"own": of(x, n, 0, 0), "other": of(y, k, 0, 0)}
            side, _ = self_enhancement(by_agent, frozenset({"own"}))
            assert side.delta is not None
            assert side.p_value is not None
            bare[x, y] = side.delta > 0.05
            shown[x, y] = side.delta >= 0.05 and side.p_value <= ALPHA
    for truth in (0.5, 0.7, 0.8, 0.9, 0.95):
        law_n = binom.pmf(np.arange(n + 1), n, truth)
        law_k = binom.pmf(np.arange(k + 1), k, truth)
        # Highest measured: .047, at 20 + 40 and .8. The bare rule: .21 to .44.
        assert law_n @ shown @ law_k <= ALPHA, truth
        assert law_n @ bare @ law_k > 4 * ALPHA, truth


SCENES = [(13, 7, 0.9), (20, 20, 0.8), (33, 15, 0.9), (50, 50, 0.7)]
"""Positives and negatives per agent, and the true TPR = TNR of every agent."""


def _draws(seed: int, n_pass: int, n_fail: int, truth: float, count: int):
    rng = np.random.default_rng(seed)
    right_pass = rng.binomial(n_pass, truth, (count, 3))
    right_fail = rng.binomial(n_fail, truth, (count, 3))
    for p, f in zip(right_pass.tolist(), right_fail.tolist(), strict=True):
        yield [of(x, n_pass, y, n_fail) for x, y in zip(p, f, strict=True)]


def band(count: int) -> float:
    return ALPHA + 3 * math.sqrt(ALPHA * (1 - ALPHA) / count)


def _rate_far_off(scene, count: int) -> float:
    found = [far_off(dict(zip("abc", one, strict=True))) for one in _draws(1, *scene, count)]
    return sum(found) / count


def _cell(m: ConfusionMatrix) -> Cell:
    counts = np.array([[m.tp, m.fn, 0, 0], [m.fp, m.tn, 0, 0]], dtype=np.int64)
    return Cell(counts, np.zeros(2, dtype=np.int64))


def _rate_flagged(scene, count: int) -> float:
    """Share of reports of three fair judges, one per family, with any flag."""
    flagged = 0
    families = {"a": "x", "b": "y", "c": "z"}
    judges = {"j1": "x", "j2": "y", "j3": "z"}
    streams = [_draws(seed, *scene, count) for seed in (2, 3, 4)]
    for by_judge in zip(*streams, strict=True):
        cells = {
            (judge, "d", agent): _cell(m)
            for judge, matrices in zip(judges, by_judge, strict=True)
            for agent, m in zip(families, matrices, strict=True)
        }
        counts = Alignment(tuple(judges), ("d",), tuple(families), {}, cells, {}, 0)
        flags = flag_own_family(counts, judge_families=judges, agent_families=families)
        assert len(flags) == 6
        flagged += any(f.state == "flagged" for f in flags)
    return flagged / count


@pytest.mark.parametrize("scene", SCENES)
def test_three_agents_judged_alike_are_seldom_called_far_off(scene):
    # 4,000 samples gave .013, .039, .024 and .043 in the four scenes.
    assert _rate_far_off(scene, 600) <= band(600)


def test_three_fair_judges_of_their_own_families_are_seldom_flagged():
    # 2,000 samples gave .001, .036, .029 and .042 in the four scenes.
    assert _rate_flagged((20, 20, 0.8), 250) <= band(250)


@pytest.mark.slow
@pytest.mark.parametrize("scene", SCENES)
def test_at_length_the_rate_of_false_warnings_stays_at_5_percent(scene):
    assert _rate_far_off(scene, 4000) <= band(4000)
    assert _rate_flagged(scene, 2000) <= band(2000)


def test_a_judge_that_is_far_off_on_one_agent_is_found():
    # Power, so that silence means something: .50 against .90 on 40 items each.
    rng = np.random.default_rng(9)
    found = 0
    for _ in range(200):
        a, b, c = (int(rng.binomial(40, t)) for t in (0.5, 0.9, 0.9))
        found += far_off({"a": of(a, 40, 0, 0), "b": of(b, 40, 0, 0), "c": of(c, 40, 0, 0)})
    # Measured: 200 of 200.
    assert found / 200 > 0.95
