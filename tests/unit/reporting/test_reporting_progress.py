"""Progress: silent in a log but for its last line, exact from any thread."""

from __future__ import annotations

import io
from concurrent.futures import ThreadPoolExecutor

import pytest

from assay.reporting import progress


def test_a_log_gets_one_line_with_what_had_no_verdict(judged):
    _, verdicts = judged
    out = io.StringIO()
    with progress(5, "judging", file=out) as state:
        for verdict in verdicts:
            state.advance(verdict)
        assert out.getvalue() == ""
    assert out.getvalue().startswith("judging: 5 of 5 done, 1 abstained, 0 errored, ")
    assert out.getvalue().count("\n") == 1


def test_the_last_line_is_printed_when_the_work_fails():
    out = io.StringIO()

    def fail():
        with progress(3, "judging", file=out) as state:
            state.advance()
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert out.getvalue().startswith("judging: 1 of 3 done")


def test_counts_are_exact_from_many_threads():
    with progress(4000, "judging", file=io.StringIO()) as state, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: state.advance(), range(4000)))
    assert state.done == 4000


def test_a_terminal_sees_a_live_bar_with_the_counts(monkeypatch, judged):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "120")
    out = Terminal()
    with progress(5, "judging", file=out) as state:
        for verdict in judged[1]:
            state.advance(verdict)
    assert "5/5" in out.getvalue()
    assert "1 abstained, 0 errored" in out.getvalue()
