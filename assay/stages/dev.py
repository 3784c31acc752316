"""`assay dev`: judge the dev part, measure against its labels, record the run.

As often as you like: the dev part is for iterating. No test label can be
reached from here.
"""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

from assay.config import Composition
from assay.data import load_verdicts
from assay.errors import InputError
from assay.judges import Judged, fingerprint, judge_sessions, judged_from_record, require_keys
from assay.protocol import measure
from assay.reporting import print_report, print_spellings, progress, say_json, talk
from assay.schema import ValidationReport, VerdictSet
from assay.stages.coverage import coverage_exit
from assay.stages.dev_inputs import DevInputs, load_dev_inputs
from assay.stages.recording import Measured, Recorder, open_recorder
from assay.tracking import decision_values


@dataclass(frozen=True)
class DevResult:
    """What one dev run found and where it is."""

    report: ValidationReport
    folder: Path
    """Local results, complete whether or not MLflow took them."""
    run_id: str | None


def dev(run: Composition, *, as_json: bool = False) -> int:
    """One dev run, printed.

    Args:
        run: Composition.
        as_json: Print the report as JSON instead of tables.

    Returns:
        0, or 4 when coverage is below the policy's minimum.
    """
    with open_recorder(run) as recorder:
        result = run_dev(run, recorder)
    if as_json:
        say_json(result.report)
    else:
        print_report(result.report)
        recorder.print_whereabouts(run_id=result.run_id, folder=result.folder)
    return coverage_exit(run.config.policy, result.report)


def run_dev(run: Composition, recorder: Recorder) -> DevResult:
    """Load, judge, measure, write, record: one variant on the dev part.

    Args:
        run: Composition of one job.
        recorder: Where the results go; also carries the sweep that this job belongs to.

    Returns:
        The report and its whereabouts.

    Raises:
        AssayError: With its exit code, for every known failure.
    """
    inputs = load_dev_inputs(run)
    recorded = _recorded(run, inputs)
    # Before a run is opened: a missing key should not leave a failed one behind.
    require_keys(run.config.panel)
    with recorder.recording(
        run,
        name=f"{run.config.judge.name}-{run.config.panel.name}",
        identity=_identity(run, inputs, recorded),
        settings=_settings(run, inputs, recorded),
        command=command_of(run),
    ) as place:
        judged = _judge(run, inputs, recorded)
        judged.raise_if_unusable()
        for note in (*judged.stops, *judged.notes):
            talk(note)
        if judged.simulated and not judged.decided:
            talk(
                "SIMULATED judges know the sessions of this version's synthetic bench set and no "
                "others; for your own sessions use panel=openai or panel=recorded, for a set made "
                "by another version name a new data.dir."
            )
        report = _measure(run, inputs, judged)
        place.write(
            Measured(
                report=report,
                labels=inputs.labels,
                verdicts=judged.verdicts,
                sessions=inputs.sessions,
                prompts=judged.prompts or None,
            )
        )
        return DevResult(report=report, folder=place.folder, run_id=place.run_id)


def _recorded(run: Composition, inputs: DevInputs) -> VerdictSet | None:
    panel = run.config.panel
    if panel.kind != "recorded":
        return None
    path = run.path(panel.verdicts or "")
    found = load_verdicts(path)
    print_spellings(found.spellings, title=f"verdicts in {found.source}", file=sys.stderr)
    for notice in found.notices:
        talk(notice)
    dev_ids = set(inputs.manifest.dev.session_ids)
    mine = tuple(v for v in found.verdicts if v.session_id in dev_ids)
    if not mine:
        message = (
            f"{path}: none of its {len(found.verdicts)} verdicts is on a session of the dev "
            f"part; check that ids are those of {run.config.data.sessions}."
        )
        raise InputError(message)
    if other := len(found.verdicts) - len(mine):
        talk(f"{found.source}: {other} verdicts on sessions outside the dev part are not used")
    return VerdictSet(mine, found.spellings, found.notices, found.source)


def _judge(run: Composition, inputs: DevInputs, recorded: VerdictSet | None) -> Judged:
    config = run.config
    families = {s.session_id: s.agent_family for s in inputs.sessions}
    if recorded is not None:
        return judged_from_record(recorded, panel=config.panel, agent_families=families)
    total = len(inputs.sessions) * len(inputs.criteria) * len(config.panel.members)
    with progress(total, f"{config.judge.name} x {config.panel.name}") as bar:
        return judge_sessions(
            inputs.sessions,
            inputs.criteria,
            judge=config.judge,
            template=inputs.template,
            panel=config.panel,
            anchors=inputs.anchors,
            dimensions_of=inputs.dimensions_of,
            on_verdict=bar.advance,
        )


def _measure(run: Composition, inputs: DevInputs, judged: Judged) -> ValidationReport:
    judges = list(dict.fromkeys(v.judge for v in judged.verdicts))
    panel = run.config.panel.name
    has_panel = len(judges) > 1 and panel in judges
    return measure(
        inputs.labels,
        judged.verdicts,
        kind="dev",
        policy=run.config.policy,
        headline=panel if has_panel else judges[0],
        roles={j: "panel" if j == panel else "member" for j in judges} if has_panel else None,
        families=inputs.labels.families,
        weights={c.dimension: c.weight for c in inputs.criteria},
        split_digest=inputs.manifest.dev.digest,
        prompt_fingerprint=judged.prompt_fingerprint,
    )


def _settings(
    run: Composition, inputs: DevInputs, recorded: VerdictSet | None
) -> dict[str, object]:
    config = run.config
    asked = None
    if recorded is None:
        asked = fingerprint(
            inputs.template,
            judge=config.judge,
            criteria=inputs.criteria,
            anchors=inputs.anchors,
            panel=config.panel,
        )
    return decision_values(
        config.model_dump(mode="json"),
        prompt_fingerprint=asked,
        split_digest=inputs.manifest.dev.digest,
        labels_digest=inputs.labels.digest,
        verdicts_digest=recorded.digest if recorded else None,
    )


def _identity(
    run: Composition, inputs: DevInputs, recorded: VerdictSet | None
) -> dict[str, object]:
    config = run.config
    return {
        "judge": config.judge.model_dump(mode="json"),
        "template": inputs.template,
        "panel": config.panel.model_dump(mode="json"),
        "policy": config.policy.model_dump(mode="json"),
        "criteria": [c.model_dump(mode="json") for c in inputs.criteria],
        "labels": inputs.labels.digest,
        "split": inputs.manifest.dev.digest,
        "anchors": sorted(a.session.session_id for of in inputs.anchors.values() for a in of),
        "verdicts": recorded.digest if recorded else None,
    }


def command_of(run: Composition) -> str:
    """The command that gives this run again."""
    return shlex.join(["assay", "dev", *run.overrides])
