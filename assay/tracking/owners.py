"""Is the process that opened a run still alive? Only on this host can anyone know.

A killed process leaves its run RUNNING for ever. Such a run may be taken over
once its owner is gone for certain: same host, same boot, and no process with
that number, or one that was started later.
"""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Literal

State = Literal["alive", "gone", "elsewhere"]


def this_owner() -> str:
    """This process as text: host, boot, number, start; one line for a tag."""
    pid = os.getpid()
    return f"{socket.gethostname()} {_boot()} {pid} {_started(pid)}"


def state_of(owner: str) -> State:
    """What can be known about an owner written by `this_owner`.

    Args:
        owner: Text of the tag.

    Returns:
        alive; gone for certain; or elsewhere, when this host cannot tell.
    """
    words = owner.split(" ")
    if len(words) != 4 or words[0] != socket.gethostname():
        return "elsewhere"
    _, boot, pid, started = words
    if boot != _boot():
        return "gone"
    now = _started(int(pid)) if pid.isdigit() else ""
    if now == "":
        return "gone"
    # A start that cannot be read leaves only the number to go by.
    return "alive" if started in {now, "unknown"} or now == "unknown" else "gone"


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return "unknown"


def _started(pid: int) -> str:
    """Start time of a process in clock ticks; "" if there is none, "unknown" if unreadable."""
    if Path("/proc/self/stat").exists():
        try:
            stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""
        # The name in brackets may hold spaces; fields are counted after it.
        state, *fields = stat.rpartition(")")[2].split()
        return "" if state == "Z" else fields[18]
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return ""
    except OSError:
        return "unknown"
    return "unknown"
