"""The server's process: it starts from anywhere, serves 127.0.0.1 alone, and always ends."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import assay
from assay.errors import EndpointError
from assay.judges.loopback import process, running_server
from assay.schema import SimulationSpec

ROOT = Path(assay.__file__).resolve().parents[1]
PATIENCE_S = 20.0
"""For what takes well under a second on a quiet machine."""


def get(url):
    with urllib.request.urlopen(url, timeout=PATIENCE_S) as reply:
        return json.loads(reply.read())


def listens(base_url, host="127.0.0.1"):
    with socket.socket() as probe:
        probe.settimeout(PATIENCE_S)
        return probe.connect_ex((host, urlsplit(base_url).port)) == 0


def until(condition):
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it did not come to pass in time"
        time.sleep(0.02)


def child_environment():
    return process._environment()


def by_hand(*arguments, **more):
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "assay.judges.loopback", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        env=child_environment(),
        text=True,
        **more,
    )


def test_it_serves_while_the_block_runs_and_is_gone_after_it():
    with running_server(SimulationSpec()) as base_url:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/v1", base_url)
        assert len(get(f"{base_url}/models")["data"]) == 3
    assert not listens(base_url)


def test_it_is_gone_after_an_error_in_the_block():
    with pytest.raises(KeyError), running_server(SimulationSpec()) as base_url:
        raise KeyError
    assert not listens(base_url)


def test_stopping_takes_no_notice_of_a_request_that_hangs():
    body = json.dumps({"model": "sim-atlas-1?fault=hang", "messages": [{"content": "x"}]})
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
    with running_server(SimulationSpec()) as base_url:
        client = socket.create_connection(("127.0.0.1", urlsplit(base_url).port))
        client.sendall((head + body).encode())
        time.sleep(0.2)
        start = time.monotonic()
    client.close()
    # Well below the point at which the parent would insist with a signal.
    assert time.monotonic() - start < process._STOP_TIMEOUT_S
    assert not listens(base_url)


def test_it_listens_on_no_other_address():
    with running_server(SimulationSpec()) as base_url:
        assert listens(base_url)
        # 127.0.0.2 is this machine too; a server on all addresses would answer there.
        assert not listens(base_url, "127.0.0.2")
        port = f":{urlsplit(base_url).port:04X}"
        tables = [Path(f"/proc/net/{name}") for name in ("tcp", "tcp6")]
        lines = [x.split() for t in tables if t.exists() for x in t.read_text("ascii").splitlines()]
        listening = [x[1] for x in lines if x[1].endswith(port) and x[3] == "0A"]
        assert set(listening) <= {f"0100007F{port}"}


def test_two_at_once_have_their_own_ports():
    with running_server(SimulationSpec()) as one:
        with running_server(SimulationSpec(seed=1)) as two:
            assert one != two
            assert get(f"{one}/models") == get(f"{two}/models")
        assert not listens(two)
        assert listens(one)


@pytest.mark.parametrize("flag", ["-I", "-P"])
def test_it_starts_from_any_folder_and_from_an_isolated_interpreter(flag, tmp_path):
    # A stray module in the folder must not get in its way.
    (tmp_path / "json.py").write_text("raise RuntimeError('shadowed')", encoding="utf-8")
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from assay.judges.loopback import running_server\n"
        "from assay.schema import SimulationSpec\n"
        "with running_server(SimulationSpec()) as url: print(url)"
    )
    done = subprocess.run(
        [sys.executable, flag, "-c", code],
        check=False,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("http://127.0.0.1:")


PARENT = """
import os, sys, time
from assay.judges.loopback import process
from assay.schema import SimulationSpec
with process.running_server(SimulationSpec()) as url:
    if {fork} and os.fork() == 0:
        time.sleep({hold})  # holds the pipe's end too
        os._exit(0)
    print(url, flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize("fork", [False, True], ids=["alone", "a fork holds its pipes"])
def test_it_ends_when_its_parent_is_killed(fork):
    code = PARENT.format(fork=fork, hold=PATIENCE_S + 5)
    parent = subprocess.Popen(
        [sys.executable, "-P", "-c", code],
        stdout=subprocess.PIPE,
        env=child_environment(),
        text=True,
        start_new_session=True,
    )
    try:
        base_url = parent.stdout.readline().strip()
        assert listens(base_url)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        until(lambda: not listens(base_url))
    finally:
        with suppress(ProcessLookupError):
            os.killpg(parent.pid, signal.SIGKILL)
        parent.wait()
        parent.stdout.close()


def fake_python(tmp_path, script):
    path = tmp_path / "python"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo 'no such luck' >&2; exit 3", ["ended with code 3", "no such luck"]),
        ("sleep 30", ["did not start in time", "nothing"]),
        ("echo hello; sleep 30", ["no address", "hello"]),
    ],
)
def test_a_failed_start_says_why(script, words, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", fake_python(tmp_path, f"exec 2>&2; {script}"))
    monkeypatch.setattr(process, "_STOP_TIMEOUT_S", 0.2)
    with (
        pytest.raises(EndpointError) as caught,
        running_server(SimulationSpec(), start_timeout_s=1.0),
    ):
        pytest.fail("it cannot have started")
    for word in words:
        assert word in str(caught.value)


def test_an_interpreter_that_is_not_there_is_an_endpoint_error(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "nothing"))
    with pytest.raises(EndpointError, match="cannot start"), running_server(SimulationSpec()):
        pytest.fail("it cannot have started")


