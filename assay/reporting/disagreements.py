"""Where judge and people differ: one row per false pass and false fail, to be read by a person."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from typing import Literal

from assay.reporting.page import banners, cell, page, paragraph, table
from assay.reporting.text import in_html, in_sheet, shortened
from assay.reporting.words import POSITIVE_CLASS
from assay.schema import LabelSet, Session, ValidationReport, Verdict

_ROWS_ON_PAGE = 1_000
_TEXT_ON_PAGE = 600
"""Rows and characters per cell that a browser shows at ease; the CSV has everything."""
_POINTER = "see disagreements.csv"


@dataclass(frozen=True)
class Disagreement:
    """One item on which judge and people differ; short columns first, long text last."""

    session_id: str
    dimension: str
    agent: str
    """Empty when not known."""
    human: Literal["Pass", "Fail"]
    judge: Literal["Pass", "Fail"]
    kind: Literal["false pass", "false fail"]
    """false pass: the judge was too lenient; false fail: too strict."""
    note: str
    """The annotator's."""
    rationale: str
    """The judge's."""


def disagreement_rows(
    labels: LabelSet,
    verdicts: Iterable[Verdict],
    *,
    judge: str,
    sessions: Iterable[Session] = (),
) -> tuple[Disagreement, ...]:
    """Items that the judge decided otherwise than people did.

    Items without a Pass or Fail verdict are no disagreement and are not listed.

    Args:
        labels: What people said.
        verdicts: Of any judges; those of others, and repeats, are passed over.
        judge: Whose verdicts.
        sessions: Where the labels do not know an item's agent.

    Returns:
        False passes first, then false fails, each by dimension and session.
    """
    agents = {**{s.session_id: s.agent for s in sessions}, **labels.agents}
    people = {(x.session_id, x.dimension): x for x in labels.labels}
    rows: list[Disagreement] = []
    for verdict in verdicts:
        label = people.get((verdict.session_id, verdict.dimension))
        if verdict.judge != judge or verdict.repeat or label is None:
            continue
        if verdict.outcome not in {"pass", "fail"}:
            continue
        lenient = verdict.outcome == "pass"
        if lenient == (label.result == "Pass"):
            continue
        rows.append(
            Disagreement(
                session_id=verdict.session_id,
                dimension=verdict.dimension,
                agent=agents.get(verdict.session_id, ""),
                human=label.result,
                judge="Pass" if lenient else "Fail",
                kind="false pass" if lenient else "false fail",
                note=label.notes,
                rationale=verdict.rationale or verdict.raw_text,
            )
        )
    return tuple(sorted(rows, key=lambda r: (r.kind != "false pass", r.dimension, r.session_id)))


def disagreements_csv(rows: Iterable[Disagreement]) -> str:
    """The rows as CSV that no spreadsheet runs as formulas.

    Args:
        rows: Any number; none gives the heading alone.

    Returns:
        Text with a heading line; lines end in a line feed.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([f.name for f in fields(Disagreement)])
    writer.writerows([in_sheet(value) for value in astuple(row)] for row in rows)
    return out.getvalue()


def disagreements_html(report: ValidationReport, rows: Sequence[Disagreement]) -> str:
    """The rows as a page.

    Args:
        report: The report they belong to, for its judge and banners.
        rows: Disagreements of its headline judge.

    Returns:
        A self-contained HTML document; very long lists and texts are cut with a pointer.
    """
    title = f"{report.headline_judge}: where judge and people differ"
    lenient = sum(row.kind == "false pass" for row in rows)
    head = (
        f"{banners(report)}<h1>{in_html(title)}</h1>\n{paragraph(POSITIVE_CLASS)}"
        f"{paragraph(f'False passes: {lenient}. False fails: {len(rows) - lenient}.')}"
    )
    if len(rows) > _ROWS_ON_PAGE:
        head += paragraph(f"The first {_ROWS_ON_PAGE} of {len(rows)} are shown; {_POINTER}.")
    headings = [f.name.replace("_id", "") for f in fields(Disagreement)]
    body = table("Disagreements", headings, (_cells(r) for r in rows[:_ROWS_ON_PAGE]), keys=2)
    return page(title, head + (body if rows else paragraph("No disagreement.")))


def _cells(row: Disagreement) -> tuple[str, ...]:
    return (
        row.session_id,
        row.dimension,
        cell(row.agent or "not known", kind="rate"),
        cell(row.human),
        cell(row.judge),
        cell(
            f"{row.kind} ({'too lenient' if row.kind == 'false pass' else 'too strict'})",
            kind="rate",
        ),
        *(
            cell(shortened(text, _TEXT_ON_PAGE, pointer=_POINTER), kind="long")
            for text in (row.note, row.rationale)
        ),
    )
