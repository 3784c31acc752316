"""Workers that pull, and plain code that waits for them."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tracemalloc

import pytest

from assay.judges.engine import pull_all, run_to_end


def test_every_item_is_done_once_and_never_more_than_the_workers_at_a_time():
    done, busy, most = [], 0, 0

    async def work(item):
        nonlocal busy, most
        busy += 1
        most = max(most, busy)
        await asyncio.sleep(0)
        done.append(item)
        busy -= 1

    asyncio.run(pull_all(iter(range(100)), work, workers=7))
    assert sorted(done) == list(range(100))
    assert most == 7


def test_items_are_pulled_as_workers_become_free_not_all_at_once():
    pulled = 0

    def items():
        nonlocal pulled
        for n in range(1000):
            pulled += 1
            yield n

    async def work(item):
        assert pulled <= item + 4
        await asyncio.sleep(0)

    asyncio.run(pull_all(items(), work, workers=4))
    assert pulled == 1000


def test_what_the_work_raises_ends_all_workers_and_comes_out_as_itself():
    async def work(item):
        if item == 3:
            raise ValueError("three")
        await asyncio.sleep(0)

    with pytest.raises(ValueError, match="three"):
        asyncio.run(pull_all(range(10_000), work, workers=4))


@pytest.mark.slow
def test_a_million_items_cost_no_million_tasks():
    async def work(item):
        return None

    tracemalloc.start()
    asyncio.run(pull_all(range(1_000_000), work, workers=64))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5e6


def test_plain_code_gets_the_result_with_and_without_a_running_loop():
    async def main():
        await asyncio.sleep(0)
        return type(asyncio.get_running_loop())

    async def host():
        before = type(asyncio.get_running_loop())
        return run_to_end(main), before, type(asyncio.get_running_loop())

    alone = run_to_end(main)
    within, before, after = asyncio.run(host())
    assert alone is within is before is after


def test_an_error_within_a_running_loop_comes_out_as_itself():
    async def main():
        raise KeyError("x")

    async def host():
        run_to_end(main)

    with pytest.raises(KeyError):
        asyncio.run(host())


def test_importing_the_room_loads_no_client_library_and_touches_no_loop():
    code = (
        "import sys, asyncio; before = asyncio.get_event_loop_policy.__code__\n"
        "import assay.judges\n"
        "assert asyncio.get_event_loop_policy.__code__ is before\n"
        "print([m for m in ('openai', 'aiohttp', 'httpx2', 'mlflow') if m in sys.modules])"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert ran.stdout.strip() == "[]"
