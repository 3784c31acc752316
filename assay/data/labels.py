"""Human labels from JSONL, JSON, CSV and TSV, long or wide.

Long: one row per label. Wide: one row per session with one column per
annotator, or one per dimension. Where annotators are named all votes are kept
and a declared rule makes the label; where nobody is named a second label for
the same session and dimension is a fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from assay.data.columns import Columns, identifier, optional_text
from assay.data.faults import Faults
from assay.data.rows import Row, Table, read_rows
from assay.data.spellings import Spellings
from assay.data.votes import aggregate
from assay.schema import Aggregation, HumanLabel, LabelSet

DEFAULT_DIMENSION = "overall"
_FIELDS = (
    "session_id", "dimension", "result", "annotator", "agent", "agent_family",
    "task_id", "notes", "confidence", "synthetic",
)  # fmt: skip


@dataclass(frozen=True)
class LabelOptions:
    """How to read a label file that does not use our own names."""

    columns: Mapping[str, str] = field(default_factory=dict[str, str])
    """Our field -> column of the file."""
    spellings: Mapping[str, str] = field(default_factory=dict[str, str])
    """Raw value -> Pass, Fail or unlabelled."""
    annotator_columns: tuple[str, ...] = ()
    """Wide form: one column of labels per annotator."""
    dimension_columns: tuple[str, ...] = ()
    """Wide form: one column of labels per dimension."""
    dimension: str | None = None
    """Dimension of all rows, for files without such a column; else "overall"."""
    rule: Literal["majority", "unanimous"] = "majority"
    """How several annotators' votes become one label."""
    ignore: tuple[str, ...] = ()
    """Columns to leave out without a word."""


def load_labels(path: Path, *, options: LabelOptions | None = None) -> LabelSet:
    """Read human labels.

    Args:
        path: JSONL, JSON, CSV, TSV or semicolon-separated file.
        options: How to read other people's columns and spellings.

    Returns:
        One label per (session, dimension), all votes where annotators are named,
        and counts of what has no label.

    Raises:
        InputError: If the file cannot be opened or a named column is not there.
        LabelFileError: With every fault found, each at its file and line.
    """
    chosen = options or LabelOptions()
    faults = Faults(path.name)
    table = read_rows(path, faults)
    wide = chosen.annotator_columns + chosen.dimension_columns
    columns = Columns(
        table, _FIELDS, faults, chosen=chosen.columns, ignore=chosen.ignore, claimed=wide
    )
    spellings = Spellings(chosen.spellings)
    _require(table, columns, wide, faults)
    found: list[HumanLabel] = []
    facts = _Facts()
    unlabelled = 0
    first_seen: dict[tuple[str, str, str | None], tuple[Row, str]] = {}
    for row in table.rows:
        for annotator, dimension, raw in _cells(row, columns, chosen):
            label = _read(row, columns, spellings, faults, annotator, dimension, raw)
            if label is None:
                unlabelled += 1
                continue
            if label is _FAULTY:
                break
            if _is_new(label, row, first_seen, faults):
                found.append(label)
                facts.note(label.session_id, row, columns, faults)
    faults.raise_any()
    return _collect(found, facts, unlabelled, spellings, columns, chosen, path.name)


_FAULTY = HumanLabel(session_id="faulty", dimension="faulty", result="Fail")
"""Marks a row whose fault was noted; told apart by identity from a real label."""


def _require(table: Table, columns: Columns, wide: tuple[str, ...], faults: Faults) -> None:
    before = len(faults)
    line = 1 if table.delimited else table.rows[0].line if table.rows else None
    word = "columns" if table.delimited else "keys"
    there = ", ".join(table.columns or (tuple(table.rows[0].values) if table.rows else ()))
    if "session_id" not in columns.of:
        faults.add(line, f"no id: expected session_id, id or item_id among the {word}: {there}.")
    if not wide and "result" not in columns.of:
        faults.add(line, f"no label: expected result, label or human among the {word}: {there}.")
    for name in wide:
        if table.delimited and name not in table.columns:
            faults.add(line, f"no column {name!r} among: {there}.")
    # Without these every row would be at fault; other faults are collected further on.
    if len(faults) > before or not table.rows:
        faults.raise_any()


def _cells(
    row: Row, columns: Columns, options: LabelOptions
) -> Iterator[tuple[str | None, str | None, Any]]:
    dimension = options.dimension or optional_text(columns.get(row.values, "dimension"))
    if options.annotator_columns:
        for name in options.annotator_columns:
            yield name, dimension, row.values.get(name)
    elif options.dimension_columns:
        annotator = optional_text(columns.get(row.values, "annotator"))
        for name in options.dimension_columns:
            yield annotator, name, row.values.get(name)
    else:
        annotator = optional_text(columns.get(row.values, "annotator"))
        yield annotator, dimension, columns.get(row.values, "result")


