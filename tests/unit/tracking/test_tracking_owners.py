"""Is the process behind a run gone? Only a proof counts."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from assay.tracking.owners import describe, state_of, this_owner


def with_(**changes):
    return json.dumps({**json.loads(this_owner()), **changes})


def ended_pid():
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    return done.pid


def test_this_process_is_alive():
    assert state_of(this_owner()) == "alive"


def test_a_process_that_ended_is_gone():
    assert state_of(with_(pid=ended_pid(), started="1")) == "gone"


def test_a_number_given_to_another_process_is_gone():
    assert state_of(with_(started="1")) == "gone"


def test_a_zombie_is_gone():
    child = subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE)
    child.stdout.read()  # it has closed its end, so it is ending
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert state_of(with_(pid=child.pid, started="")) == "gone"
    child.stdout.close()
    child.wait()


def test_another_host_or_machine_or_process_space_cannot_be_judged_from_here():
    for changes in ({"host": "elsewhere"}, {"machine": "ffff"}, {"pids": "pid:[1]"}):
        assert state_of(with_(pid=ended_pid(), **changes)) == "elsewhere", changes


def test_an_owner_tag_that_makes_no_sense_is_not_gone():
    for text in ("", "{}", "[]", "nonsense", '{"pid": "x"}'):
        assert state_of(text) == "elsewhere"


def test_an_owner_is_described_for_people():
    assert describe('{"pid": 17, "host": "build-3"}') == "pid 17 on build-3"
    assert describe("?") == "an unknown process"
