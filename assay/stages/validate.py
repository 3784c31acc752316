"""`assay validate`: measure verdicts you already have. No model is called."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

from assay.config import Composition
from assay.data import (
    LabelOptions,
    VerdictOptions,
    load_combined,
    load_labels,
    load_verdicts,
)
from assay.errors import InputError
from assay.protocol import measure
from assay.reporting import (
    leader_row,
    print_leaders,
    print_report,
    print_spellings,
    rank,
    say,
    say_json,
    talk,
)
from assay.schema import LabelSet, ValidationReport, VerdictSet
from assay.stages.coverage import coverage_exit
from assay.stages.recording import Measured, Recorder, open_recorder
from assay.tracking import decision_values


@dataclass(frozen=True)
class VerdictSource:
    """Where labels and verdicts are: one combined file, or two."""

    command: str
    """What reads the same files again."""
    combined: Path | None = None
    labels: Path | None = None
    verdicts: Path | None = None
    label_options: LabelOptions = field(default_factory=LabelOptions)
    verdict_options: VerdictOptions = field(default_factory=VerdictOptions)


def validate(run: Composition, source: VerdictSource, *, as_json: bool = False) -> int:
    """Report every judge in the files, per dimension and agent; one MLflow run per judge.

    Args:
        run: Composition; policy and tracking matter.
        source: Files.
        as_json: Print the report as JSON instead of tables.

    Returns:
        0, or 4 when a judge's coverage is below the policy's minimum.

    Raises:
        InputError: If a file is missing or faulty, or holds no verdict.
        AlignmentError: If labels and verdicts share no id.
    """
    labels, verdicts = _load(source)
    print_spellings(labels.spellings, title=f"labels in {labels.source}", file=sys.stderr)
    print_spellings(verdicts.spellings, title=f"verdicts in {verdicts.source}", file=sys.stderr)
    for notice in (*labels.notices, *verdicts.notices):
        talk(notice)
    policy = run.config.policy
    reports = {judge: _report(run, labels, verdicts, judge) for judge in verdicts.judges}
    rows = [leader_row(report, variant=judge) for judge, report in reports.items()]
    report = measure(
        labels,
        verdicts.verdicts,
        kind="validate",
        policy=policy,
        headline=rank(rows)[0].variant,
    )
    several = verdicts.judges if len(verdicts.judges) > 1 else ()
    with open_recorder(run, sweep=several) as recorder:
        for judge, own in reports.items():
            _record(run, recorder, labels, verdicts, own, judge=judge, command=source.command)
        recorder.finish_sweep(rows, ())
    if as_json:
        say_json(report)
    else:
        print_report(report)
        if several:
            say("")
            print_leaders(rows)
        recorder.print_whereabouts(folder=run.path(run.config.out), kind="validate")
    return coverage_exit(policy, report)


def _load(source: VerdictSource) -> tuple[LabelSet, VerdictSet]:
    if source.combined is not None:
        labels, verdicts = load_combined(source.combined, spellings=source.label_options.spellings)
    else:
        if source.labels is None or source.verdicts is None:
            message = "labels and verdicts are both needed."
            raise InputError(message)
        labels = load_labels(source.labels, options=source.label_options)
        verdicts = load_verdicts(source.verdicts, options=source.verdict_options)
    if not verdicts.verdicts:
        message = (
            f"{verdicts.source}: holds labels but no judge's verdict; there is nothing to "
            f"validate. Add verdicts, or read the labels alone: assay labels {verdicts.source}"
        )
        raise InputError(message)
    if not labels.labels:
        message = f"{labels.source}: no item has a label; there is nothing to validate against."
        raise InputError(message)
    return labels, verdicts


def _record(
    run: Composition,
    recorder: Recorder,
    labels: LabelSet,
    verdicts: VerdictSet,
    report: ValidationReport,
    *,
    judge: str,
    command: str,
) -> None:
    mine = tuple(v for v in verdicts.verdicts if v.judge == judge)
    said = VerdictSet(mine).digest
    identity = {
        "kind": "validate",
        "judge": judge,
        "labels": labels.digest,
        "verdicts": said,
        "policy": run.config.policy.model_dump(mode="json"),
    }
    settings = decision_values(
        run.config.model_dump(mode="json"),
        labels_digest=labels.digest,
        verdicts_digest=said,
        judge=judge,
    )
    with recorder.recording(
        run,
        name=judge,
        identity=identity,
        settings=settings,
        command=command,
        kind="validate",
    ) as place:
        place.write(Measured(report=report, labels=labels, verdicts=mine))


def _report(
    run: Composition, labels: LabelSet, verdicts: VerdictSet, judge: str
) -> ValidationReport:
    mine = tuple(v for v in verdicts.verdicts if v.judge == judge)
    return measure(labels, mine, kind="validate", policy=run.config.policy)
