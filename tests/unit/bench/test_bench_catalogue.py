"""The tiny programs and what was recorded of them."""

from __future__ import annotations

import ast
import re
import sys
from importlib.resources import files

import pytest

from assay.bench.catalogue import log_key, recorded_logs, recorded_python, repro_key, tasks
from assay.bench.variants import Code, files_after, files_before, module_text, polishes
from experiments.record_bench_logs import SECONDS, Job, codes_of, jobs_of, run

TASKS = tasks()
IDS = [t.task_id for t in TASKS]
UNCOVERED = [t for t in TASKS if not t.covered]
COVERED = [t for t in TASKS if t.covered]


def result(task, code, suite, scope="all"):
    return recorded_logs()[log_key(task, code.key, suite, "", scope)].exit_code


def test_there_are_seven_programs_and_at_least_25_tasks_with_ids_and_prompts_of_their_own():
    assert len({t.program.name for t in TASKS}) == 7
    assert len(TASKS) >= 25
    assert len({t.task_id for t in TASKS}) == len({t.prompt for t in TASKS}) == len(TASKS)


def test_programs_and_logs_come_with_the_package():
    room = files("assay.bench")
    names = {f.name for f in (room / "programs").iterdir()}
    assert {"lru.toml", "calc.toml", "ledger.toml"} <= names
    assert (room / "recorded_logs.json").is_file()


@pytest.mark.parametrize("task", TASKS, ids=IDS)
def test_programs_are_of_readable_size_and_every_form_of_them_is_valid_python(task):
    assert 20 <= task.program.source.count("\n") <= 65
    seen = set()
    for code in codes_of(task):
        text = module_text(task, code)
        ast.parse(text)
        seen.add(text)
    assert len(seen) == len(codes_of(task))


@pytest.mark.parametrize("task", TASKS, ids=IDS)
def test_a_prompt_asks_for_exactly_what_completeness_counts(task):
    words = task.prompt.splitlines()[-1]
    assert ("regression test" in words) == task.wants_test
    assert ("CHANGELOG.md" in words) == (task.news is not None)
    assert task.wants_test or (task.new_test in task.prompt and task.news)


@pytest.mark.parametrize("task", UNCOVERED, ids=[t.task_id for t in UNCOVERED])
def test_an_uncovered_bug_shows_only_with_the_good_test_and_the_wrong_tests_accept_the_wrong_fix(
    task,
):
    # Exit codes of real runs: the given tests are green in every state (phantom pass);
    # the good test tells right from buggy and wrong; the wrong tests do the opposite.
    for code in codes_of(task):
        assert result(task, code, "given") == 0
        assert (result(task, code, "good") == 0) == (code.fix == "right")
        if code.fix != "buggy":
            assert (result(task, code, "wrong") == 0) == (code.fix == "wrong")
    assert task.suites["wrong"].count("def test_") >= task.suites["given"].count("def test_") + 3


@pytest.mark.parametrize("task", COVERED, ids=[t.task_id for t in COVERED])
def test_a_covered_bug_fails_its_test_until_it_is_fixed_and_the_mutated_test_accepts_it(task):
    for code in codes_of(task):
        assert (result(task, code, "given") == 0) == (code.fix == "right")
    assert result(task, Code("buggy"), "mutated") == 0
    assert result(task, Code("right"), "mutated") != 0


@pytest.mark.parametrize("task", TASKS, ids=IDS)
def test_the_one_liner_shows_the_bug_and_the_fix(task):
    buggy, right = (
        recorded_logs()[repro_key(task, Code(fix).key)]  # type: ignore[arg-type]
        for fix in ("buggy", "right")
    )
    assert buggy != right


def test_every_form_of_bad_writing_is_visible_in_the_added_lines():
    for task in TASKS:
        before = module_text(task, Code("buggy")).splitlines()
        for fix in ("right", "wrong"):
            for polish in polishes(task, fix):
                lines = module_text(task, Code(fix, polish)).splitlines()
                added = "\n".join(x for x in lines if x not in before)
                if polish == "debug":
                    assert "print(" in added
                if polish == "old_code":
                    assert re.search(r"^ *# \S", added, re.MULTILINE)
                clean = module_text(task, Code(fix)).splitlines()
                assert len(lines) > len(clean) or polish == "rough"


def test_needless_changes_reach_lines_far_from_the_bug():
    for task in TASKS:
        lean = module_text(task, Code("right")).splitlines()
        bloated = module_text(task, Code("right", extent="source")).splitlines()
        assert sum(x not in lean for x in bloated) >= 4, task.task_id
    readme = files_after(TASKS[0], Code("right", extent="readme"), "given", news=False)
    assert readme["README.md"] != files_before(TASKS[0])["README.md"]


def alike(job: Job):
    """Whether a fresh run of the job equals its record, but for the seconds."""
    log = recorded_logs()[job.key]
    code, output = run(job)
    found, recorded = (SECONDS.sub(r"\1SECONDSs", text) for text in (output, log.output))
    if recorded_python() != f"{sys.version_info.major}.{sys.version_info.minor}":
        # Other versions of Python draw other markers under a traceback's lines.
        markers = re.compile(r"^ *[~^]+\n", re.MULTILINE)
        found, recorded = markers.sub("", found), markers.sub("", recorded)
    return code == log.exit_code and found == recorded


def test_three_recorded_runs_come_out_the_same_today():
    jobs = [job for task in TASKS for job in jobs_of(task)]
    assert len(jobs) == len({job.key for job in jobs}) == len(recorded_logs())
    for place in (7, len(jobs) // 2, len(jobs) - 5):
        assert alike(jobs[place]), jobs[place].key


@pytest.mark.slow
def test_a_sample_over_all_tasks_comes_out_the_same_today():
    for task in TASKS:
        jobs = list(jobs_of(task))
        for job in jobs[:: max(1, len(jobs) // 8)]:
            assert alike(job), job.key
