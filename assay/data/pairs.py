"""Pairs: people's preferences, and judges' choices in both orders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import ValidationError

from assay.data.columns import identifier, optional_text
from assay.data.faults import Faults
from assay.data.records_in import describe, load_records
from assay.data.rows import Row, read_rows
from assay.schema import PairLabel, PairVerdict, Record

Choice = Literal["A", "B", "tie"]


@dataclass(frozen=True)
class PairSet:
    """People's preferences and judges' choices from one file."""

    labels: tuple[PairLabel, ...]
    verdicts: tuple[PairVerdict, ...]
    unlabelled: int = 0


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
    table = read_rows(path, faults)
    faults.raise_any()
    if "judges" not in table.rows[0].values:
        return PairSet(load_records(path, PairLabel, key="pair_id"), ())
    labels: list[PairLabel] = []
    verdicts: list[PairVerdict] = []
    unlabelled = 0
    for row in table.rows:
        try:
            label, said = _read(row)
        except ValidationError as error:
            model: type[Record] = PairLabel
            for one in error.errors():
                faults.add(row.line, describe(one, model))
            continue
        except ValueError as error:
            faults.add(row.line, str(error))
            continue
        verdicts += said
        if label is None:
            unlabelled += 1
        else:
            labels.append(label)
    faults.raise_any()
    return PairSet(tuple(labels), tuple(verdicts), unlabelled)


def _read(row: Row) -> tuple[PairLabel | None, list[PairVerdict]]:
    values = row.values
    pair = identifier(values.get("pair_id"))
    dimension = optional_text(values.get("dimension")) or "overall"
    agents = cast("Mapping[str, Any]", values.get("agents") or {})
    winner = _choice(values.get("human"), "human")
    label = None
    if winner is not None:
        label = PairLabel(
            pair_id=pair,
            dimension=dimension,
            session_a=f"{pair}/A",
            session_b=f"{pair}/B",
            winner=winner,
            agent_a=optional_text(agents.get("A")),
            agent_b=optional_text(agents.get("B")),
        )
    said: list[PairVerdict] = []
    for judge, both in cast("Mapping[str, Any]", values["judges"]).items():
        if not isinstance(both, dict):
            message = f"judges[{judge!r}] must be an object with ab and ba, got {both!r}."
            raise ValueError(message)  # noqa: TRY004 - reported with its line
        orders = cast("Mapping[str, Any]", both)
        said.append(
            PairVerdict(
                pair_id=pair,
                dimension=dimension,
                judge=judge,
                ab=_choice(orders.get("ab"), f"{judge} ab"),
                ba=_choice(orders.get("ba"), f"{judge} ba"),
            )
        )
    return label, said


def _choice(raw: Any, where: str) -> Choice | None:  # noqa: ANN401
    if raw is None:
        return None
    for known in ("A", "B", "tie"):
        if isinstance(raw, str) and raw.strip().casefold() == known.casefold():
            return cast("Choice", known)
    message = f"{where} must be A, B, tie or null, got {raw!r}."
    raise ValueError(message)
