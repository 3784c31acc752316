"""The recorded test logs are what the programs really print; a sample now, all in the slow lane."""

from __future__ import annotations

import re

import pytest

from assay.bench.catalogue import log_key, recorded_logs, tasks
from experiments.record_bench_logs import run_suite, runs_of

STATES = [(task, *state) for task in tasks() for state in runs_of(task)]


def normal(output):
    """Without what differs between runs and Python versions: seconds and carets under code."""
    without_time = re.sub(r"in \d+\.\d+s", "in 0s", output)
    return "\n".join(x for x in without_time.splitlines() if x.strip(" ~^"))


def check(task, code, blemish, suite):
    recorded = recorded_logs()[log_key(task.task_id, code, blemish, suite)]
    real = run_suite(task, code, blemish, suite)
    assert real["exit"] == recorded["exit"]
    assert normal(real["output"]) == normal(recorded["output"])


@pytest.mark.parametrize("state", STATES[5::160], ids=lambda s: "-".join([s[0].task_id, *s[1:]]))
def test_a_sample_of_logs_is_what_the_programs_print(state):
    check(*state)


@pytest.mark.slow
def test_all_logs_are_what_the_programs_print():
    for state in STATES:
        check(*state)


def test_nothing_is_recorded_that_no_session_can_show():
    assert set(recorded_logs()) == {log_key(t.task_id, c, b, s) for t, c, b, s in STATES}
