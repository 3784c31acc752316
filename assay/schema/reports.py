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
    """Sessions that the part really has."""


class SplitManifest(Record):
    """Which session is in which split, and proof that nothing moved since."""

    schema_version: Literal[1] = 1
    fractions: dict[Literal["train", "dev", "test"], float]
    """Shares asked for; they add up to 1."""
    seed: int
    group_by_task: bool
    """True when all sessions of one task are in one part."""
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
    """True when any label was generated."""


class DimensionMetrics(Record):
    """One judge against people on one dimension, over all agents or for one.

    Pass is the positive class: fp is a false pass (too lenient), fn a false fail
    (too strict).
    """

    dimension: Identifier
    agent: Identifier | None = None
    """None over all agents."""
    tp: int
    """People Pass, judge Pass."""
    fp: int
    """People Fail, judge Pass: a false pass, too lenient."""
    tn: int
    """People Fail, judge Fail."""
    fn: int
    """People Pass, judge Fail: a false fail, too strict."""
    n: int
    """Labelled items, decided or not."""
    n_decided: int
    """Items with a Pass or Fail verdict: tp + fp + tn + fn."""
    n_abstained: int
    """Items with a reply but no usable verdict."""
    n_errored: int
    """Items without a usable reply."""
    n_missing: int
    """Labelled items for which the judge has no record at all."""
    reasons: dict[str, int] = Field(default_factory=dict)
    """Count of each reason of abstention or error."""
    tpr: Rate
    """Judge's pass rate on decided items that people passed."""
    tnr: Rate
    """Judge's fail rate on decided items that people failed."""
    precision: Rate
    """Share of the judge's passes that people passed too."""
    recall: Rate
    """The same as tpr, under its other name."""
    coverage: Rate
    """Share of labelled items with a Pass or Fail verdict."""
    conservative_tpr: Rate
    """TPR with every non-verdict held against the judge; gates use this one."""
    conservative_tnr: Rate
    """TNR with every non-verdict held against the judge; gates use this one."""
    balanced_accuracy: Figure
    """Mean of TPR and TNR; 0.5 is chance."""
    kappa: Figure
    """Cohen's kappa with people over decided items."""
    gate: Gate
    """Whether the labels confirm the policy's bars."""


class SelfEnhancementFlag(Record):
    """Is this judge kinder to its own family's work on this dimension?"""

    judge: Identifier
    dimension: Identifier
    family: Identifier
    """The judge's declared family; own agents are those that share it."""
    side: Literal["tpr", "false_pass_rate"]
    """Which rate is compared: TPR, or the judge's pass rate on work that people failed."""
    own_successes: int
    """Judge's passes on its own family's work of this class."""
    own_trials: int
    """Decided items of its own family's work of this class."""
    others_successes: int
    """Judge's passes on all other agents' work of this class."""
    others_trials: int
    """Decided items of all other agents' work of this class."""
    delta: float | None
    """Own rate minus the unweighted mean of the other agents' rates."""
    p_adjusted: float | None
    """One-sided Fisher mid-p, Holm-adjusted over all comparisons of the report."""
    state: Literal["flagged", "watch", "clear", "insufficient"]
    """flagged: five points and evidence; watch: five points without; insufficient: too few."""
    undefined: str | None = None
    """Why it could not be compared; None when it was."""


class PairwiseMetrics(Record):
    """One judge on pairs in both orders."""

    judge: Identifier
    n: int
    """Pairs judged."""
    n_undecided: int
    """Pairs in which at least one order has no usable verdict."""
    concordance: Rate
    """Share of pairs with the same choice in both orders."""
    first_position_rate: Rate
    """Share of choices for the candidate shown first; 0.5 is no preference."""


class JudgeReport(Record):
    """Everything about one judge: a single model, a panel, or a recorded column."""

    judge: Identifier
    family: str | None = None
    role: Literal["panel", "member", "judge"] = "judge"
    """panel: a majority; member: one of its voices; judge: asked or recorded alone."""
    simulated: bool
    """True when no real model stands behind it."""
    dimensions: Many[DimensionMetrics]
    """Over all agents, one per dimension."""
    agents: Many[DimensionMetrics] = ()
    """Per agent, one per dimension and agent."""
    warnings: Many[str] = ()
    """What a reader must know about this judge, one sentence each."""
    n_unmatched: int = 0
    """Verdicts of this judge on sessions without a label."""
    min_tpr: Figure
    """Lowest TPR over dimensions."""
    min_tnr: Figure
    """Lowest TNR over dimensions."""
    balanced_accuracy: Figure
    """Weighted mean over dimensions of the mean of TPR and TNR."""
    state: GateState
    """Worst gate state over dimensions."""


class LabelSummary(Record):
    """What the report was measured against."""

    n_sessions: int
    """Sessions with at least one label."""
    n_labels: int
    """Labels: one per session and dimension."""
    n_unlabelled: int
    """Rows with a blank label."""
    n_undecided: int
    """Items whose votes gave no label."""
    aggregation: str
    """How several votes became one label."""
    digest: str
    """SHA-256 of the labels, whatever the order of rows."""
    synthetic: bool
    """True when any label was generated."""
    annotator_agreement: Figure = Figure(None, "annotators are not named")
    """Mean pairwise Cohen's kappa between annotators on the same items: the human ceiling."""
    n_doubly_labelled: int = 0
    """Items with at least two named annotators."""


class ValidationReport(Record):
    """The result of one run: which judge deserves how much trust, and why."""

    schema_version: Literal[1] = 1
    kind: Literal["dev", "validate"]
    """dev: on the dev part; validate: on a file of recorded verdicts."""
    positive_class: Literal["Pass"] = "Pass"
    simulated: bool
    """True when any verdict came from a simulated judge."""
    headline_judge: Identifier
    """The judge that the headline figures are about: the panel, or the only one."""
    judges: Many[JudgeReport]
    """The headline judge first."""
    pairwise: Many[PairwiseMetrics] = ()
    """One per judge with verdicts on pairs."""
    self_enhancement: Many[SelfEnhancementFlag] = ()
    """Every comparison made, flagged or not."""
    overall_verdict: str
    """One sentence that a person can act on."""
    warnings: Many[str] = ()
    """About the report as a whole, one sentence each."""
    labels: LabelSummary
    """What was measured against."""
    target: float
    """The policy's bar aimed at, for TPR and TNR."""
    minimum: float
    """The policy's bar below which a judge is not used."""
    level: float
    """Confidence of intervals (two-sided) and gate bounds (one-sided)."""
    split_digest: str | None = None
    """Digest of the dev part's ids; None without a split."""
    prompt_fingerprint: str | None = None
    """Digest of everything that can change a reply; None for recorded verdicts."""

    @property
    def headline(self) -> JudgeReport:
        """The report of the headline judge."""
        return self.judges[0]
