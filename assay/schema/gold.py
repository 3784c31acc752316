"""Gold questions: what a right answer must claim, and the tempting wrong claims it must not."""

from __future__ import annotations

from dataclasses import dataclass

from assay.schema.base import Many, Record
from assay.schema.records import Identifier


class GoldQuestion(Record):
    """One question, judged claim by claim."""

    id: Identifier
    question: str
    must_include: Many[str]
    """Claims a right answer makes, judged one at a time; never empty."""
    must_not_claim: Many[str] = ()
    """Plausible wrong claims; making one scores 0 whatever else is covered."""
    expected_paths: Many[str] = ()
    """Pages the question was written from."""
    shape: str | None = None
    """what, how, why, where or when."""
    notes: str | None = None


@dataclass(frozen=True)
class GoldSet:
    """All questions of a file."""

    questions: tuple[GoldQuestion, ...]
    source: str = ""
