"""The rules of honest measurement, without files, clocks or models.

Splits are made once and blindly; examples come from train; labels and verdicts
meet by id and nothing is dropped in silence. No function here can reach a label
that it is not given.
"""

from assay.protocol.agreement import Agreement, agreement_among
from assay.protocol.alignment import Alignment, Cell, align, count_cells
from assay.protocol.fewshot import choose_anchors, work_text
from assay.protocol.measurement import measure
from assay.protocol.outlook import class_outlook, errors_allowed, outlook
from assay.protocol.split_plan import SplitPlan, StratumSize
from assay.protocol.splits import split_sessions

__all__ = [
    "Agreement",
    "Alignment",
    "Cell",
    "SplitPlan",
    "StratumSize",
    "agreement_among",
    "align",
    "choose_anchors",
    "class_outlook",
    "count_cells",
    "errors_allowed",
    "measure",
    "outlook",
    "split_sessions",
    "work_text",
]
