"""Within a sweep one server serves all runs that ask the same judges, and it stops at the end."""

from __future__ import annotations

import urllib.error
import urllib.request

import pytest

from assay.judges import kept_servers
from assay.judges.loopback import simulated_server
from assay.schema import SimulationSpec


def answers(url):
    with urllib.request.urlopen(f"{url}/models", timeout=5) as reply:
        return reply.status == 200


def test_a_server_is_kept_for_the_same_judges_and_not_for_others():
    with kept_servers():
        with simulated_server(SimulationSpec(seed=1)) as first:
            assert answers(first)
        with simulated_server(SimulationSpec(seed=1)) as again:
            assert again == first
            assert answers(again)
        with simulated_server(SimulationSpec(seed=2)) as other:
            assert other != first
    for url in (first, other):
        with pytest.raises(urllib.error.URLError):
            answers(url)


def test_without_a_sweep_each_run_has_a_server_of_its_own():
    with simulated_server(SimulationSpec()) as first:
        assert answers(first)
    with pytest.raises(urllib.error.URLError):
        answers(first)
