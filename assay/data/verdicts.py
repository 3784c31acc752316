"""Recorded verdicts from JSONL, JSON, CSV and TSV: validate a judge without calling it.

Long: one row per verdict. Wide: one row per session with one column per judge.
A blank or null verdict is a record without a verdict: abstained, not recorded;
it is never a Fail and never left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assay.data.columns import Columns
from assay.data.faults import Faults
from assay.data.labels import number_notice, refuse_combined
from assay.data.rows import read_rows
from assay.data.spellings import Spellings
from assay.data.verdict_rows import COPIED, VerdictRows
from assay.errors import InputError
from assay.schema import VerdictSet

_FIELDS = (
    "session_id", "dimension", "verdict", "judge", "family", "reason", *COPIED, "agent", "task_id",
)  # fmt: skip


@dataclass(frozen=True)
class VerdictOptions:
    """How to read a verdict file that does not use our own names."""

    columns: Mapping[str, str] = field(default_factory=dict[str, str])
    """Our field -> column of the file."""
    spellings: Mapping[str, str] = field(default_factory=dict[str, str])
    """Raw value -> Pass, Fail, unlabelled, abstained or errored."""
    judge_columns: tuple[str, ...] = ()
    """Wide form: one column of verdicts per judge."""
    other_columns_are_judges: bool = False
    """Wide form: every column that is no id, dimension, agent or task is a judge."""
    dimension: str | None = None
    """Dimension of all rows, for files without such a column; else "overall"."""
    judge: str | None = None
    """Judge of all rows, for files without such a column; else "judge"."""
    ignore: tuple[str, ...] = ()
    """Columns to leave out without a word."""


def load_verdicts(path: Path, *, options: VerdictOptions | None = None) -> VerdictSet:
    """Read recorded verdicts.

    Args:
        path: JSONL, JSON, CSV, TSV or semicolon-separated file; also the
            verdicts.jsonl that a run of `assay` wrote, which is read back equal.
        options: How to read other people's columns and spellings.

    Returns:
        All verdicts in file order, and the table of spellings.

    Raises:
        InputError: If the file cannot be opened or a named column is not there.
        LabelFileError: With every fault found, each at its file and line.
    """
    chosen = options or VerdictOptions()
    if chosen.judge_columns and chosen.other_columns_are_judges:
        message = f"{path.name}: name the judge columns, or take all others, not both."
        raise InputError(message)
    spellings = Spellings(chosen.spellings, verdicts=True)
    faults = Faults(path.name)
    table = read_rows(path, faults)
    refuse_combined(table, faults)
    judges = chosen.judge_columns
    fields = _FIELDS
    if chosen.other_columns_are_judges:
        fields = ("session_id", "dimension", "agent", "task_id")
        known = Columns(table, fields, Faults(path.name), chosen=chosen.columns)
        used = {*known.of.values(), *chosen.ignore}
        judges = tuple(name for name in table.names if name not in used)
    columns = Columns(
        table, fields, faults, chosen=chosen.columns, ignore=chosen.ignore, claimed=judges
    )
    known_faults = len(faults)
    columns.require("session_id", faults)
    if not judges:
        columns.require("verdict", faults, or_else=", or columns named as judges,")
    if len(faults) > known_faults:
        # Without these every row would be at fault.
        faults.raise_any()
    rows = VerdictRows(
        columns,
        spellings,
        faults,
        dimension=chosen.dimension,
        judge=chosen.judge,
        judge_columns=judges,
    )
    for row in table.rows:
        rows.read(row)
    faults.raise_any()
    notices = [*table.notices, *columns.notices, *rows.notices]
    if rows.ids_as_numbers:
        notices.append(number_notice(path.name, rows.ids_as_numbers))
    return VerdictSet(
        verdicts=tuple(rows.verdicts),
        spellings=spellings.table,
        notices=tuple(notices),
        source=path.name,
    )
