"""What a run is made of, as values: criteria, judge, panel, split, policy, store.

Services take these; the configuration composes them; none holds code, a key or
prompt text that YAML could reinterpret.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, field_validator, model_validator

from assay.schema.base import Many, Record
from assay.schema.records import Identifier

Text = Annotated[str, Field(strict=True)]
"""Text that must be written as text: a number or a boolean is refused, not converted."""
Name = Annotated[str, Field(strict=True), StringConstraints(pattern=r"^[A-Za-z0-9][\w.-]*$")]
Fraction = Annotated[float, Field(gt=0, lt=1)]

DEADLINE_S = 120.0
"""Seconds for one verdict where nothing else is said."""


class Criterion(Record):
    """One yes/no question about a session: a dimension and how to answer it."""

    dimension: Name
    """Short name of the question."""
    weight: Annotated[float, Field(gt=0, le=1)]
    """Share in the weighted summary; the weights of a set add up to 1."""
    question: Text
    pass_when: Text
    """What makes the answer Pass."""
    fail_when: Text
    """What makes the answer Fail."""


class FewShotSpec(Record):
    """How many labelled examples from train the prompt shows."""

    per_class: Annotated[int, Field(ge=0, le=10)] = 0
    """Anchors per class and dimension; 0 shows none."""
    seed: int = 0
    """Which labelled examples are drawn."""


class JudgeSpec(Record):
    """One prompt variant."""

    name: Name
    prompt: Name
    """File `conf/prompt/<name>.md`: opaque text with declared placeholders."""
    parent: Name | None = None
    """The variant this one was made from, for the text diff."""
    reply: Literal["verdict_only", "rationale_first", "verdict_first", "scratchpad"] = (
        "rationale_first"
    )
    """Shape of the JSON reply that the judge must give."""
    few_shot: FewShotSpec = FewShotSpec()
    """Labelled examples from train in the prompt."""
    extra_instruction: Text = ""
    """One more sentence for the judge, shown verbatim after the instructions."""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = 0.0
    """None sends no temperature at all."""
    max_tokens: Annotated[int, Field(ge=16, le=32_768)] = 1024
    """Longest reply asked for; a longer one is `truncated`."""
    seed: int | None = 0
    """None sends no seed."""


class MemberSpec(Record):
    """One model behind one endpoint."""

    name: Identifier
    """The judge's name in reports."""
    model: Text
    """Model name that the endpoint knows."""
    family: Name
    """Declared model family, compared with the agents' families."""
    base_url: Text | None = None
    """OpenAI-compatible endpoint; None is the panel's own simulated server."""
    api_key_env: Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] | None = (
        None
    )
    """Name of the environment variable that holds the key; never the key itself."""


class SimulationSpec(Record):
    """How the embedded planted judges behave; they are no real models."""

    seed: int = 0
    """Seed of the planted verdicts and faults."""
    latency_ms: Annotated[float, Field(ge=0, le=60_000)] = 0.0
    """Time that each reply is held back."""
    error_rate: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Share of requests answered by a fault (429, 500, refusal, unreadable text...)."""


class PanelSpec(Record):
    """Who judges: one model, a panel of families, or a file of recorded verdicts."""

    name: Name
    kind: Literal["simulated", "openai", "recorded"]
    """simulated: planted judges of our own; openai: endpoints; recorded: a file."""
    members: Many[MemberSpec] = ()
    """The models asked; one or several."""
    verdicts: Text | None = None
    """File of recorded verdicts, for kind `recorded`."""
    quorum: Annotated[int, Field(ge=1)] = 1
    """Usable votes needed before a majority counts."""
    exclude_own_family: bool = False
    """Leave out members of the family of the agent under judgement."""
    simulation: SimulationSpec = SimulationSpec()
    """How the planted judges behave, for kind `simulated`."""
    max_in_flight: Annotated[int, Field(ge=1, le=1024)] = 64
    """Requests in flight per endpoint."""
    deadline_s: Annotated[float, Field(gt=0, le=3600)] = DEADLINE_S
    """Total seconds for one verdict over all attempts; null in YAML means this default."""
    max_attempts: Annotated[int, Field(ge=1, le=10)] = 4
    """Requests for one verdict at most."""

    @field_validator("deadline_s", mode="before")
    @classmethod
    def _no_deadline_is_the_default(cls, given: object) -> object:
        # "No deadline" would let one silent endpoint hold a run for ever.
        return DEADLINE_S if given is None else given

    @model_validator(mode="after")
    def _members_fit_kind(self) -> Self:
        if self.kind == "recorded":
            if self.members:
                message = "a recorded panel has no members; its judges are named in the file"
                raise ValueError(message)
            if not self.verdicts:
                message = "a recorded panel needs verdicts=FILE"
                raise ValueError(message)
            return self
        if not self.members:
            message = f"panel {self.name!r} needs at least one member"
            raise ValueError(message)
        names = [m.name for m in self.members]
        if len(set(names)) != len(names):
            message = f"panel {self.name!r} names a member twice: {sorted(names)}"
            raise ValueError(message)
        if self.quorum > len(names):
            message = (
                f"panel {self.name!r} has {len(names)} member(s) but quorum {self.quorum}, so no "
                "verdict could ever count; lower quorum or add members"
            )
            raise ValueError(message)
        if self.kind == "openai" and any(m.base_url is None for m in self.members):
            message = f"panel {self.name!r}: every member of an openai panel needs a base_url"
            raise ValueError(message)
        return self


class LabelFileSpec(Record):
    """How to read a label file that uses other names or spellings than ours."""

    columns: dict[str, Text] = Field(default_factory=dict[str, str])
    """Our field (session_id, result, annotator...) -> column of the file."""
    spellings: dict[str, Text] = Field(default_factory=dict[str, str])
    """Raw value -> Pass, Fail or unlabelled."""
    annotator_columns: Many[Text] = ()
    """Wide form: one column of labels per annotator."""
    dimension_columns: Many[Text] = ()
    """Wide form: one column of labels per dimension."""
    rule: Literal["majority", "unanimous"] = "majority"
    """How several annotators' votes become one label."""


