"""Two pages for the browser: the confusion matrices, and the whole report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.metrics import Rate
from assay.reporting.numbers import figure_text, gate_words, number, rate_short, rate_text
from assay.reporting.page import banners, bullets, cell, page, paragraph, table
from assay.reporting.text import in_html
from assay.reporting.words import (
    POSITIVE_CLASS,
    all_warnings,
    bars_line,
    counts_and_rate,
    gate_lines,
    label_line,
    named,
    no_verdict_lines,
    pairwise_lines,
    self_enhancement_lines,
    sentence,
    title_line,
)
from assay.schema import DimensionMetrics, JudgeReport, ValidationReport

_COUNT_HEADS = ("TP", "FP", "TN", "FN")
_UNDECIDED_HEADS = ("abstained", "errored", "missing")


def confusion_html(report: ValidationReport) -> str:
    """The headline judge's 2x2 matrix per dimension, with words in every cell.

    Rows are people, columns the judge; Pass comes first in both. Items without a
    verdict stand beside the matrix, never in it.

    Args:
        report: Any report.

    Returns:
        A self-contained HTML document.
    """
    headline = report.headline
    title = f"{named(headline)} against people"
    matrices = "".join(_matrix(m) for m in headline.dimensions)
    body = (
        f"{banners(report)}<h1>{in_html(title)}</h1>\n"
        f"{paragraph(POSITIVE_CLASS)}"
        f"{paragraph(sentence(f'Overall: {report.overall_verdict}'), kind='verdict')}"
        f'<div class="matrices">\n{matrices}</div>\n'
        f"{paragraph(label_line(report.labels), kind='soft')}"
        f"{paragraph(bars_line(report), kind='soft')}"
    )
    return page(title, body)


def report_html(report: ValidationReport, *, commands: Sequence[str] = ()) -> str:
    """The whole report on one page.

    Args:
        report: Any report.
        commands: Exact commands that give this report again.

    Returns:
        A self-contained HTML document.
    """
    headline, level = report.headline, f"{report.level:.0%} Wilson"
    others = report.judges[1:]
    title = title_line(report)
    parts = [
        banners(report),
        f"<h1>{in_html(title)}</h1>\n",
        paragraph(sentence(f"Overall: {report.overall_verdict}"), kind="verdict"),
        paragraph(POSITIVE_CLASS),
        paragraph(label_line(report.labels)),
        paragraph(bars_line(report), kind="soft"),
        bullets("Warnings", all_warnings(report)),
        f"<h2>{in_html(named(headline))}</h2>\n",
        _metrics_table("Per dimension, over all agents", [headline], level=level),
        _more_table(headline),
        bullets("What decides each gate", gate_lines(headline.dimensions)),
        bullets("Items without a verdict", no_verdict_lines(headline.dimensions)),
        _agents_table(headline, level=level) if headline.agents else "",
    ]
    if others:
        members = all(j.role == "member" for j in others)
        caption = "Members of the panel" if members else "Other judges"
        parts += [
            f"<h2>{caption}</h2>\n",
            _metrics_table("Per dimension, over all agents", others, level=level, name_judge=True),
        ]
        for judge in others:
            if judge.agents and not members:
                parts.append(_agents_table(judge, level=level))
    parts += [
        bullets("Pairs, asked in both orders", pairwise_lines(report)),
        bullets("Own family", self_enhancement_lines(report.self_enhancement)),
        _provenance(report),
        _commands(commands),
    ]
    return page(title, "".join(parts))


def _matrix(m: DimensionMetrics) -> str:
    lost_pass = m.conservative_tpr.trials - m.tpr.trials
    lost_fail = m.conservative_tnr.trials - m.tnr.trials
    lost = "no verdict"
    rows = (
        ("Pass", (m.tp, "agree", "true pass"), (m.fn, "strict", "false fail<br>(too strict)"),
         (lost_pass, "none", lost)),
        ("Fail", (m.fp, "lenient", "false pass<br>(too lenient)"), (m.tn, "agree", "true fail"),
         (lost_fail, "none", lost)),
    )  # fmt: skip
    lines = "".join(
        f'<tr><th scope="row">human<br>{row[0]}</th>'
        + "".join(f'<td class="{kind}"><b>{n}</b>{words}</td>' for n, kind, words in row[1:])
        + "</tr>\n"
        for row in rows
    )
    reasons = ", ".join(f"{reason} {n}" for reason, n in sorted(m.reasons.items()))
    undecided = (
        f"No verdict: {m.n_abstained} abstained, {m.n_errored} errored, {m.n_missing} missing"
        f"{f' ({reasons})' if reasons else ''}; coverage {counts_and_rate(m.coverage)}."
    )
    rates = "".join(
        f"{paragraph(f'{side}: {counts_and_rate(rate)}', kind='rates')}"
        for side, rate in (("TPR", m.tpr), ("TNR", m.tnr))
    )
    return (
        f'<section class="matrix"><h2>{in_html(m.dimension)}</h2>\n<table>\n'
        f"<caption>n={m.n} labelled, {m.n_decided} decided</caption>\n"
        '<thead><tr><td></td><th scope="col">judge Pass</th><th scope="col">judge Fail</th>'
        f'<th scope="col">judge without verdict</th></tr></thead>\n<tbody>\n{lines}</tbody>\n'
        f"</table>\n{rates}{paragraph(f'Gate: {gate_words(m.gate.state)}; {m.gate.reason}')}"
        f"{paragraph(undecided, kind='soft')}</section>\n"
    )


def _metrics_table(
    caption: str, judges: Sequence[JudgeReport], *, level: str, name_judge: bool = False
) -> str:
    rows = [(j.judge, m) for j in judges for m in j.dimensions]
    names = ("judge", "dimension") if name_judge else ("dimension",)
    cells = (
        (*((judge, m.dimension) if name_judge else (m.dimension,)), *_cells(m)) for judge, m in rows
    )
    return table(caption, (*names, *_headings(level)), cells, keys=len(names))


def _agents_table(judge: JudgeReport, *, level: str) -> str:
    cells = ((m.dimension, m.agent or "all", *_cells(m)) for m in judge.agents)
    headings = ("dimension", "agent", *_headings(level))
    return table(f"{named(judge)}, per agent", headings, cells, keys=2)


def _headings(level: str) -> tuple[str, ...]:
    rates = (f"TPR [{level}]", f"TNR [{level}]")
    return (*_COUNT_HEADS, *rates, "gate", *_UNDECIDED_HEADS, "coverage")


def _cells(m: DimensionMetrics) -> tuple[str, ...]:
    counted = (str(n) for n in (m.tp, m.fp, m.tn, m.fn))
    left_out = (str(n) for n in (m.n_abstained, m.n_errored, m.n_missing))
    return (
        *(cell(n, kind="count") for n in counted),
        _rate_cell(m.tpr),
        _rate_cell(m.tnr),
        cell(gate_words(m.gate.state)),
        *(cell(n, kind="count") for n in left_out),
        _rate_cell(m.coverage),
    )


def _rate_cell(rate: Rate) -> str:
    if rate.value is not None:
        return cell(rate_short(rate), kind="rate")
    return f'<td class="rate"><span class="why">{in_html(rate_text(rate))}</span></td>'


def _more_table(judge: JudgeReport) -> str:
    rows = (
        (
            m.dimension,
            _rate_cell(m.conservative_tpr),
            _rate_cell(m.conservative_tnr),
            cell(_bound(m.gate.tpr_lower), kind="count"),
            cell(_bound(m.gate.tnr_lower), kind="count"),
            _rate_cell(m.precision),
            cell(figure_text(m.balanced_accuracy)),
            cell(figure_text(m.kappa)),
        )
        for m in judge.dimensions
    )
    headings = (
        "dimension", "TPR, held against", "TNR, held against", "TPR lower bound",
        "TNR lower bound", "precision", "balanced accuracy", "kappa",
    )  # fmt: skip
    lowest = (
        f"Lowest TPR {figure_text(judge.min_tpr)}; lowest TNR {figure_text(judge.min_tnr)}; "
        f"balanced accuracy {figure_text(judge.balanced_accuracy)}."
    )
    caption = "With missing verdicts held against the judge, and further figures"
    return table(caption, headings, rows) + paragraph(lowest)


def _bound(value: float | None) -> str:
    return "undefined (no label of the class)" if value is None else number(value)


def _provenance(report: ValidationReport) -> str:
    facts: Iterable[tuple[str, str]] = (
        ("labels", report.labels.digest),
        ("dev part", report.split_digest or "none: no split was used"),
        ("prompt", report.prompt_fingerprint or "none: verdicts were recorded elsewhere"),
        ("report schema", str(report.schema_version)),
    )
    items = "".join(f'<dt>{in_html(k)}</dt><dd class="digest">{in_html(v)}</dd>' for k, v in facts)
    return f"<h2>Provenance (SHA-256)</h2>\n<dl>{items}</dl>\n"


def _commands(commands: Sequence[str]) -> str:
    if not commands:
        return ""
    lines = "\n".join(in_html(command) for command in commands)
    return f"<h2>To get this report again</h2>\n<pre><code>{lines}</code></pre>\n"
