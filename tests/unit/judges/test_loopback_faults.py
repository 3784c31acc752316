"""Faults by rate and by name."""

from __future__ import annotations

from collections import Counter

import pytest
from scipy.stats import binom

from assay.judges.loopback.asking import BadRequest
from assay.judges.loopback.faults import (
    FAULT_MIX,
    FAULTY_ATTEMPTS,
    FaultPlan,
    ModelName,
    delay,
    read_model_name,
)

ATLAS = ModelName("sim-atlas-1")
N = 5000


def assert_binomial(successes, trials, rate):
    tail = min(binom.cdf(successes, trials, rate), binom.sf(successes - 1, trials, rate))
    assert tail * 2 > 1e-6, f"{successes} of {trials} at {rate}"


def test_the_mix_adds_up_to_one():
    assert sum(FAULT_MIX.values()) == pytest.approx(1.0, abs=1e-12)


def test_first_attempts_fail_at_the_rate_and_in_the_declared_mix():
    plan = FaultPlan(0, 0.2)
    faults = [plan.next_fault(b"%d" % i, ATLAS) for i in range(N)]
    kinds = Counter(f for f in faults if f is not None)
    assert_binomial(kinds.total(), N, 0.2)
    for kind, share in FAULT_MIX.items():
        assert_binomial(kinds[kind], N, 0.2 * share)


def test_every_request_is_answered_by_its_third_attempt():
    plan = FaultPlan(0, 0.9)
    for i in range(500):
        attempts = 1
        while plan.next_fault(b"%d" % i, ATLAS) is not None:
            attempts += 1
        assert attempts <= FAULTY_ATTEMPTS + 1


def test_faults_are_the_same_in_another_server_and_in_another_order():
    ids = [b"%d" % i for i in range(300)]
    one, two = FaultPlan(7, 0.3), FaultPlan(7, 0.3)
    forward = {i: one.next_fault(i, ATLAS) for i in ids}
    backward = {i: two.next_fault(i, ATLAS) for i in reversed(ids)}
    assert forward == backward
    other = FaultPlan(8, 0.3)
    assert {i: other.next_fault(i, ATLAS) for i in ids} != forward


def test_without_a_rate_nothing_fails():
    plan = FaultPlan(0, 0.0)
    assert {plan.next_fault(b"%d" % i, ATLAS) for i in range(200)} == {None}


def test_a_name_can_ask_for_a_fault_on_the_first_attempts():
    asked = read_model_name("sim-atlas-1?fault=500&times=2&latency_ms=12.5")
    assert asked == ModelName("sim-atlas-1", "500", 2, 12.5)
    plan = FaultPlan(0, 0.0)
    assert [plan.next_fault(b"r", asked) for _ in range(4)] == ["500", "500", None, "500"]


def test_a_plain_name_asks_for_nothing():
    assert read_model_name("sim-atlas-1") == ATLAS


@pytest.mark.parametrize("name", ["m?fault=418", "m?oops=1", "m?times=x", "m?latency_ms=y"])
def test_a_name_that_asks_for_something_unknown_is_refused(name):
    with pytest.raises(BadRequest, match="model"):
        read_model_name(name)


def test_latency_varies_by_a_fifth_around_its_mean():
    waits = [delay(0, b"%d" % i, 50.0) for i in range(2000)]
    assert min(waits) >= 0.040
    assert max(waits) < 0.060
    # Standard error of the mean of 2,000 uniforms of width .02 s: .02 / sqrt(12 * 2000).
    assert sum(waits) / 2000 == pytest.approx(0.050, abs=5 * 0.02 / (12 * 2000) ** 0.5)
