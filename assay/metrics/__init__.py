"""The field's numbers, from counts: what a judge's verdicts say beside people's labels.

Pass is the positive class. Every rate carries its n and its interval; an
undefined one carries the reason instead of a number.
"""

from assay.metrics.columns import ColumnWarning, broken_columns
from assay.metrics.confusion import ConfusionMatrix, Figure, Rate, rate
from assay.metrics.gates import Gate, GateState, gate, labels_needed
from assay.metrics.pairwise import PairCounts, concordance, count_pairs, first_position_rate
from assay.metrics.self_enhancement import SelfEnhancement, self_enhancement

__all__ = [
    "ColumnWarning",
    "ConfusionMatrix",
    "Figure",
    "Gate",
    "GateState",
    "PairCounts",
    "Rate",
    "SelfEnhancement",
    "broken_columns",
    "concordance",
    "count_pairs",
    "first_position_rate",
    "gate",
    "labels_needed",
    "rate",
    "self_enhancement",
]
