"""What a run found: reports with every number beside its n, its interval and what was left out."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from assay.metrics import Figure, Gate, GateState, Rate
from assay.schema.base import Many, Record
from assay.schema.records import Identifier


class SplitPart(Record):
    """One of train, dev and test."""

    session_ids: Many[Identifier]
    """Sorted."""
    digest: str
    """SHA-256 of the sorted ids."""
    labels_file: str
    """File beside the manifest with this part's labels and no others."""
    labels_digest: str
    """LabelSet digest of that file."""


class SplitDeviation(Record):
    """How far one stratum is from its quota in one part."""

    dimension: str
    result: Literal["Pass", "Fail"]
    agent: str | None
    """None when agents were merged."""
    part: Literal["train", "dev", "test"]
    quota: float
    """Fraction times the stratum's size."""
    actual: int


class SplitManifest(Record):
    """Which session is in which split, and proof that nothing moved since."""

    schema_version: Literal[1] = 1
    fractions: dict[Literal["train", "dev", "test"], float]
    seed: int
    group_by_task: bool
    labels_digest: str
    """LabelSet digest of all labels together."""
    train: SplitPart
    dev: SplitPart
    test: SplitPart
    largest_deviation: SplitDeviation | None
    """The (dimension, label, agent) cell furthest from its quota."""
    merged_strata: Many[str] = ()
    """Names of strata too small to stand alone that were merged over agents."""
    text_conflicts: Many[str] = ()
    """Equal work with different labels: one sentence per group."""
    synthetic: bool = False


class DimensionMetrics(Record):
    """One judge against people on one dimension, over all agents or for one.

    Pass is the positive class: fp is a false pass (too lenient), fn a false fail
    (too strict).
    """

    dimension: Identifier
    agent: Identifier | None = None
    """None over all agents."""
    tp: int
    fp: int
    tn: int
    fn: int
    n: int
    """Labelled items, decided or not."""
    n_decided: int
    n_abstained: int
    n_errored: int
    n_missing: int
    """Labelled items for which the judge has no record at all."""
    reasons: dict[str, int] = Field(default_factory=dict)
    """Count of each reason of abstention or error."""
    tpr: Rate
    tnr: Rate
    precision: Rate
    recall: Rate
    """The same as tpr, under its other name."""
    coverage: Rate
    conservative_tpr: Rate
    """TPR with every non-verdict held against the judge; gates use this one."""
    conservative_tnr: Rate
    balanced_accuracy: Figure
    kappa: Figure
    gate: Gate


class SelfEnhancementFlag(Record):
    """Is this judge kinder to its own family's work on this dimension?"""

    judge: Identifier
    dimension: Identifier
    family: Identifier
    side: Literal["tpr", "false_pass_rate"]
    own_successes: int
    own_trials: int
    others_successes: int
    others_trials: int
    delta: float | None
    """Own rate minus the unweighted mean of the other agents' rates."""
    p_adjusted: float | None
    """One-sided Fisher mid-p, Holm-adjusted over all comparisons of the report."""
    state: Literal["flagged", "watch", "clear", "insufficient"]
    undefined: str | None = None


class PairwiseMetrics(Record):
    """One judge on pairs in both orders."""

    judge: Identifier
    n: int
    n_undecided: int
    concordance: Rate
    first_position_rate: Rate


class JudgeReport(Record):
    """Everything about one judge: a single model, a panel, or a recorded column."""

    judge: Identifier
    family: str | None = None
    role: Literal["panel", "member", "judge"] = "judge"
    simulated: bool
    dimensions: Many[DimensionMetrics]
    """Over all agents, one per dimension."""
    agents: Many[DimensionMetrics] = ()
    """Per agent, one per dimension and agent."""
    warnings: Many[str] = ()
    n_unmatched: int = 0
    """Verdicts of this judge on sessions without a label."""
    min_tpr: Figure
    """Lowest TPR over dimensions."""
    min_tnr: Figure
    balanced_accuracy: Figure
    """Weighted mean over dimensions of the mean of TPR and TNR."""
    state: GateState
    """Worst gate state over dimensions."""


class LabelSummary(Record):
    """What the report was measured against."""

    n_sessions: int
    n_labels: int
    n_unlabelled: int
    n_undecided: int
    aggregation: str
    digest: str
    synthetic: bool
    annotator_agreement: Figure = Figure(None, "annotators are not named")
    """Mean pairwise Cohen's kappa between annotators on the same items: the human ceiling."""
    n_doubly_labelled: int = 0


class ValidationReport(Record):
    """The result of one run: which judge deserves how much trust, and why."""

    schema_version: Literal[1] = 1
    kind: Literal["dev", "validate"]
    positive_class: Literal["Pass"] = "Pass"
    simulated: bool
    """True when any verdict came from a simulated judge."""
    headline_judge: Identifier
    """The judge that the headline figures are about: the panel, or the only one."""
    judges: Many[JudgeReport]
    """The headline judge first."""
    pairwise: Many[PairwiseMetrics] = ()
    self_enhancement: Many[SelfEnhancementFlag] = ()
    overall_verdict: str
    """One sentence that a person can act on."""
    warnings: Many[str] = ()
    labels: LabelSummary
    target: float
    minimum: float
    level: float
    split_digest: str | None = None
    """Digest of the dev part's ids; None without a split."""
    prompt_fingerprint: str | None = None

    @property
    def headline(self) -> JudgeReport:
        """The report of the headline judge."""
        return self.judges[0]
