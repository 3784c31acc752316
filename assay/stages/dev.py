"""`assay dev`: judge the dev part, measure against its labels, record the run.

As often as you like: the dev part is for iterating. No test label can be
reached from here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.config import Composition
from assay.data import load_verdicts, write_jsonl
from assay.errors import AssayError, EndpointError, JudgeError
from assay.judges import Judged, judge_sessions, recorded_panel
from assay.protocol import measure
from assay.reporting import print_report, progress, report_json_value, talk, write_artifacts
from assay.schema import ValidationReport, Verdict, digest
from assay.stages.dev_inputs import DevInputs, load_dev_inputs
from assay.stages.recording import Recorder, open_recorder


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
    recorder = open_recorder(run)
    result = run_dev(run, recorder)
    if as_json:
        report_json_value(result.report)
    else:
        print_report(result.report)
    recorder.print_whereabouts(result.run_id, result.folder)
    return coverage_exit(run, result.report)


def run_dev(run: Composition, recorder: Recorder) -> DevResult:
    """Load, judge, measure, write, record: one variant on the dev part.

    Args:
        run: Composition of one job.
        recorder: Open store; also carries the sweep that this job belongs to.

    Returns:
        The report and its whereabouts.

    Raises:
        AssayError: With its exit code, for every known failure.
    """
    config = run.config
    inputs = load_dev_inputs(run)
    with recorder.run(run, identity=_identity(run, inputs)) as here:
        judged = _judge(run, inputs, journal=here.folder / "verdicts.partial.jsonl")
        report = measure(
            inputs.labels,
            judged.verdicts,
            kind="dev",
            policy=config.policy,
            headline=judged.headline,
            roles=judged.roles,
            families=inputs.labels.families,
            weights={c.dimension: c.weight for c in inputs.criteria},
            split_digest=inputs.manifest.dev.digest,
            prompt_fingerprint=judged.prompt_fingerprint,
        )
        warnings = write_artifacts(
            report,
            here.folder,
            labels=inputs.labels,
            verdicts=judged.verdicts,
            sessions=inputs.sessions,
            prompts=judged.prompts,
            config_yaml=run.yaml,
            overrides=run.overrides,
            commands=(here.command,),
        )
        for warning in warnings:
            talk(warning)
        here.record(report, manifest=inputs.manifest, judged=judged)
    return DevResult(report=report, folder=here.folder, run_id=here.run_id)
