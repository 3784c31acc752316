"""Sweeps: every failed job is listed, good ones are kept, the exit code is not zero."""

from __future__ import annotations

import json

from assay.app import run_door
from tests.scripted_endpoint import ScriptedServer, completion, error

OFF = "tracking=off"


def test_all_failed_jobs_are_listed_and_good_ones_kept(start, capsys):
    words = ["-m", "judge=nope1,baseline,nope2", "panel=solo", OFF]
    assert run_door("dev", words, start=start) == 2
    shown = capsys.readouterr().out
    assert "2 of 3 jobs failed" in shown
    for bad in ("judge=nope1", "judge=nope2"):
        assert bad in shown
    assert shown.count("no such option") == 2
    assert (start / "assay-out" / "baseline-solo").is_dir()


def test_fail_fast_stops_at_the_first_failure(start, capsys):
    words = ["-m", "judge=nope,baseline,strict", "panel=solo", "fail_fast=true", OFF]
    assert run_door("dev", words, start=start) == 2
    assert "2 jobs not run" in capsys.readouterr().err
    assert not (start / "assay-out").exists()


def test_json_of_a_sweep_holds_leaders_and_failures(start, capsys):
    words = ["-m", "judge=baseline,strict,nope", "panel=solo", OFF, "--json"]
    assert run_door("dev", words, start=start) == 2
    found = json.loads(capsys.readouterr().out)
    assert [row["variant"] for row in found["leaders"]] == ["baseline", "strict"]
    assert found["failed"][0]["overrides"] == ["judge=nope", "panel=solo", OFF]


def test_a_sweep_over_anything_but_dev_is_refused(start, capsys):
    assert run_door("split", ["-m", "split.seed=1,2"], start=start) == 2
    assert "-m sweeps over dev runs only" in capsys.readouterr().err


def openai_words(server, *words):
    return ["panel=openai", f"panel.members.0.base_url={server.url}", OFF, *words]


def test_a_refused_key_stops_the_sweep_after_one_request(start, capsys, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-real-key-000")
    with ScriptedServer(lambda body, number: error(401, "bad key")) as server:
        words = openai_words(server, "-m", "judge=baseline,strict,critique_first,commit_first")
        assert run_door("dev", words, start=start) == 4
        assert server.count <= 2
    shown = capsys.readouterr()
    assert "the endpoint refuses all jobs: 3 not run" in shown.err
    assert "not-a-real-key-000" not in shown.err + shown.out


def test_a_real_endpoint_is_not_called_simulated(start, capsys, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-real-key-000")
    with ScriptedServer(lambda body, number: completion()) as server:
        assert run_door("dev", openai_words(server), start=start) == 0
        key = server.headers[0]["Authorization"]
    assert key == "Bearer not-a-real-key-000"
    shown = capsys.readouterr()
    assert "SIMULATED" not in shown.out
    # The labels are still synthetic, and a judge that only says Pass is named.
    assert "SYNTHETIC" in shown.out
    assert "never says Fail" in shown.out
    for path in (start / "assay-out").rglob("*"):
        if path.is_file():
            assert b"not-a-real-key-000" not in path.read_bytes()
