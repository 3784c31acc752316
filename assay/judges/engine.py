"""How do many questions go out at once, on one event loop, and come to an end?

A fixed number of workers pull from one iterator, so a million items cost no
million tasks. Nothing of asyncio is patched: where a loop is already running, the
work runs on a loop of its own in a thread of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any, TypeVar

Item = TypeVar("Item")
Output = TypeVar("Output")


async def pull_all(
    items: Iterable[Item], work: Callable[[Item], Awaitable[None]], *, workers: int
) -> None:
    """Do the work for every item, at most `workers` at a time.

    Args:
        items: Pulled one by one, when a worker is free.
        work: Called once per item. What it raises ends all workers and is raised here.
        workers: At least 1.
    """
    source = iter(items)

    async def worker() -> None:
        for item in source:
            await work(item)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
    except BaseExceptionGroup as group:
        # All workers do the same; the first failure tells the whole story.
        raise group.exceptions[0] from None


def run_to_end(main: Callable[[], Coroutine[Any, Any, Output]]) -> Output:
    """Run a coroutine function from plain code, also within a running loop.

    An interrupt cancels the coroutine, waits for it, and is raised again.

    Args:
        main: Called once, on the loop it runs on.

    Returns:
        What it returns.
    """
    # Always in a thread of its own: a loop may be running here already, and a signal that
    # arrives within a loop's own step leaves broken coroutines behind.
    results: list[Output] = []
    errors: list[BaseException] = []
    running: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = []
    interrupted = threading.Event()
    done = threading.Event()

    async def cancellable() -> None:
        task = asyncio.current_task()
        assert task is not None
        running.append((asyncio.get_running_loop(), task))
        if not interrupted.is_set():
            results.append(await main())

    def target() -> None:
        try:
            asyncio.run(cancellable())
        except BaseException as error:  # noqa: BLE001 - handed to the waiting thread
            errors.append(error)
        finally:
            done.set()

    thread = threading.Thread(target=target, name="assay-judges")
    thread.start()
    try:
        # An interrupted join would leave the thread's books open; an event has none.
        done.wait()
    except BaseException:
        interrupted.set()
        for loop, task in running:
            # It may have ended by itself in the meantime.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(task.cancel)
        raise
    finally:
        thread.join()
    if errors:
        raise errors[0]
    return results[0]
