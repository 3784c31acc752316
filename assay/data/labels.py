"""Human labels from JSONL, JSON, CSV and TSV, long or wide.

Long: one row per label. Wide: one row per session with one column per
annotator, or one per dimension. Where annotators are named all votes are kept
and a declared rule makes the label; where nobody is named a second label for
the same session and dimension is a fault.

Names that are read, any case: session_id (id, item_id, trace_id, example_id),
result (label, human, human_label), dimension (criterion), annotator (labeler,
labeller, rater), agent (group, system), agent_family, task_id (question_id),
notes (note, comment), confidence, synthetic. A name that looks like a
misspelling of one of these is a fault; every other column is left out and named
in a notice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from assay.data.columns import Columns
from assay.data.faults import Faults
from assay.data.label_rows import LabelRows
from assay.data.rows import Table, read_rows
from assay.data.spellings import Spellings
from assay.data.votes import aggregate
from assay.errors import InputError
from assay.schema import Aggregation, LabelSet

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
        and counts of what has no label. Pass is the positive class.

    Raises:
        InputError: If the file cannot be opened or a named column is not there.
        LabelFileError: With every fault found, each at its file and line.
    """
    chosen = options or LabelOptions()
    wide = chosen.annotator_columns + chosen.dimension_columns
    if chosen.annotator_columns and chosen.dimension_columns:
        message = f"{path.name}: name annotator columns or dimension columns, not both."
        raise InputError(message)
    spellings = Spellings(chosen.spellings)
    faults = Faults(path.name)
    table = read_rows(path, faults)
    refuse_combined(table, faults)
    columns = Columns(
        table, _FIELDS, faults, chosen=chosen.columns, ignore=chosen.ignore, claimed=wide
    )
    known = len(faults)
    columns.require("session_id", faults)
    if not wide:
        columns.require("result", faults)
    if len(faults) > known:
        # Without these every row would be at fault.
        faults.raise_any()
    rows = LabelRows(
        columns,
        spellings,
        faults,
        dimension=chosen.dimension,
        annotator_columns=chosen.annotator_columns,
        dimension_columns=chosen.dimension_columns,
    )
    for row in table.rows:
        rows.read(row)
    faults.raise_any()
    return _collect(rows, spellings, columns, chosen)


def refuse_combined(table: Table, faults: Faults) -> None:
    """Say what a file with labels and several judges in one record is for.

    Raises:
        LabelFileError: If the file is a combined one.
    """
    first = table.rows[0]
    if isinstance(first.values.get("judges"), dict):
        what = (
            "holds labels and judges' verdicts together (key judges); read it as a combined file."
        )
        faults.add(first.line, what, record=first.record)
        faults.raise_any()


def _collect(
    rows: LabelRows, spellings: Spellings, columns: Columns, options: LabelOptions
) -> LabelSet:
    name = columns.table.name
    found = tuple(rows.labels)
    named = sum(x.annotator is not None for x in found)
    notices = [*columns.table.notices, *columns.notices]
    if options.dimension is not None and "dimension" in columns.of:
        column = columns.of["dimension"]
        notices.append(f"{name}: all rows are read as {options.dimension}, not by column {column}")
    if named and named < len(found):
        notices.append(f"{name}: {len(found) - named} labels name no annotator")
    if rows.ids_as_numbers:
        notices.append(number_notice(name, rows.ids_as_numbers))
    labels, undecided = found, 0
    aggregation: Aggregation = "single"
    if len({x.annotator for x in found}) > 1:
        aggregation = options.rule
        labels, undecided = aggregate(found, options.rule)
    return LabelSet(
        labels=labels,
        agents=rows.facts.agents,
        families=rows.facts.families,
        groups=rows.facts.groups,
        votes=found if named else (),
        aggregation=aggregation,
        unlabelled=rows.unlabelled,
        undecided=undecided,
        spellings=spellings.table,
        notices=(*notices, *_alike(name, dimensions=[x.dimension for x in found])),
        source=name,
    )


def number_notice(name: str, count: int) -> str:
    """One sentence about ids that were JSON numbers."""
    return (
        f"{name}: {count} ids are JSON numbers and were read as text (7 as '7'); 007 is another id"
    )


def _alike(name: str, *, dimensions: list[str]) -> list[str]:
    by_fold: dict[str, list[str]] = defaultdict(list)
    for dimension in dict.fromkeys(dimensions):
        by_fold[dimension.casefold()].append(dimension)
    return [
        f"{name}: dimensions {' and '.join(alike)} differ in case only and are kept apart"
        for alike in by_fold.values()
        if len(alike) > 1
    ]
