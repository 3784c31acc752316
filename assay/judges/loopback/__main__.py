"""Start the loopback server by hand, or as the child process of a run.

`python -m assay.judges.loopback --port 8000 --seed 0`
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys

from aiohttp import web
from pydantic import ValidationError

from assay.bench import read_session
from assay.judges.loopback.planted import PLANTED
from assay.judges.loopback.server import LoopbackServer
from assay.schema import SimulationSpec

HOST = "127.0.0.1"
IDLE_LIMIT_S = 3600.0
"""A server that nobody uses for an hour ends, whoever started it."""
_WATCH_S = 0.5
"""How often idleness and the parent process are looked at."""


def main() -> int:
    """Read the command line and serve until told to stop.

    Returns:
        Exit code: 0, or 2 for an argument that cannot be used.
    """
    options = _arguments().parse_args()
    try:
        spec = SimulationSpec(
            seed=options.seed, latency_ms=options.latency_ms, error_rate=options.error_rate
        )
    except ValidationError as error:
        for fault in error.errors():
            flag = "--" + str(fault["loc"][0]).replace("_", "-")
            print(f"loopback: {flag}: {fault['msg']}, got {fault['input']}.", file=sys.stderr)
        return 2
    try:
        asyncio.run(_serve(spec, options))
    except KeyboardInterrupt:
        pass
    except OSError as error:
        where = f"{HOST}:{options.port}"
        print(f"loopback: cannot listen on {where}: {error.strerror}.", file=sys.stderr)
        return 2
    return 0


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m assay.judges.loopback",
        description="SIMULATED judges behind an OpenAI-compatible endpoint on 127.0.0.1. "
        "They judge synthetic bench sessions at planted error rates and nothing else.",
    )
    parser.add_argument(
        "--port", type=_port, default=8000, help="0 takes a free one (default 8000)"
    )
    parser.add_argument("--seed", type=int, default=0, help="another seed, other errors")
    parser.add_argument("--latency-ms", type=float, default=0.0, help="mean delay of a reply")
    parser.add_argument("--error-rate", type=float, default=0.0, help="share of faulty replies")
    parser.add_argument(
        "--idle-limit-s",
        type=float,
        default=IDLE_LIMIT_S,
        help=f"end after this long without a request (default {IDLE_LIMIT_S:g})",
    )
    # For a parent process: one JSON line on stdout, and the end with the parent.
    parser.add_argument("--as-child", action="store_true", help=argparse.SUPPRESS)
    return parser


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65_535:
        message = f"expected 0 to 65535, got {port}"
        raise argparse.ArgumentTypeError(message)
    return port


async def _serve(spec: SimulationSpec, options: argparse.Namespace) -> None:
    stop = asyncio.Event()
    parent = os.getppid()
    # The server first listens and then speaks: who reads its address can use it.
    server = LoopbackServer(spec, read_session)
    runner = web.AppRunner(
        server.application(),
        access_log=None,
        keepalive_timeout=IDLE_LIMIT_S,
        # Not 0, which aiohttp takes for no limit.
        shutdown_timeout=0.1,
    )
    await runner.setup()
    try:
        site = web.TCPSite(runner, HOST, options.port, backlog=1024)
        await site.start()
        _announce(runner.addresses[0][1], spec, as_child=options.as_child)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop.set)
        if options.as_child:
            _stop_with_stdin(stop)
        while not stop.is_set():
            orphaned = options.as_child and os.getppid() != parent
            if orphaned or server.idle_seconds() > options.idle_limit_s:
                break
            try:
                await asyncio.wait_for(stop.wait(), min(_WATCH_S, options.idle_limit_s))
            except TimeoutError:
                continue
    finally:
        await runner.cleanup()


def _announce(port: int, spec: SimulationSpec, *, as_child: bool) -> None:
    base_url = f"http://{HOST}:{port}/v1"
    if as_child:
        print(json.dumps({"base_url": base_url}), flush=True)
        return
    print(
        f"SIMULATED judges, no real models: {', '.join(PLANTED)}\n"
        f"seed {spec.seed}; they know synthetic bench sessions only\n"
        f"base_url: {base_url}\n"
        "Stop with Ctrl-C.",
        flush=True,
    )


def _stop_with_stdin(stop: asyncio.Event) -> None:
    """Stop when stdin ends: the parent closed it, or is gone, however it died."""
    descriptor = sys.stdin.fileno()

    def look() -> None:
        if not os.read(descriptor, 1024):
            asyncio.get_running_loop().remove_reader(descriptor)
            stop.set()

    asyncio.get_running_loop().add_reader(descriptor, look)


if __name__ == "__main__":
    raise SystemExit(main())
