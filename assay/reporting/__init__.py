"""What a run found, shown to a person: terminal, pages, figures, Markdown, files.

Takes finished records and computes no rate of its own. The only room that
imports rich and matplotlib, and it does so when something is shown.
"""

from assay.reporting.artifacts import ARTIFACTS, write_artifacts
from assay.reporting.disagreements import (
    Disagreement,
    disagreement_rows,
    disagreements_csv,
    disagreements_html,
)
from assay.reporting.figures import confusion_png, try_figures
from assay.reporting.html import confusion_html, report_html
from assay.reporting.leader_summary import leader_columns, leaders_markdown
from assay.reporting.leaders import FailedJob, LeaderRow, leader_row, rank, which_to_trust
from assay.reporting.markdown import summary_markdown
from assay.reporting.numbers import figure_text, gate_words, number, p_text, rate_text
from assay.reporting.progress import Progress, progress
from assay.reporting.rate_figures import agents_png, rates_png
from assay.reporting.streams import open_console, say, say_json, talk
from assay.reporting.strict_json import report_json, strict_json
from assay.reporting.tables import (
    print_label_summary,
    print_leaders,
    print_spellings,
    print_split,
)
from assay.reporting.terminal import print_report

__all__ = [
    "ARTIFACTS",
    "Disagreement",
    "FailedJob",
    "LeaderRow",
    "Progress",
    "agents_png",
    "confusion_html",
    "confusion_png",
    "disagreement_rows",
    "disagreements_csv",
    "disagreements_html",
    "figure_text",
    "gate_words",
    "leader_columns",
    "leader_row",
    "leaders_markdown",
    "number",
    "open_console",
    "p_text",
    "print_label_summary",
    "print_leaders",
    "print_report",
    "print_spellings",
    "print_split",
    "progress",
    "rank",
    "rate_text",
    "rates_png",
    "report_html",
    "report_json",
    "say",
    "say_json",
    "strict_json",
    "summary_markdown",
    "talk",
    "try_figures",
    "which_to_trust",
    "write_artifacts",
]