def test_no_key_of_the_environment_reaches_the_server(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-the-server")
    assert not any("KEY" in name for name in child_environment())


def test_by_hand_it_says_that_it_is_simulated_and_where():
    server = by_hand("--port", "0", "--seed", "5")
    try:
        said = [server.stdout.readline() for _ in range(4)]
        assert said[0].startswith("SIMULATED")
        assert "seed 5" in said[1]
        assert listens(said[2].split("base_url:")[1].strip())
    finally:
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=PATIENCE_S)
    assert (server.returncode, errors) == (0, "")


def test_unused_it_ends_by_itself():
    server = by_hand("--port", "0", "--idle-limit-s", "0.3")
    _, errors = server.communicate(timeout=PATIENCE_S)
    assert (server.returncode, errors) == (0, "")


def test_a_taken_port_is_told_in_one_line():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        server = by_hand("--port", str(port))
        _, errors = server.communicate(timeout=PATIENCE_S)
    assert server.returncode == 2
    assert str(port) in errors
    assert errors.count("\n") == 1


@pytest.mark.parametrize(
    "flags",
    [("--error-rate", "1.5"), ("--latency-ms", "-1"), ("--seed", "x"), ("--port", "99999")],
)
def test_a_flag_out_of_range_is_told_by_its_name(flags):
    server = by_hand(*flags)
    _, errors = server.communicate(timeout=PATIENCE_S)
    assert server.returncode == 2
    assert flags[0] in errors
    assert "Traceback" not in errors


CHILD_SAYS = """
import runpy, sys
sys.argv = ["loopback", "--as-child", "--port=0"]
opened = []
def hook(event, arguments):
    if event == "open":
        opened.append(str(arguments[0]))
sys.addaudithook(hook)
try:
    runpy.run_module("assay.judges.loopback", run_name="__main__")
except SystemExit as end:
    assert end.code == 0
import json
print(json.dumps({"opened": opened, "modules": sorted(sys.modules)}))
"""


def watched(tmp_path, use):
    """Run the server under an audit hook, use it, and say what it opened and imported."""
    child = subprocess.Popen(
        [sys.executable, "-P", "-c", CHILD_SAYS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=child_environment(),
        cwd=tmp_path,
        text=True,
    )
    use(json.loads(child.stdout.readline())["base_url"])
    said, _ = child.communicate(timeout=PATIENCE_S)
    assert child.returncode == 0
    return json.loads(said)


def test_it_imports_nothing_heavy(tmp_path):
    modules = set(watched(tmp_path, lambda _: None)["modules"])
    heavy = {"openai", "mlflow", "pandas", "scipy", "sklearn", "hydra", "matplotlib", "httpx2"}
    assert not heavy & modules


def test_it_opens_no_file_of_the_user(tmp_path):
    from assay.bench import generate
    from assay.judges.rendering import choose_nonce, render_session, visible_texts

    # Where a curious server would find the answers.
    for name in ("labels.jsonl", "sessions.jsonl", "split/labels.test.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("{}\n", encoding="utf-8")
    sessions = generate(100, 0).sessions[:20]

    def use(base_url):
        for s in sessions:
            block = render_session(s, nonce=choose_nonce(*visible_texts(s)))
            text = f"Dimension: correctness\n\n{block}"
            body = {"model": "sim-atlas-1", "messages": [{"role": "user", "content": text}]}
            url = f"{base_url}/chat/completions"
            with urllib.request.urlopen(url, json.dumps(body).encode(), timeout=20) as reply:
                content = json.loads(reply.read())["choices"][0]["message"]["content"]
            assert json.loads(content)["verdict"] in {"Pass", "Fail"}

    opened = watched(tmp_path, use)["opened"]
    assert opened  # the hook was at work
    # Code, the package's own resources, and what the system says of itself.
    code = {str(Path(p).resolve()) for p in [*sys.path, sys.prefix, sys.base_prefix] if p}
    package = str(ROOT / "assay")
    allowed = (package, *(code - {str(ROOT)}), "/dev/null", "/etc/", "/proc/", "/usr/share/")
    for name in opened:
        if name.isdigit():  # an open descriptor
            continue
        path = str(Path(tmp_path, name).resolve())
        assert path.startswith(allowed), path
        assert not path.startswith(str(tmp_path)), path
        assert not path.endswith(("labels.jsonl", ".csv")), path
