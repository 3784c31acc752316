"""One file with both: an item's human label and what several judges said of it.

Keys of a record: `item_id`, `agent`, `dimension`, `human` (pass, fail, null),
optionally `annotators` {name: pass|fail} and `judges` {name: pass|fail|null},
`question_id` (items of one question stay together), and free `text`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import ValidationError

from assay.data.cells import identifier, optional_text
from assay.data.facts import Facts
from assay.data.faults import Faults, nearest
from assay.data.label_rows import DEFAULT_DIMENSION
from assay.data.labels import number_notice
from assay.data.records_in import describe
from assay.data.rows import read_rows
from assay.data.spellings import Spellings
from assay.data.table import Row, Table
from assay.data.verdict_rows import recorded
from assay.errors import LabelFileError
from assay.schema import HumanLabel, LabelSet, Verdict, VerdictSet

Form = Literal["combined", "pairs", "verdicts", "labels"]

_KEYS = (
    "item_id", "agent", "agent_family", "dimension", "human", "annotators", "judges", "text",
    "question_id", "source_row",
)  # fmt: skip


def sniff(path: Path) -> Form:
    """What kind of file this is, by the names it uses.

    Args:
        path: Any file of labels, verdicts, pairs or both.

    Returns:
        combined: `item_id` and `human`, with `judges` or `annotators` in one record.
        pairs: `pair_id`. verdicts: a verdict or an outcome, and no human label.
        labels: anything else.

    Raises:
        InputError: If the file cannot be opened.
        LabelFileError: If it cannot be read at all.
    """
    table = read_rows(path, faults := Faults(path.name))
    if not table.rows:
        faults.raise_any()
    names = {name.casefold() for name in table.names}
    if _is_combined(table):
        return "combined"
    if "pair_id" in names:
        return "pairs"
    labelled = names & {"result", "label", "human", "human_label"}
    if not labelled and names & {"verdict", "outcome", "judge_verdict", "judge_label"}:
        return "verdicts"
    return "labels"


def _is_combined(table: Table) -> bool:
    names = set(table.names)
    mapped = any(
        isinstance(row.values.get(key), dict)
        for row in table.rows
        for key in ("judges", "annotators")
    )
    return not table.delimited and {"human", "item_id"} <= names and mapped


def load_combined(
    path: Path, *, spellings: Mapping[str, str] | None = None
) -> tuple[LabelSet, VerdictSet]:
    """Read labels and verdicts from one file.

    Args:
        path: JSONL or JSON.
        spellings: Raw value -> Pass, Fail or unlabelled, beside the documented ones.

    Returns:
        The labels (`human`, with the annotators' votes behind them) and all
        judges' verdicts; a judge's null is abstained, not recorded. A file
        without judges gives no verdicts.

    Raises:
        InputError: If the file cannot be opened.
        LabelFileError: With every fault found, each at its line.
    """
    faults = Faults(path.name)
    table = read_rows(path, faults)
    if table.delimited or not {"human", "item_id"} <= set(table.names):
        message = (
            f"{path.name}: not a combined file (records with item_id, human and judges); give "
            f"labels and verdicts apart: --labels FILE --verdicts FILE."
        )
        raise LabelFileError([message])
    reader = _Reader(faults, spellings)
    for row in table.rows:
        try:
            reader.read(row)
        except ValidationError as error:
            for one in error.errors():
                faults.add(row.line, describe(one, Verdict), record=row.record)
        except ValueError as error:
            faults.add(row.line, str(error), record=row.record)
    faults.raise_any()
    return reader.result(path.name)


class _Reader:
    """Collects the two sets while the file is read."""

    def __init__(self, faults: Faults, spellings: Mapping[str, str] | None) -> None:
        self.faults = faults
        self.human = Spellings(spellings)
        self.voted = Spellings(spellings)
        self.said = Spellings(spellings, verdicts=True)
        self.labels: list[HumanLabel] = []
        self.votes: list[HumanLabel] = []
        self.verdicts: list[Verdict] = []
        self.facts = Facts()
        self.unlabelled = 0
        self.ids_as_numbers = 0
        self.left_out: dict[str, None] = {}
        self.seen: dict[tuple[str, str], Row] = {}

    def read(self, row: Row) -> None:
        values = row.values
        self._check_keys(values)
        item = identifier(values.get("item_id"), "item_id")
        self.ids_as_numbers += type(values.get("item_id")) is int
        dimension = optional_text(values.get("dimension"), "dimension") or DEFAULT_DIMENSION
        first = self.seen.setdefault((item, dimension), row)
        if first is not row:
            message = f"a second record for {item!r}, {dimension}; the first is at {first.place}."
            raise ValueError(message)
        for problem in self.facts.note(
            item,
            agent=optional_text(values.get("agent"), "agent"),
            family=optional_text(values.get("agent_family"), "agent_family"),
            task=optional_text(values.get("question_id"), "question_id"),
        ):
            self.faults.add(row.line, problem, record=row.record)
        meaning = self.human.read(values["human"])
        if meaning == "unlabelled":
            self.unlabelled += 1
        else:
            self.labels.append(_label(item, dimension, meaning, None))
        for annotator, raw in _mapping(values, "annotators").items():
            vote = self.voted.read(raw)
            if vote != "unlabelled":
                self.votes.append(_label(item, dimension, vote, identifier(annotator, "annotator")))
        for judge, raw in _mapping(values, "judges").items():
            verdict = {
                "session_id": item,
                "dimension": dimension,
                "judge": identifier(judge, "the judge's name"),
                **recorded(self.said.read(raw), None),
            }
            self.verdicts.append(Verdict.model_validate(verdict))

    def _check_keys(self, values: Mapping[str, Any]) -> None:
        for key in values:
            if key in _KEYS:
                continue
            if close := nearest(key, _KEYS):
                message = f"unknown key {key!r}; did you mean {close!r}?"
                raise ValueError(message)
            self.left_out[key] = None
        for key in ("item_id", "human"):
            if key not in values:
                mend = "; write null for an item without a label" if key == "human" else ""
                message = f"{key} is missing{mend}."
                raise ValueError(message)

    def result(self, name: str) -> tuple[LabelSet, VerdictSet]:
        notices: list[str] = []
        if self.left_out:
            notices.append(f"{name}: left out, not used here: {', '.join(self.left_out)}")
        if self.ids_as_numbers:
            notices.append(number_notice(name, self.ids_as_numbers))
        labels = LabelSet(
            labels=tuple(self.labels),
            agents=self.facts.agents,
            families=self.facts.families,
            groups=self.facts.groups,
            votes=tuple(self.votes),
            aggregation="recorded" if self.votes else "single",
            unlabelled=self.unlabelled,
            spellings={
                **self.human.table,
                **{f"{raw} (annotators)": read for raw, read in self.voted.table.items()},
            },
            notices=tuple(notices),
            source=name,
        )
        return labels, VerdictSet(tuple(self.verdicts), self.said.table, source=name)


def _label(item: str, dimension: str, meaning: str, annotator: str | None) -> HumanLabel:
    return HumanLabel(
        session_id=item,
        dimension=dimension,
        result="Pass" if meaning == "Pass" else "Fail",
        annotator=annotator,
    )


def _mapping(values: Mapping[str, Any], key: str) -> dict[str, Any]:
    got = values.get(key)
    if got is None:
        return {}
    if not isinstance(got, dict):
        message = f"{key} must map names to verdicts, got {type(got).__name__}."
        raise ValueError(message)  # noqa: TRY004 - reported with its line, like the other faults
    return cast("dict[str, Any]", got)
