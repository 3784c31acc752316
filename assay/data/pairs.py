"""Pairs: people's preferences, and judges' choices in both orders."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import ValidationError

from assay.data.cells import identifier, optional_text
from assay.data.faults import Faults
from assay.data.label_rows import DEFAULT_DIMENSION
from assay.data.records_in import describe, records
from assay.data.rows import json_table
from assay.data.table import Row, Table
from assay.schema import PairLabel, PairVerdict

Choice = Literal["A", "B", "tie"]
_KEY = ("pair_id", "dimension", "annotator")


@dataclass(frozen=True)
class PairSet:
    """People's preferences and judges' choices from one file."""

    labels: tuple[PairLabel, ...]
    """The agreed choice of each pair and dimension, or one per annotator."""
    verdicts: tuple[PairVerdict, ...]
    unlabelled: int = 0
    """Pairs without a human choice."""
    votes: tuple[PairLabel, ...] = ()
    """Every annotator's choice, where the file gives them beside the agreed one."""
    source: str = ""
    """File name shown in messages."""


def load_pairs(path: Path) -> PairSet:
    """Read pairs: our own PairLabel records, or `human` beside `judges` {name: {ab, ba}}.

    In the second form `ab` is the choice with A shown first and `ba` with B
    shown first, both already translated to the names A and B; null is no usable
    verdict, and `orders: "ab-only"` says that the swapped order was never run.

    Args:
        path: JSONL or JSON.

    Returns:
        Labels, verdicts, and the count of pairs without a human choice.

    Raises:
        InputError: If the file cannot be opened.
        LabelFileError: With every fault found, each at its line.
    """
    faults = Faults(path.name)
    table = json_table(path, faults, what="pairs")
    if "winner" in table.names or not {"human", "judges"} & set(table.names):
        own = records(table.rows, PairLabel, faults, key=_KEY, ids=("pair_id",))
        faults.raise_any()
        return PairSet(own, (), source=path.name)
    found = _judged(table, faults)
    faults.raise_any()
    return found


def _judged(table: Table, faults: Faults) -> PairSet:
    labels: list[PairLabel] = []
    votes: list[PairLabel] = []
    verdicts: list[PairVerdict] = []
    unlabelled = 0
    seen: dict[tuple[str, str], Row] = {}
    for row in table.rows:
        try:
            pair = _Pair(row)
            label = pair.label(row.values["human"], None)
            votes += pair.votes()
            verdicts += pair.verdicts()
        except ValidationError as error:
            for one in error.errors():
                faults.add(row.line, describe(one, PairLabel), record=row.record)
            continue
        except ValueError as error:
            faults.add(row.line, str(error), record=row.record)
            continue
        first = seen.setdefault((pair.id, pair.dimension), row)
        if first is not row:
            what = f"{pair.id!r}, {pair.dimension} again; the first is at {first.place}."
            faults.add(row.line, what, record=row.record)
        elif label is None:
            unlabelled += 1
        else:
            labels.append(label)
    return PairSet(tuple(labels), tuple(verdicts), unlabelled, tuple(votes), table.name)


class _Pair:
    """One record of the form with judges."""

    def __init__(self, row: Row) -> None:
        self._values = values = row.values
        for key in ("pair_id", "human"):
            if key not in values:
                message = f"{key} is missing."
                raise ValueError(message)
        self.id = identifier(values["pair_id"], "pair_id")
        self.dimension = optional_text(values.get("dimension"), "dimension") or DEFAULT_DIMENSION
        self._agents = _object(values, "agents")
        self._one_order = values.get("orders") == "ab-only"

    def label(self, raw: Any, annotator: str | None) -> PairLabel | None:  # noqa: ANN401
        where = "human" if annotator is None else f"annotators[{annotator!r}]"
        winner = _choice(raw, where)
        if winner is None:
            return None
        return PairLabel(
            pair_id=self.id,
            dimension=self.dimension,
            # The file names no sessions; the pair's two sides are told apart.
            session_a=f"{self.id}/A",
            session_b=f"{self.id}/B",
            winner=winner,
            agent_a=optional_text(self._agents.get("A"), "agents.A"),
            agent_b=optional_text(self._agents.get("B"), "agents.B"),
            annotator=annotator,
        )

    def votes(self) -> list[PairLabel]:
        given = _object(self._values, "annotators").items()
        return [vote for name, raw in given if (vote := self.label(raw, name)) is not None]

    def verdicts(self) -> list[PairVerdict]:
        said: list[PairVerdict] = []
        for judge, both in _object(self._values, "judges").items():
            if not isinstance(both, dict) or not {"ab", "ba"} & cast("dict[str, Any]", both).keys():
                message = f"judges[{judge!r}] must be an object with ab and ba, got {both!r}."
                raise ValueError(message)
            orders = cast("dict[str, Any]", both)
            if self._one_order and orders.get("ba") is not None:
                message = (
                    f"judges[{judge!r}] has a choice ba, but orders says ab-only; correct one."
                )
                raise ValueError(message)
            said.append(
                PairVerdict(
                    pair_id=self.id,
                    dimension=self.dimension,
                    judge=judge,
                    ab=_choice(orders.get("ab"), f"judges[{judge!r}].ab"),
                    ba=_choice(orders.get("ba"), f"judges[{judge!r}].ba"),
                )
            )
        return said


def _object(values: dict[str, Any], key: str) -> dict[str, Any]:
    got = values.get(key)
    if got is None:
        return {}
    if not isinstance(got, dict):
        message = f"{key} must be an object with names as keys, got {type(got).__name__}."
        raise ValueError(message)  # noqa: TRY004 - reported with its line, like the other faults
    return cast("dict[str, Any]", got)


def _choice(raw: Any, where: str) -> Choice | None:  # noqa: ANN401
    if raw is None:
        return None
    for known in ("A", "B", "tie"):
        if isinstance(raw, str) and raw.strip().casefold() == known.casefold():
            return cast("Choice", known)
    message = f"{where} must be A, B, tie or null, got {raw!r}."
    raise ValueError(message)
