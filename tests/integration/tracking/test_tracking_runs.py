"""What a run says about itself, however its process ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from assay.errors import StaleRunError, TrackingError
from assay.tracking import Terminated, find_stale, open_run, open_sweep, reap
from assay.tracking.owners import this_owner

WAITING = """
with open_run(store, name="x", identity="same", tags={}, params={"cfg/temperature": "0.0"}) as run:
    say(run.run_id)
    time.sleep(60)
"""


def statuses(store):
    runs = store.client.search_runs([store.experiment_id])
    return sorted(run.info.status for run in runs)


def get(store, run_id):
    return store.client.get_run(run_id)


def test_a_completed_run_is_finished_and_says_where_it_came_from(store):
    with open_run(store, name="strict", identity="i", tags={"assay.kind": "dev"}) as run:
        assert get(store, run.run_id).info.status == "RUNNING"
        run.complete()
    there = get(store, run.run_id)
    assert there.info.status == "FINISHED"
    assert there.info.run_name == "strict"
    assert there.info.end_time
    tags = there.data.tags
    assert tags["mlflow.source.type"] == "LOCAL"
    assert tags["assay.kind"] == "dev"
    assert tags["assay.identity"] == "i"
    assert json.loads(tags["assay.owner"])["pid"] == os.getpid()
    assert "assay.partial" not in tags


def test_the_git_commit_of_the_start_folder_is_in_the_tags(start):
    from assay.schema import TrackingSpec
    from assay.tracking import open_store

    git = ["git", "-C", str(start), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    head = subprocess.run(
        [*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True
    ).stdout.strip()
    store = open_store(TrackingSpec(), start=start)
    with open_run(store, name="x", identity="i", tags={}) as run:
        run.complete()
    assert get(store, run.run_id).data.tags["mlflow.source.git.commit"] == head


def test_leaving_before_the_summary_is_a_failure(store):
    with open_run(store, name="x", identity="i", tags={}) as run:
        pass
    there = get(store, run.run_id)
    assert there.info.status == "FAILED"
    assert there.data.tags["assay.partial"] == "true"


def test_exit_with_code_zero_before_the_summary_is_a_failure(store):
    with pytest.raises(SystemExit), open_run(store, name="x", identity="i", tags={}) as run:
        sys.exit(0)
    assert get(store, run.run_id).info.status == "FAILED"


def test_an_exception_after_the_summary_is_a_failure_and_is_named(store):
    def work(run):
        run.complete()
        raise TrackingError("http://me:hunter2@h: no space left")

    with (
        pytest.raises(TrackingError),
        open_run(store, name="x", identity="i", tags={}) as run,
    ):
        work(run)
    there = get(store, run.run_id)
    assert there.info.status == "FAILED"
    assert there.data.tags["assay.failure"] == "http://***@h: no space left"


def test_the_text_of_an_unknown_exception_is_not_sent_to_the_store(store):
    with (
        pytest.raises(RuntimeError),
        open_run(store, name="x", identity="i", tags={}) as run,
    ):
        raise RuntimeError("header was: Bearer sk-123")
    assert get(store, run.run_id).data.tags["assay.failure"] == "RuntimeError"


def test_a_status_once_written_is_not_written_again(store):
    with open_run(store, name="x", identity="i", tags={}) as run:
        run.close("KILLED", failure=KeyboardInterrupt())
        run.complete()
    assert get(store, run.run_id).info.status == "KILLED"


def test_signal_handlers_are_put_back(store):
    before = [signal.getsignal(s) for s in (signal.SIGTERM, signal.SIGINT)]
    with open_run(store, name="x", identity="i", tags={}) as run:
        assert signal.getsignal(signal.SIGTERM) != before[0]
        run.complete()
    assert [signal.getsignal(s) for s in (signal.SIGTERM, signal.SIGINT)] == before


def test_a_signal_in_this_process_ends_the_run_as_killed(store):
    with (
        pytest.raises(Terminated) as caught,
        open_run(store, name="x", identity="i", tags={}) as run,
    ):
        os.kill(os.getpid(), signal.SIGTERM)
    assert caught.value.exit_code == 143
    assert get(store, run.run_id).info.status == "KILLED"


def test_a_signal_inside_asyncio_is_not_swallowed(store):
    import asyncio

    async def work():
        asyncio.get_running_loop().call_later(0.01, os.kill, os.getpid(), signal.SIGINT)
        await asyncio.sleep(20)

    with (
        pytest.raises(Terminated) as caught,
        open_run(store, name="x", identity="i", tags={}) as run,
    ):
        asyncio.run(work())
    assert caught.value.exit_code == 130
    assert get(store, run.run_id).info.status == "KILLED"


@pytest.mark.slow
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signalled_process_ends_with_its_code_and_the_run_as_killed(store, process, sent, code):
    child = process(WAITING)
    run_id = child.stdout.readline().strip()
    child.send_signal(sent)
    assert child.wait(30) == code
    there = get(store, run_id)
    assert there.info.status == "KILLED"
    assert there.data.tags["assay.partial"] == "true"


@pytest.mark.slow
def test_a_run_left_by_sigkill_is_taken_over_by_the_next_process(store, process):
    child = process(WAITING)
    run_id = child.stdout.readline().strip()
    child.kill()
    child.wait()
    assert get(store, run_id).info.status == "RUNNING"
    assert find_stale(store, "same").info.run_id == run_id
    assert find_stale(store, "other") is None
    code = WAITING.replace("time.sleep(60)", "say(run.notices); run.complete()")
    second = process(code)
    said = second.communicate(timeout=60)[0].splitlines()
    assert second.returncode == 0
    assert said[0] == run_id
    assert "taken over from a process that is gone" in said[1]
    there = get(store, run_id)
    assert there.info.status == "FINISHED"
    assert there.data.tags["assay.adopted"] == "1"
    assert json.loads(there.data.tags["assay.owner"])["pid"] == second.pid
    assert statuses(store) == ["FINISHED"]


def stale(store, **owner):
    """A RUNNING run of a process that does not exist (its number belongs to us now)."""
    tag = json.dumps({**json.loads(this_owner()), "started": "1", **owner})
    tags = {"assay.identity": "i", "assay.owner": tag}
    run_id = store.client.create_run(store.experiment_id, tags=tags).info.run_id
    store.client.log_param(run_id, "cfg/temperature", "0")
    return run_id


def test_a_run_whose_owner_lives_is_left_alone(store):
    with open_run(store, name="x", identity="i", tags={}) as first:
        with open_run(store, name="x", identity="i", tags={}) as second:
            second.complete()
        assert second.run_id != first.run_id
        assert f"run {first.run_id} of the same work is still running" in second.notices[0]
        assert get(store, first.run_id).info.status == "RUNNING"
        first.complete()


def test_a_run_of_another_host_is_never_taken_over_or_closed(store):
    old = stale(store, host="build-3")
    with open_run(store, name="x", identity="i", tags={}) as run:
        run.complete()
    assert run.run_id != old
    assert "on build-3; only that machine can tell" in run.notices[0]
    assert reap(store) == []
    assert get(store, old).info.status == "RUNNING"


def test_equal_parameters_are_kept_on_resume(store):
    old = stale(store)
    params = {"cfg/temperature": "0", "cfg/judge": "strict"}
    with open_run(store, name="x", identity="i", tags={}, params=params) as run:
        run.complete()
    assert run.run_id == old
    assert run.adopted
    assert get(store, old).data.params == params


def test_a_changed_parameter_on_resume_starts_a_linked_run_and_names_the_key(store):
    old = stale(store)
    with open_run(store, name="x", identity="i", tags={}, params={"cfg/temperature": "0.2"}) as run:
        run.complete()
    assert run.run_id != old
    assert "cfg/temperature=0, now cfg/temperature=0.2" in run.notices[0]
    assert get(store, run.run_id).data.tags["assay.resumes"] == old
    assert get(store, old).info.status == "KILLED"
    assert get(store, old).data.params == {"cfg/temperature": "0"}


def test_reap_closes_what_is_gone_and_nothing_else(store):
    gone, elsewhere = stale(store), stale(store, host="build-3")
    with open_run(store, name="x", identity="j", tags={}) as alive:
        assert reap(store) == [gone]
        assert get(store, alive.run_id).info.status == "RUNNING"
        alive.complete()
    assert get(store, gone).info.status == "KILLED"
    assert get(store, elsewhere).info.status == "RUNNING"
    assert reap(store) == []


@pytest.fixture
def project_run(store, monkeypatch):
    """A run such as `mlflow run` makes before it starts the project."""
    tags = {"mlflow.source.type": "PROJECT", "mlflow.source.name": "/project"}
    run = store.client.create_run(store.experiment_id, tags=tags)
    store.client.log_param(run.info.run_id, "judge", "'strict'")
    monkeypatch.setenv("MLFLOW_RUN_ID", run.info.run_id)
    return run.info.run_id


def test_the_projects_run_is_used_and_its_variable_taken_away(store, project_run):
    with open_run(store, name="strict", identity="i", tags={}, params={"cfg/judge": "s"}) as run:
        assert "MLFLOW_RUN_ID" not in os.environ
        run.complete()
    assert run.run_id == project_run
    there = get(store, project_run)
    assert there.info.status == "FINISHED"
    assert there.info.run_name == "strict"
    assert there.data.tags["mlflow.source.type"] == "PROJECT"
    assert there.data.params == {"judge": "'strict'", "cfg/judge": "s"}
    assert statuses(store) == ["FINISHED"]


def test_under_mlflow_run_two_children_are_runs_of_their_own(store, project_run):
    with open_sweep(store, identity="s1", nested=True) as sweep:
        children = []
        for name in ("a", "b"):
            with open_run(
                store, name=name, identity=name, tags=sweep.tags, parent=sweep.parent
            ) as run:
                run.complete()
            children.append(run.run_id)
    assert sweep.parent == project_run
    assert len({project_run, *children}) == 3
    for child in children:
        assert get(store, child).data.tags["mlflow.parentRunId"] == project_run
    assert "mlflow.parentRunId" not in get(store, project_run).data.tags
    assert statuses(store) == ["FINISHED"] * 3


def test_a_stale_run_variable_is_refused_before_any_work(start, monkeypatch):
    from assay.schema import TrackingSpec
    from assay.tracking import open_store

    monkeypatch.setenv("MLFLOW_RUN_ID", "0" * 32)
    with pytest.raises(TrackingError, match="unset MLFLOW_RUN_ID"):
        open_store(TrackingSpec(), start=start)


def test_the_projects_experiment_wins_over_the_configured_one(start, project_run):
    from assay.schema import TrackingSpec
    from assay.tracking import open_store

    store = open_store(TrackingSpec(experiment="other"), start=start)
    assert store.experiment == "assay"


def test_a_project_run_with_other_parameters_is_refused_with_the_key(store, project_run):
    store.client.log_param(project_run, "cfg/temperature", "0")
    with (
        pytest.raises(StaleRunError) as caught,
        open_run(store, name="x", identity="i", tags={}, params={"cfg/temperature": "0.2"}),
    ):
        pass
    assert "cfg/temperature=0, now cfg/temperature=0.2" in str(caught.value)
    assert "Changing param values" not in str(caught.value)


def test_a_parent_that_does_not_exist_is_refused(store):
    with (
        pytest.raises(TrackingError, match="cannot open a run"),
        open_run(store, name="x", identity="i", tags={}, parent="0" * 32),
    ):
        pass


def test_children_from_threads_have_their_parent(store):
    children: list[str] = []

    def work(name):
        with open_run(store, name=name, identity=name, tags=sweep.tags, parent=sweep.parent) as run:
            run.complete()
        children.append(run.run_id)

    with open_sweep(store, identity="s", nested=True) as sweep:
        threads = [threading.Thread(target=work, args=(f"t{i}",)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(set(children)) == 4
    parents = {get(store, child).data.tags["mlflow.parentRunId"] for child in children}
    assert parents == {sweep.parent}
    assert get(store, sweep.parent).info.status == "FINISHED"


WORKER = """
with open_run(store, name="w", identity=f"w{os.getpid()}", tags={}) as run:
    say(run.run_id)
    run.complete()
