"""Whose run is this, and is that process still there?

SIGKILL and power cuts leave a run RUNNING for ever. A tag names the process
that owns it; a later process may take it over when the owner is provably gone.
Whatever cannot be proved from this machine counts as alive.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
from pathlib import Path
from typing import Literal

State = Literal["alive", "gone", "elsewhere"]


def this_owner() -> str:
    """The owner tag of this process: compact JSON."""
    pid = os.getpid()
    return json.dumps(
        {
            "host": socket.gethostname(),
            "machine": _machine(),
            "boot": _boot(),
            "pids": _pid_namespace(),
            "pid": pid,
            "started": _started(pid),
        },
        separators=(",", ":"),
    )


def state_of(owner: str) -> State:
    """Is the process of an owner tag alive, gone, or not for this machine to say?

    Args:
        owner: Text of `this_owner`, from any machine.

    Returns:
        "gone" only when it is certain.
    """
    try:
        there = dict(json.loads(owner))
        pid = int(there["pid"])
    except (ValueError, KeyError, TypeError):
        return "elsewhere"
    if there.get("host") != socket.gethostname() or there.get("machine") != _machine():
        return "elsewhere"
    if there.get("boot") != _boot():
        # Rebooted since, if this is the same machine; a container cannot tell.
        return "gone" if _machine() and there.get("boot") and _boot() else "elsewhere"
    if there.get("pids") != _pid_namespace():
        return "elsewhere"
    if not _exists(pid):
        return "gone"
    started = _started(pid)
    if started and there.get("started") and started != there["started"]:
        return "gone"  # the number was given to another process
    return "alive"


def describe(owner: str) -> str:
    """An owner for a message: "pid 17 on build-3"."""
    try:
        there = dict(json.loads(owner))
    except (ValueError, TypeError):
        return "an unknown process"
    return f"pid {there.get('pid', '?')} on {there.get('host', '?')}"


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return _stat_field(pid, 0) != "Z"  # a zombie has ended; only its parent has not looked


def _started(pid: int) -> str:
    """Start time in clock ticks since boot; empty where /proc is absent."""
    return _stat_field(pid, 19)


def _stat_field(pid: int, index: int) -> str:
    """A field of /proc/PID/stat after the command name, which may hold spaces."""
    text = _read(f"/proc/{pid}/stat")
    fields = text.rpartition(")")[2].split()
    return fields[index] if len(fields) > index else ""


def _machine() -> str:
    """Short digest of the machine id; empty where there is none (as in most containers)."""
    text = _read("/etc/machine-id")
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:12] if text else ""


def _boot() -> str:
    return _read("/proc/sys/kernel/random/boot_id")


def _pid_namespace() -> str:
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
