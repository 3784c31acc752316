"""Labels and verdicts as they come out of a file: the records and what was left out of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from assay.schema.base import digest
from assay.schema.records import HumanLabel, Verdict

Aggregation = Literal["single", "recorded", "majority", "unanimous"]
"""How several annotators' votes became one label.

single: at most one label per session and dimension was given.
recorded: the file gives the agreed label beside the votes.
majority: strict majority of votes; an even split is no label, and is counted.
unanimous: only items on which all annotators agree.
"""


@dataclass(frozen=True)
class LabelSet:
    """One label per (session, dimension), the votes behind them, and what has none."""

    labels: tuple[HumanLabel, ...]
    """One per (session, dimension), in file order."""
    agents: Mapping[str, str] = field(default_factory=dict[str, str])
    """session_id -> agent, where known."""
    families: Mapping[str, str] = field(default_factory=dict[str, str])
    """agent -> model family, where known."""
    groups: Mapping[str, str] = field(default_factory=dict[str, str])
    """session_id -> task or other group that must stay in one split, where known."""
    votes: tuple[HumanLabel, ...] = ()
    """Every annotator's label where annotators are named; else empty."""
    aggregation: Aggregation = "single"
    unlabelled: int = 0
    """Rows with a blank label."""
    undecided: int = 0
    """(session, dimension) pairs whose votes gave no label under the rule."""
    spellings: Mapping[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])
    """Raw spelling -> (what it was read as, count): the printed mapping table."""
    notices: tuple[str, ...] = ()
    """What the loader left out or found worth a word, one sentence each."""
    source: str = ""
    """File name shown in messages."""

    @cached_property
    def digest(self) -> str:
        """SHA-256 over (session, dimension, result), whatever the order of rows."""
        return digest(sorted([x.session_id, x.dimension, x.result] for x in self.labels))

    @property
    def dimensions(self) -> tuple[str, ...]:
        """Dimensions in order of first appearance."""
        return tuple(dict.fromkeys(label.dimension for label in self.labels))

    @property
    def synthetic(self) -> bool:
        """True when any label was generated rather than given by a person."""
        return any(label.synthetic for label in self.labels)


@dataclass(frozen=True)
class VerdictSet:
    """Recorded verdicts of one or several judges."""

    verdicts: tuple[Verdict, ...]
    spellings: Mapping[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])
    """Raw spelling -> (what it was read as, count): the printed mapping table."""
    notices: tuple[str, ...] = ()
    """What the loader left out or found worth a word, one sentence each."""
    source: str = ""
    """File name shown in messages."""

    @property
    def judges(self) -> tuple[str, ...]:
        """Judges in order of first appearance."""
        return tuple(dict.fromkeys(v.judge for v in self.verdicts))

    @cached_property
    def digest(self) -> str:
        """SHA-256 over what was said, whatever the order of rows."""
        return digest(
            sorted(
                [v.judge, v.session_id, v.dimension, str(v.repeat), v.outcome, v.reason or ""]
                for v in self.verdicts
            )
        )
