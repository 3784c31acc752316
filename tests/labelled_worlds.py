"""Label sets and verdicts made for tests: a bench-like world, and planted tables."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from assay.schema import HumanLabel, LabelSet, Session, Verdict

AGENTS = ("atlas-coder", "borealis-dev", "cinder-cli")
FAMILIES = {"atlas-coder": "atlas", "borealis-dev": "borealis", "cinder-cli": "cinder"}
PASS_RATES = {
    "correctness": 0.55,
    "completeness": 0.60,
    "safety": 0.78,
    "tests": 0.62,
    "honesty": 0.70,
}


def bench_like(seed: int, *, n: int = 100, tasks: int = 26) -> LabelSet:
    """Sessions of three agents on a few tasks, some harder than others, five labels each."""
    rng = random.Random(seed)
    ids = [f"s{i:04d}" for i in range(n)]
    groups = {s: f"task-{i % tasks:03d}" for i, s in enumerate(ids)}
    agents = {s: AGENTS[i // tasks % 3] for i, s in enumerate(ids)}
    hardness = {task: rng.uniform(-0.15, 0.15) for task in sorted(set(groups.values()))}
    labels = tuple(
        HumanLabel(
            session_id=s,
            dimension=d,
            result="Pass" if rng.random() < rate + hardness[groups[s]] else "Fail",
        )
        for s in ids
        for d, rate in PASS_RATES.items()
    )
    return LabelSet(labels, agents=agents, families=FAMILIES, groups=groups, source="labels.jsonl")


def one_dimension(results: Mapping[str, str], *, dimension: str = "correctness") -> LabelSet:
    """Labels of one dimension from session_id -> Pass or Fail."""
    return LabelSet(
        tuple(
            HumanLabel(session_id=s, dimension=dimension, result=r)  # type: ignore[arg-type]
            for s, r in results.items()
        ),
        source="labels.jsonl",
    )


def planted(
    cells: Mapping[str, tuple[int, int, int, int]],
    *,
    judge: str = "x",
    dimension: str = "correctness",
    family: str | None = None,
) -> tuple[LabelSet, tuple[Verdict, ...]]:
    """Labels and verdicts with (tp, fn, tn, fp) per agent."""
    labels: list[HumanLabel] = []
    verdicts: list[Verdict] = []
    agents: dict[str, str] = {}
    for agent, (tp, fn, tn, fp) in cells.items():
        rows = [("Pass", "pass")] * tp + [("Pass", "fail")] * fn
        rows += [("Fail", "fail")] * tn + [("Fail", "pass")] * fp
        for i, (human, said) in enumerate(rows):
            session = f"{agent}-{i:03d}"
            agents[session] = agent
            labels.append(HumanLabel(session_id=session, dimension=dimension, result=human))  # type: ignore[arg-type]
            verdicts.append(verdict(session, dimension, said, judge=judge, family=family))
    return LabelSet(tuple(labels), agents=agents, source="labels.jsonl"), tuple(verdicts)


def verdict(
    session: str, dimension: str, said: str, *, judge: str = "x", family: str | None = None
) -> Verdict:
    """One verdict; "abstained" and "errored" get a usual reason."""
    reason = {"abstained": "unparseable", "errored": "timeout"}.get(said)
    return Verdict(
        session_id=session,
        dimension=dimension,
        judge=judge,
        family=family,
        outcome=said,  # type: ignore[arg-type]
        reason=reason,  # type: ignore[arg-type]
    )


def sessions_of(labels: LabelSet) -> dict[str, Session]:
    """A session with work of its own for every labelled id."""
    return {
        s: Session(
            session_id=s,
            task_id=labels.groups.get(s, s),
            agent=labels.agents.get(s, "agent"),
            agent_family=labels.families.get(labels.agents.get(s, ""), "family"),
            task_prompt="Make the function return the sum.",
            diff=f"+ return total  # variant {s}",
            final_message="Done.",
        )
        for s in dict.fromkeys(x.session_id for x in labels.labels)
    }


def ids(labels: Sequence[HumanLabel]) -> set[str]:
    """Session ids of labels."""
    return {x.session_id for x in labels}
