"""One run's results: written to a local folder first, then recorded in MLflow.

With `tracking=off` the local folder is all there is; nothing else changes.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from assay.config import Composition
from assay.reporting import (
    FailedJob,
    LeaderRow,
    leader_columns,
    leaders_markdown,
    say,
    summary_markdown,
    talk,
    write_artifacts,
)
from assay.schema import LabelSet, Session, ValidationReport, Verdict, canonical_json, digest
from assay.tracking import (
    OpenRun,
    RunContent,
    Store,
    Sweep,
    open_run,
    open_store,
    open_sweep,
    params_of,
    record,
    run_name,
)

_SHORT = 8
_LONGEST = 80
"""Characters of a name kept in a folder's."""


@dataclass(frozen=True)
class Measured:
    """What one run measured, ready to be written."""

    report: ValidationReport
    labels: LabelSet
    verdicts: Sequence[Verdict]
    sessions: Sequence[Session] = ()
    prompts: Sequence[object] | None = None


@dataclass
class Recording:
    """The place of one run's results."""

    run: Composition
    folder: Path
    """Local results."""
    command: str
    """What gives this report again."""
    open_run: OpenRun | None
    settings: Mapping[str, object]
    """From `decision_values`: what the parameters are."""
    tags: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def run_id(self) -> str | None:
        """The MLflow run; None when tracking is off."""
        return self.open_run.run_id if self.open_run else None

    def write(self, found: Measured) -> None:
        """Write the local results, then record them.

        Raises:
            TrackingError: If MLflow fails; the local results are there then.
        """
        report = found.report
        for warning in write_artifacts(
            report,
            self.folder,
            labels=found.labels,
            verdicts=found.verdicts,
            sessions=found.sessions,
            prompts=found.prompts,
            config_yaml=self.run.yaml,
            overrides=self.run.overrides,
            commands=(self.command,),
        ):
            talk(warning)
        if self.open_run is None:
            return
        note = self.run.config.tracking.note
        description = summary_markdown(report, commands=(self.command,))
        record(
            self.open_run,
            RunContent(
                report=report,
                params=self.settings,
                description=f"{note}\n\n{description}" if note else description,
                folder=self.folder,
                tags=self.tags,
                overrides=self.run.overrides,
                config_yaml=self.run.yaml,
                secrets=secrets_of(self.run),
            ),
        )


@dataclass
class Recorder:
    """Where the runs of one command go: a store with or without a sweep, or nowhere."""

    run: Composition
    store: Store | None
    sweep: Sweep | None

    @contextmanager
    def recording(
        self,
        run: Composition,
        *,
        name: str,
        identity: Mapping[str, object],
        settings: Mapping[str, object],
        command: str,
        kind: Literal["dev", "validate"] = "dev",
    ) -> Iterator[Recording]:
        """Open the place for one run's results for the length of a block.

        Args:
            run: The job's composition.
            name: Shown in the UI and in the local folder's name.
            identity: Everything that decides the result.
            settings: From `decision_values`; logged at once, so that a run taken
                over from a killed process can be compared before anything is judged.
            command: What gives the report again.
            kind: Which verb; `validate` asks no panel.
        """
        out = run.path(run.config.out) / folder_name(name)
        key = digest(canonical_json(dict(identity)))
        simulated = run.config.panel.kind == "simulated" and kind == "dev"
        tags = dict(self.sweep.tags) if self.sweep else {}
        if simulated:
            # Said from the start: a killed run must not pass for a real model's either.
            tags["assay.simulated"] = "true"
        if self.store is None:
            folder = _fresh(out, key[:_SHORT])
            yield Recording(run, folder, command, None, settings, tags)
            return
        parent = self.sweep.parent if self.sweep else None
        with open_run(
            self.store,
            name=run_name(name, simulated=simulated),
            identity=key,
            tags=tags,
            parent=parent,
            params=params_of(settings),
        ) as mlflow_run:
            for notice in mlflow_run.notices:
                talk(notice)
            folder = out / mlflow_run.run_id[:_SHORT]
            folder.mkdir(parents=True, exist_ok=True)
            yield Recording(run, folder, command, mlflow_run, settings, tags)

    def finish_sweep(self, rows: Sequence[LeaderRow], failed: Sequence[FailedJob]) -> None:
        """Put the leader table on the sweep's summary run, where there is one."""
        if self.sweep is None:
            return
        self.sweep.failed = bool(failed)
        self.sweep.record_leaders(
            leader_columns(rows, failed), description=leaders_markdown(rows, failed)
        )

    def print_whereabouts(
        self, *, run_id: str | None = None, folder: Path | None = None, kind: str = "dev"
    ) -> None:
        """Say where the results are and how to look at them; last, so that it is seen."""
        if folder is not None:
            talk(f"Local results: {folder}")
        if self.store is None:
            return
        where = f"MLflow: {self.store.shown}, experiment {self.store.experiment!r}"
        talk(f"{where}, run {run_id}" if run_id else where)
        if command := self.store.view_command:
            say(f"To look at the runs: {command}")
        say(f"then open {self.store.link(kind='dev' if kind == 'dev' else 'validate')}")


@contextmanager
def open_recorder(run: Composition, *, sweep: Sequence[object] = ()) -> Iterator[Recorder]:
    """The recorder of one command.

    Args:
        run: Composition; its tracking group decides.
        sweep: What tells this sweep from another; empty for a single run.

    Yields:
        The recorder. The store was reached before the block began.

    Raises:
        TrackingError: If the store cannot be used.
    """
    spec = run.config.tracking
    if not spec.enabled:
        yield Recorder(run, None, None)
        return
    store = open_store(spec, start=run.start)
    with ExitStack() as stack:
        opened = None
        if sweep:
            key = digest(canonical_json([os.getpid(), *map(str, sweep)]))[:_SHORT]
            opened = stack.enter_context(open_sweep(store, identity=key, nested=spec.nested))
        yield Recorder(run, store, opened)


def secrets_of(run: Composition) -> tuple[str, ...]:
    """Values of the keys that the panel's members name, to be masked wherever they turn up."""
    names = {m.api_key_env for m in run.config.panel.members if m.api_key_env}
    return tuple(value for name in sorted(names) if (value := os.environ.get(name)))


def folder_name(name: str) -> str:
    """A run's name as one folder: a judge's name comes from a file and may hold anything."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "_", name).strip("._")[:_LONGEST]
    # What was changed gets a mark of its own, so that two names never share a folder.
    return plain if plain == name else f"{plain or 'judge'}-{digest(name)[:_SHORT]}"


def _fresh(folder: Path, name: str) -> Path:
    # Without MLflow there is no run id: number the folders, overwrite none.
    folder.mkdir(parents=True, exist_ok=True)
    for number in itertools.count(1):
        candidate = folder / f"{name}-{number}"
        try:
            candidate.mkdir()
        except FileExistsError:
            continue
        return candidate
    raise AssertionError  # itertools.count does not end
