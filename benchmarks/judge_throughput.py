"""Is judging slower than the bare client? Requests per second, side by side, and peak memory.

Run it on a quiet machine:

    python benchmarks/judge_throughput.py --items 1000 --latency-ms 50

A server in a process of its own gives the same answer after the same delay to
everybody. Each round measures all three ways, so what else the machine does falls
on all of them. The bar is the ratio to the bare loop, not the absolute figure.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from assay.judges import judge_sessions
from assay.schema import Criterion, JudgeSpec, MemberSpec, PanelSpec, Session

IN_FLIGHT = 64
TEMPLATE = "# system\nJudge.\n# user\n{{ question }}\n{{ session }}"
ANSWER = json.dumps(
    {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": '{"verdict": "Pass"}'},
            }
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }
)


def serve(latency_ms: float) -> None:
    from aiohttp import web

    async def answer(request):
        await request.read()
        await asyncio.sleep(latency_ms / 1000)
        return web.Response(text=ANSWER, content_type="application/json")

    async def main():
        app = web.Application()
        app.router.add_post("/v1/chat/completions", answer)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        print(runner.addresses[0][1], flush=True)
        # Ends with the pipe to the parent, so it never outlives it.
        await asyncio.to_thread(sys.stdin.read)
        await runner.cleanup()

    asyncio.run(main())


@contextlib.contextmanager
def server(latency_ms: float) -> Iterator[str]:
    command = [sys.executable, __file__, "--serve", "--latency-ms", str(latency_ms)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
        process.stdin.close()


def sessions(count: int) -> list[Session]:
    diff = "+    return total / max(len(values), 1)\n" * 40
    return [
        Session(
            session_id=f"s{n}",
            task_id="t",
            agent="coder",
            agent_family="acme",
            task_prompt=f"Task {n}",
            diff=diff,
        )
        for n in range(count)
    ]


def bare(url: str, given: list[Session], *, aiohttp: bool) -> None:
    from openai import AsyncOpenAI, DefaultAioHttpClient

    async def main():
        transport = DefaultAioHttpClient() if aiohttp else None
        slots = asyncio.Semaphore(IN_FLIGHT)
        async with AsyncOpenAI(
            base_url=url, api_key="none", max_retries=0, http_client=transport
        ) as client:

            async def one(session):
                async with slots:
                    await client.chat.completions.create(
                        model="m",
                        messages=[
                            {"role": "system", "content": "Judge."},
                            {"role": "user", "content": session.task_prompt + session.diff},
                        ],
                        temperature=0,
                        max_tokens=1024,
                    )

            await asyncio.gather(*(one(session) for session in given))

    asyncio.run(main())


def ours(url: str, given: list[Session]) -> None:
    member = MemberSpec(name="m", model="m", family="f", base_url=url)
    judged = judge_sessions(
        given,
        [Criterion(dimension="d", weight=1, question="q", pass_when="p", fail_when="f")],
        judge=JudgeSpec(name="j", prompt="p", reply="verdict_only"),
        template=TEMPLATE,
        panel=PanelSpec(name="p", kind="openai", members=(member,), max_in_flight=IN_FLIGHT),
        anchors={},
    )
    assert judged.decided == len(given)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--latency-ms", type=float, default=0.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=["assay"], help="measure memory without the others")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.serve:
        serve(args.latency_ms)
        return
    given = sessions(args.items)
    ways: dict[str, Callable[[str], None]] = {
        "bare client": lambda url: bare(url, given, aiohttp=False),
        "bare client, aiohttp": lambda url: bare(url, given, aiohttp=True),
        "assay": lambda url: ours(url, given),
    }
    if args.only:
        ways = {args.only: ways[args.only]}
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    with server(args.latency_ms) as url:
        for _ in range(args.rounds):
            for name, way in ways.items():
                started = time.perf_counter()
                way(url)
                seconds[name].append(time.perf_counter() - started)
    base = statistics.median(next(iter(seconds.values())))
    for name, taken in seconds.items():
        median = statistics.median(taken)
        print(
            f"{name:22} {args.items / median:7.0f} requests/s   {median / base:5.2f} of the first"
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:.0f} MB")


if __name__ == "__main__":
    main()
