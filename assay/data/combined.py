"""One file with both: an item's human label and what several judges said of it.

Keys of a record: `item_id`, `agent`, `dimension`, `human` (pass, fail, null),
optionally `annotators` {name: pass|fail} and `judges` {name: pass|fail|null},
`question_id` (items of one question stay together), and free `text`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from assay.data.columns import identifier, optional_text
from assay.data.faults import Faults, nearest
from assay.data.rows import Row, read_rows
from assay.data.spellings import Spellings
from assay.data.verdicts import recorded
from assay.errors import LabelFileError
from assay.schema import HumanLabel, LabelSet, Verdict, VerdictSet

_KEYS = (
    "item_id", "agent", "agent_family", "dimension", "human", "annotators", "judges", "text",
    "question_id", "source_row",
)  # fmt: skip


def load_combined(
    path: Path, *, spellings: Mapping[str, str] | None = None
) -> tuple[LabelSet, VerdictSet]:
    """Read labels and verdicts from one file.

    Args:
        path: JSONL or JSON.
        spellings: Raw value -> Pass, Fail or unlabelled, beside the documented ones.

    Returns:
        The labels (`human`, with the annotators' votes behind them) and all
        judges' verdicts; a judge's null is abstained, not recorded.

    Raises:
        InputError: If the file cannot be opened.
        LabelFileError: With every fault found, each at its line.
    """
    faults = Faults(path.name)
    table = read_rows(path, faults)
    faults.raise_any()
    if table.delimited or not {"human", "item_id"} <= set(table.rows[0].values):
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
            first = error.errors()[0]
            faults.add(row.line, f"{'.'.join(map(str, first['loc']))}: {first['msg']}.")
        except ValueError as error:
            faults.add(row.line, str(error))
    faults.raise_any()
    return reader.result(path.name)


class _Reader:
    """Collects the two sets while the file is read."""

    def __init__(self, faults: Faults, spellings: Mapping[str, str] | None) -> None:
        self.faults = faults
        self.human = Spellings(spellings)
        self.said = Spellings(spellings, verdicts=True)
        self.labels: list[HumanLabel] = []
        self.votes: list[HumanLabel] = []
        self.verdicts: list[Verdict] = []
        self.agents: dict[str, str] = {}
        self.families: dict[str, str] = {}
        self.groups: dict[str, str] = {}
        self.unlabelled = 0
        self.seen: dict[tuple[str, str], int] = {}

    def read(self, row: Row) -> None:
        values = row.values
        for key in values:
            if key not in _KEYS and (close := nearest(key, _KEYS)):
                message = f"unknown key {key!r}; did you mean {close!r}?"
                raise ValueError(message)
        item = identifier(values.get("item_id"))
        dimension = optional_text(values.get("dimension")) or "overall"
        before = self.seen.setdefault((item, dimension), row.line)
        if before != row.line:
            message = f"a second record for {item!r}, {dimension}; the first is at line {before}."
            raise ValueError(message)
        for known, key in (
            (self.agents, "agent"),
            (self.groups, "question_id"),
        ):
            if (value := optional_text(values.get(key))) is not None:
                known[item] = value
        if (family := optional_text(values.get("agent_family"))) and item in self.agents:
            self.families[self.agents[item]] = family
        meaning = self.human.read(values.get("human"))
        if meaning == "unlabelled":
            self.unlabelled += 1
        else:
            self.labels.append(_label(item, dimension, meaning, None))
        for annotator, raw in _mapping(values, "annotators").items():
            vote = self.human.read(raw)
            if vote != "unlabelled":
                self.votes.append(_label(item, dimension, vote, annotator))
        for judge, raw in _mapping(values, "judges").items():
            verdict = {
                "session_id": item,
                "dimension": dimension,
                "judge": judge,
                **recorded(self.said.read(raw), None),
            }
            self.verdicts.append(Verdict.model_validate(verdict))

    def result(self, name: str) -> tuple[LabelSet, VerdictSet]:
        labels = LabelSet(
            labels=tuple(self.labels),
            agents=self.agents,
            families=self.families,
            groups=self.groups,
            votes=tuple(self.votes),
            aggregation="recorded" if self.votes else "single",
            unlabelled=self.unlabelled,
            spellings=self.human.table,
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
