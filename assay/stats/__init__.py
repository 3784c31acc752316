"""Generic statistics on counts and arrays; knows nothing of judges.

Estimators take counts, never rates, so that a sample size cannot be lost on
the way to an interval.
"""

from assay.stats.proportion import Interval, clopper_pearson, lower_bound, upper_bound, wilson
from assay.stats.tables import fisher_one_sided, holm

__all__ = [
    "Interval",
    "clopper_pearson",
    "fisher_one_sided",
    "holm",
    "lower_bound",
    "upper_bound",
    "wilson",
]