def _read(
    row: Row,
    columns: Columns,
    spellings: Spellings,
    faults: Faults,
    annotator: str | None,
    dimension: str | None,
    raw: Any,  # noqa: ANN401
) -> HumanLabel | None:
    try:
        session_id = identifier(columns.get(row.values, "session_id"))
        meaning = spellings.read(raw)
        if meaning == "unlabelled":
            return None
        return HumanLabel(
            session_id=session_id,
            dimension=dimension or DEFAULT_DIMENSION,
            result="Pass" if meaning == "Pass" else "Fail",
            confidence=_number(columns.get(row.values, "confidence")),
            notes=str(columns.get(row.values, "notes") or ""),
            annotator=annotator,
            synthetic=_flag(columns.get(row.values, "synthetic")),
        )
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        faults.add(row.line, f"{where}: {first['msg']}, got {first['input']!r}.", record=row.record)
    except ValueError as error:
        faults.add(row.line, str(error), record=row.record)
    return _FAULTY


def _number(raw: Any) -> float | None:  # noqa: ANN401
    if raw is None or (isinstance(raw, str) and not raw.strip()):
        return None
    try:
        return float(raw)
    except (TypeError, ValueError) as error:
        message = f"confidence must be a number in [0, 1], got {raw!r}."
        raise ValueError(message) from error


def _flag(raw: Any) -> bool:  # noqa: ANN401
    if isinstance(raw, bool):
        return raw
    word = "" if raw is None else str(raw).strip().casefold()
    if word in {"", "false", "0", "no"}:
        return False
    if word in {"true", "1", "yes"}:
        return True
    message = f"synthetic must be true or false, got {raw!r}."
    raise ValueError(message)


def _is_new(
    label: HumanLabel,
    row: Row,
    seen: dict[tuple[str, str, str | None], tuple[Row, str]],
    faults: Faults,
) -> bool:
    key = (label.session_id, label.dimension, label.annotator)
    before = seen.setdefault(key, (row, label.result))
    if before[0] is row and before[1] == label.result:
        return True
    who = f" by {label.annotator}" if label.annotator else ""
    kind = "a second label" if before[1] == label.result else "a conflicting label"
    faults.add(
        row.line,
        f"{kind} for {label.session_id!r}, {label.dimension}{who}: {label.result}, "
        f"line {before[0].line} says {before[1]}; keep one, or name the annotators.",
        record=row.record,
    )
    return False


class _Facts:
    """Agent, family and task of each session, as the label file tells them."""

    def __init__(self) -> None:
        self.agents: dict[str, str] = {}
        self.families: dict[str, str] = {}
        self.groups: dict[str, str] = {}

    def note(self, session_id: str, row: Row, columns: Columns, faults: Faults) -> None:
        agent = optional_text(columns.get(row.values, "agent"))
        group = optional_text(columns.get(row.values, "task_id"))
        family = optional_text(columns.get(row.values, "agent_family"))
        for known, key, value, word in (
            (self.agents, session_id, agent, "agent"),
            (self.groups, session_id, group, "task"),
            (self.families, agent, family, "family"),
        ):
            if key is None or value is None:
                continue
            before = known.setdefault(key, value)
            if before != value:
                what = f"{key!r} has {word} {value!r} here but {before!r} above; keep one."
                faults.add(row.line, what, record=row.record)


def _collect(
    found: list[HumanLabel],
    facts: _Facts,
    unlabelled: int,
    spellings: Spellings,
    columns: Columns,
    options: LabelOptions,
    name: str,
) -> LabelSet:
    named = [x for x in found if x.annotator is not None]
    labels, undecided = tuple(found), 0
    aggregation: Aggregation = "single"
    notices = list(columns.notices)
    if named and len(named) < len(found):
        notices.append(f"{name}: {len(found) - len(named)} labels name no annotator")
    if len({x.annotator for x in named}) > 1 or len(named) > len(
        {(x.session_id, x.dimension) for x in named}
    ):
        aggregation = options.rule
        labels, undecided = aggregate(found, options.rule)
    return LabelSet(
        labels=labels,
        agents=facts.agents,
        families=facts.families,
        groups=facts.groups,
        votes=tuple(found) if aggregation != "single" else (),
        aggregation=aggregation,
        unlabelled=unlabelled,
        undecided=undecided,
        spellings=spellings.table,
        notices=tuple(notices),
        source=name,
    )