class DataSpec(Record):
    """Where sessions and labels are."""

    name: Name
    kind: Literal["synthetic", "files"] = "files"
    """synthetic: made on first use under `dir`; files: your own."""
    dir: Text = "bench"
    """Folder with the two files below and split/, relative to the start directory."""
    sessions: Text = "sessions.jsonl"
    """File of sessions within `dir`."""
    labels: Text = "labels.jsonl"
    """File of human labels within `dir`: JSONL, JSON, CSV or TSV."""
    reading: LabelFileSpec = LabelFileSpec()
    """How to read the label file, where it does not use our names."""
    size: Annotated[int, Field(ge=100, le=100_000)] = 100
    """Sessions to make, for kind `synthetic`."""
    seed: int = 0
    """Seed of the sessions made, for kind `synthetic`."""
    criteria: Name = "coding_agents"
    """File `conf/criteria/<name>.yaml` with the dimensions, their weights and questions."""


class SplitSpec(Record):
    """How labelled sessions are divided."""

    name: Name = "standard"
    train: Fraction = 0.15
    """Share from which few-shot examples come."""
    dev: Fraction = 0.45
    """Share on which prompts are compared."""
    test: Fraction = 0.40
    """Share kept for one final look."""
    seed: int = 0
    """Which of the equally good splits is taken."""
    group_by_task: bool = True
    """Keep all sessions of one task in one split."""
    small_strata: Literal["refuse", "merge"] = "refuse"
    """What to do with (dimension, label, agent) cells too small to appear in every split."""
    min_per_stratum: Annotated[int, Field(ge=1)] = 3
    """A cell with fewer sessions is too small."""

    @model_validator(mode="after")
    def _fractions_add_up(self) -> Self:
        total = self.train + self.dev + self.test
        if abs(total - 1) > 1e-9:
            message = f"train + dev + test must be 1, got {total:g}"
            raise ValueError(message)
        return self


class PolicySpec(Record):
    """What a judge must show before it is trusted."""

    name: Name = "standard"
    target: Fraction = 0.90
    """TPR and TNR aimed at."""
    minimum: Fraction = 0.80
    """TPR and TNR below which a judge is not used."""
    concordance: Fraction = 0.85
    """Position-swap concordance aimed at."""
    level: Fraction = 0.95
    """Confidence of intervals (two-sided) and of gate bounds (one-sided)."""
    min_coverage: Annotated[float, Field(ge=0, le=1)] = 0.9
    """Share of labelled items with a Pass or Fail verdict below which a run fails (exit 4)."""

    @model_validator(mode="after")
    def _minimum_is_no_higher_than_target(self) -> Self:
        if self.minimum > self.target:
            message = f"minimum {self.minimum:g} is above target {self.target:g}; lower the minimum"
            raise ValueError(message)
        return self


class TrackingSpec(Record):
    """Where runs are recorded."""

    name: Name = "local"
    enabled: bool = True
    """False writes local results only."""
    uri: Text | None = None
    """MLflow tracking URI; None takes MLFLOW_TRACKING_URI, else sqlite in the start directory."""
    experiment: Text = "assay"
    """MLflow experiment of the runs."""
    nested: bool = False
    """Nest a sweep's runs under one parent; flat runs are easier to compare in the UI."""
    note: Text = ""
    """Free text put at the top of the run's description."""