"""


@pytest.mark.slow
def test_workers_join_the_sweep_and_never_end_the_parent(store, process):
    with open_sweep(store, identity="s", nested=True) as sweep:
        environ = {**sweep.worker_environ, "MLFLOW_RUN_ID": sweep.parent}
        workers = [process(WORKER, **environ) for _ in range(2)]
        children = [worker.communicate(timeout=60)[0].strip() for worker in workers]
        assert [worker.returncode for worker in workers] == [0, 0]
        assert get(store, sweep.parent).info.status == "RUNNING"
    assert len({sweep.parent, *children}) == 3
    for child in children:
        tags = get(store, child).data.tags
        assert tags["mlflow.parentRunId"] == sweep.parent
        assert tags["assay.sweep"] == "s"
    assert get(store, sweep.parent).info.status == "FINISHED"


@pytest.mark.slow
def test_a_forked_child_that_unwinds_does_not_end_the_run(process, store):
    code = """
with open_run(store, name="x", identity="i", tags={}) as run:
    pid = os.fork()
    if pid == 0:
        run.close("FAILED")
        os._exit(0)
    os.waitpid(pid, 0)
    say(run.run_id)
    say(store.client.get_run(run.run_id).info.status)
    run.complete()
"""
    run_id, during = process(code).communicate(timeout=60)[0].split()
    assert during == "RUNNING"
    assert get(store, run_id).info.status == "FINISHED"


def test_a_flat_sweep_makes_no_run_of_its_own(store):
    with open_sweep(store, identity="s", nested=False) as sweep:
        assert sweep.parent is None
        assert sweep.summary is None
        sweep.record_leaders({"judge": ["a"]}, description="nothing to write to")
    assert statuses(store) == []


def test_a_flat_sweep_under_mlflow_run_fills_the_projects_run(store, project_run, tmp_path):
    with open_sweep(store, identity="s", nested=False) as sweep:
        with open_run(store, name="a", identity="a", tags=sweep.tags, parent=sweep.parent) as run:
            run.complete()
        sweep.record_leaders({"judge": ["a"], "min_tpr": [0.9]}, description="| judge |")
    assert "mlflow.parentRunId" not in get(store, run.run_id).data.tags
    there = get(store, project_run)
    assert there.info.status == "FINISHED"
    assert there.data.tags["mlflow.note.content"] == "| judge |"
    folder = Path(there.info.artifact_uri.removeprefix("file://"))
    assert json.loads((folder / "leaders.json").read_text(encoding="utf-8")) == {
        "columns": ["judge", "min_tpr"],
        "data": [["a", 0.9]],
    }
    assert json.loads(there.data.tags["mlflow.loggedArtifacts"]) == [
        {"path": "leaders.json", "type": "table"}
    ]


def test_a_failed_child_is_visible_and_fails_the_parent(store):
    with open_sweep(store, identity="s", nested=True) as sweep:
        for name in ("good", "bad"):
            with open_run(
                store, name=name, identity=name, tags=sweep.tags, parent=sweep.parent
            ) as run:
                if name == "good":
                    run.complete()
    assert get(store, run.run_id).info.status == "FAILED"
    assert get(store, sweep.parent).info.status == "FAILED"
    assert statuses(store) == ["FAILED", "FAILED", "FINISHED"]


def test_a_failure_of_an_earlier_sweep_of_that_name_does_not_count(store):
    for complete in (False, True):
        with (
            open_sweep(store, identity="s", nested=True) as sweep,
            open_run(store, name="a", identity="a", tags=sweep.tags, parent=sweep.parent) as run,
        ):
            if complete:
                run.complete()
    assert get(store, sweep.parent).info.status == "FINISHED"
