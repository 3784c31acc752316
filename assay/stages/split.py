"""`assay split`: divide labelled sessions into train, dev and test, once."""

from __future__ import annotations

import sys
from dataclasses import replace

from assay.config import Composition
from assay.data import LabelOptions, load_labels, load_sessions, write_split
from assay.errors import InputError
from assay.protocol import outlook, split_sessions, work_text
from assay.reporting import print_spellings, print_split, say_json, talk
from assay.schema import LabelFileSpec, LabelSet, Session
from assay.stages.bench_set import data_folder, missing_files
from assay.stages.synth import write_bench_set


def split(run: Composition, *, as_json: bool = False) -> int:
    """Write split.json and one label file per part into `data.dir`/split.

    The only stage that sees all labels together. It calls no model.

    Args:
        run: Composition; `data` and `split` matter.
        as_json: Print the manifest as JSON.

    Returns:
        0.

    Raises:
        TooFewLabels: If strata are too small and merging was not asked for.
        InputError: If a file is missing or faulty, or another split is in the way.
    """
    config = run.config
    folder = data_folder(run)
    if missing_files(run):
        talk(write_bench_set(run).sentence)
    sessions = load_sessions(folder / config.data.sessions)
    labels = with_session_facts(_load(run), sessions)
    texts = {s.session_id: work_text(s) for s in sessions}
    plan = split_sessions(labels, spec=config.split, texts=texts)
    write_split(folder / "split", plan.manifest, plan.parts)
    if as_json:
        say_json(plan.manifest)
        return 0
    print_split(
        plan.manifest,
        plan.sizes,
        outlook(plan.parts, policy=config.policy),
        warnings=plan.warnings,
    )
    return 0


def _load(run: Composition) -> LabelSet:
    data = run.config.data
    found = load_labels(run.path(data.dir) / data.labels, options=label_options(data.reading))
    print_spellings(found.spellings, title=f"labels in {found.source}", file=sys.stderr)
    for notice in found.notices:
        talk(notice)
    return found


def label_options(reading: LabelFileSpec) -> LabelOptions:
    """The reader's options from the configuration's."""
    return LabelOptions(
        columns=reading.columns,
        spellings=reading.spellings,
        annotator_columns=reading.annotator_columns,
        dimension_columns=reading.dimension_columns,
        rule=reading.rule,
    )


def with_session_facts(labels: LabelSet, sessions: tuple[Session, ...]) -> LabelSet:
    """Labels with agents, families and tasks filled in from the sessions.

    Raises:
        InputError: If a label's session is not there, or its agent is another.
    """
    agents = {s.session_id: s.agent for s in sessions}
    if strangers := [x.session_id for x in labels.labels if x.session_id not in agents]:
        shown = ", ".join(dict.fromkeys(strangers))
        message = (
            f"{labels.source}: {len(set(strangers))} labelled sessions are not among the "
            f"{len(sessions)} sessions ({shown[:120]}); add them or remove their labels."
        )
        raise InputError(message)
    for session_id, agent in labels.agents.items():
        if agent != agents.get(session_id, agent):
            message = (
                f"{labels.source}: {session_id!r} has agent {agent!r}, but the sessions say "
                f"{agents[session_id]!r}; make them agree."
            )
            raise InputError(message)
    return replace(
        labels,
        agents=agents,
        families={**{s.agent: s.agent_family for s in sessions}, **labels.families},
        groups={**{s.session_id: s.task_id for s in sessions}, **labels.groups},
    )
