"""Reports worked from counts, so that every number in an output can be checked by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest

from assay.metrics import ConfusionMatrix, Figure, concordance, first_position_rate, gate
from assay.metrics.gates import worst
from assay.metrics.pairwise import PairCounts
from assay.schema import (
    DimensionMetrics,
    HumanLabel,
    JudgeReport,
    LabelSet,
    LabelSummary,
    PairwiseMetrics,
    SelfEnhancementFlag,
    ValidationReport,
    Verdict,
)

TARGET, MINIMUM, LEVEL = 0.90, 0.80, 0.95


@dataclass(frozen=True)
class Cell:
    """Counts of one judge on one dimension, for one agent or over all."""

    tp: int
    fn: int
    tn: int
    fp: int
    undecided_pass: int = 0
    undecided_fail: int = 0
    errored: int = 0
    missing: int = 0

    @property
    def matrix(self) -> ConfusionMatrix:
        return ConfusionMatrix(
            tp=self.tp,
            fp=self.fp,
            tn=self.tn,
            fn=self.fn,
            undecided_pass=self.undecided_pass,
            undecided_fail=self.undecided_fail,
        )


def metrics_of(dimension: str, cell: Cell, *, agent: str | None = None) -> DimensionMetrics:
    m = cell.matrix
    undecided = m.labelled - m.decided
    abstained = undecided - cell.errored - cell.missing
    reasons = {"unparseable": abstained, "timeout": cell.errored}
    return DimensionMetrics(
        dimension=dimension,
        agent=agent,
        tp=m.tp,
        fp=m.fp,
        tn=m.tn,
        fn=m.fn,
        n=m.labelled,
        n_decided=m.decided,
        n_abstained=abstained,
        n_errored=cell.errored,
        n_missing=cell.missing,
        reasons={k: v for k, v in reasons.items() if v},
        tpr=m.tpr(),
        tnr=m.tnr(),
        precision=m.precision(),
        recall=m.tpr(),
        coverage=m.coverage(),
        conservative_tpr=m.conservative_tpr(),
        conservative_tnr=m.conservative_tnr(),
        balanced_accuracy=m.balanced_accuracy(),
        kappa=m.kappa(),
        gate=gate(m, target=TARGET, minimum=MINIMUM),
    )


def judge_of(
    judge: str,
    cells: Mapping[str, Cell],
    *,
    agents: Mapping[tuple[str, str], Cell] | None = None,
    role: str = "judge",
    family: str | None = None,
    simulated: bool = False,
    warnings: Sequence[str] = (),
) -> JudgeReport:
    dimensions = tuple(metrics_of(d, c) for d, c in cells.items())

    def lowest(side: str) -> Figure:
        values = [getattr(m, side) for m in dimensions]
        lost = next((v for v in values if v.value is None), None)
        return Figure(None, lost.undefined) if lost else Figure(min(v.value for v in values))

    accuracies = [m.balanced_accuracy for m in dimensions]
    lost = next((a for a in accuracies if a.value is None), None)
    mean = Figure(sum(a.value or 0 for a in accuracies) / len(accuracies))
    return JudgeReport(
        judge=judge,
        family=family,
        role=role,  # type: ignore[arg-type]
        simulated=simulated,
        dimensions=dimensions,
        agents=tuple(metrics_of(d, c, agent=a) for (d, a), c in (agents or {}).items()),
        warnings=tuple(warnings),
        min_tpr=lowest("tpr"),
        min_tnr=lowest("tnr"),
        balanced_accuracy=lost or mean,
        state=worst([m.gate.state for m in dimensions]),
    )


def report_of(
    *judges: JudgeReport,
    simulated: bool = False,
    warnings: Sequence[str] = (),
    flags: Sequence[SelfEnhancementFlag] = (),
    pairwise: Sequence[PairwiseMetrics] = (),
    verdict: str | None = None,
    kind: str = "dev",
) -> ValidationReport:
    n_labels = sum(m.n for m in judges[0].dimensions)
    text = verdict or f"judge {judges[0].judge}: promising, but not yet confirmed"
    return ValidationReport(
        kind=kind,  # type: ignore[arg-type]
        simulated=simulated,
        headline_judge=judges[0].judge,
        judges=judges,
        pairwise=tuple(pairwise),
        self_enhancement=tuple(flags),
        overall_verdict=("SIMULATED: " if simulated else "") + text,
        warnings=tuple(warnings),
        labels=LabelSummary(
            n_sessions=max(m.n for m in judges[0].dimensions),
            n_labels=n_labels,
            n_unlabelled=2,
            n_undecided=1,
            aggregation="single",
            digest="ab" * 32,
            synthetic=simulated,
        ),
        target=TARGET,
        minimum=MINIMUM,
        level=LEVEL,
        split_digest="cd" * 32,
        prompt_fingerprint="ef" * 32,
    )


SINGLE = {
    "correctness": Cell(tp=19, fn=1, tn=16, fp=4),
    "completeness": Cell(tp=42, fn=3, tn=28, fp=2, undecided_pass=2, undecided_fail=1, errored=1),
    "safety": Cell(tp=20, fn=0, tn=0, fp=0, undecided_pass=1, missing=1),
}
"""Safety has no item that people failed: its TNR is undefined."""
AGENTS = ("atlas-coder", "borealis-dev", "cinder-cli")


def split_up(cells: Mapping[str, Cell]) -> dict[tuple[str, str], Cell]:
    """Cells per agent: each count dealt out over three agents, remainder first."""

    def share(count: int, place: int) -> int:
        return count // 3 + (place < count % 3)

    return {
        (d, agent): Cell(tp=share(c.tp, i), fn=share(c.fn, i), tn=share(c.tn, i), fp=share(c.fp, i))
        for d, c in cells.items()
        for i, agent in enumerate(AGENTS)
    }


@pytest.fixture
def single() -> ValidationReport:
    """One judge, three dimensions, three agents; TNR of safety is undefined."""
    judge = judge_of(
        "gpt-x",
        SINGLE,
        agents=split_up(SINGLE),
        warnings=["judge gpt-x, safety: every verdict is Pass"],
    )
    return report_of(judge, kind="validate", warnings=["2 verdicts of repeats are not counted."])


def panel_report() -> ValidationReport:
    five = {
        "correctness": Cell(22, 3, 17, 3, 1, 1, 1),
        "completeness": Cell(25, 2, 15, 3),
        "safety": Cell(33, 2, 8, 2),
        "tests": Cell(26, 2, 14, 3, 0, 2, 0, 1),
        "honesty": Cell(29, 2, 10, 4),
    }
    panel = judge_of("poll", five, agents=split_up(five), role="panel", simulated=True)
    members = [
        judge_of(f"{f}-large", five, role="member", family=f, simulated=True)
        for f in ("atlas", "borealis", "cinder")
    ]
    flags = [
        SelfEnhancementFlag(
            judge="atlas-large", dimension="correctness", family="atlas", side="false_pass_rate",
            own_successes=6, own_trials=7, others_successes=2, others_trials=13, delta=0.7,
            p_adjusted=0.0123, state="flagged",
        ),
        SelfEnhancementFlag(
            judge="cinder-large", dimension="safety", family="cinder", side="tpr",
            own_successes=3, own_trials=3, others_successes=20, others_trials=22, delta=0.09,
            p_adjusted=None, state="insufficient",
            undefined="3 own and 22 other items of the class; needs 5 of each",
        ),
    ]  # fmt: skip
    pairs = PairCounts(concordant=19, discordant=1, first=22, second=18, undecided=2)
    pairwise = PairwiseMetrics(
        judge="poll", n=22, n_undecided=2,
        concordance=concordance(pairs), first_position_rate=first_position_rate(pairs),
    )  # fmt: skip
    return report_of(panel, *members, simulated=True, flags=flags, pairwise=[pairwise])


@pytest.fixture
def panel() -> ValidationReport:
    """A SIMULATED panel of three members on five dimensions."""
    return panel_report()


@pytest.fixture
def several() -> ValidationReport:
    """Three recorded judges side by side."""
    judges = [
        judge_of(name, SINGLE, agents=split_up(SINGLE)) for name in ("gpt-x", "llama", "qwen")
    ]
    return report_of(*judges, kind="validate")


HOSTILE = '<script>alert("x")</script>|`$\\frac{'
"""A name that is markup in HTML, Markdown and TeX at once."""


@pytest.fixture
def hostile() -> ValidationReport:
    """Names that try to command every kind of output."""
    cells = {HOSTILE: Cell(5, 1, 4, 2)}
    agents = {(HOSTILE, "=cmd|' /C calc'!A0"): Cell(5, 1, 4, 2)}
    judge = judge_of("evil\x1b[2J[bold]</b>", cells, agents=agents, warnings=["<b>w</b>\x07"])
    return report_of(judge, verdict='judge <img src=x onerror="1">: no')


@pytest.fixture
def judged() -> tuple[LabelSet, tuple[Verdict, ...]]:
    """Four labels and five verdicts of two judges: gpt-x errs twice, once each way."""
    rows = [("s1", "Pass", "pass"), ("s2", "Pass", "fail"), ("s3", "Fail", "pass")]
    labels = [HumanLabel(session_id=s, dimension="correctness", result=r) for s, r, _ in rows]
    labels.append(HumanLabel(session_id="s4", dimension="correctness", result="Fail"))
    verdicts = [
        Verdict(
            session_id=s, dimension="correctness", judge="gpt-x", outcome=o, rationale=f"why {s}"
        )
        for s, _, o in rows
    ]
    verdicts.append(
        Verdict(
            session_id="s4", dimension="correctness", judge="gpt-x", outcome="abstained",
            reason="unparseable",
        )
    )  # fmt: skip
    verdicts.append(
        Verdict(session_id="s1", dimension="correctness", judge="other", outcome="fail")
    )
    agents = {"s1": "atlas-coder", "s2": "borealis-dev", "s3": "cinder-cli", "s4": "cinder-cli"}
    return LabelSet(tuple(labels), agents=agents, source="labels.jsonl"), tuple(verdicts)


@pytest.fixture
def make_report():
    """A report of one judge on one dimension from (tp, fn, tn, fp)."""

    def build(tp: int, fn: int, tn: int, fp: int, *, simulated: bool = False) -> ValidationReport:
        judge = judge_of("poll", {"correctness": Cell(tp, fn, tn, fp)}, simulated=simulated)
        return report_of(judge, simulated=simulated)

    return build


@pytest.fixture
def many_dimensions() -> ValidationReport:
    """300 dimensions, 200 warnings and a verdict of 20,000 characters."""
    cells = {f"dimension-{i:03d}": Cell(19, 1, 16, 4) for i in range(300)}
    warnings = [f"warning {i} " + "w" * 200 for i in range(200)]
    return report_of(judge_of("j", cells, warnings=warnings), verdict="v " * 10_000)
