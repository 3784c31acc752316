"""Does a judge choose the same candidate in both orders?"""

from __future__ import annotations

from collections.abc import Sequence

from assay.errors import AlignmentError
from assay.metrics import concordance, count_pairs, first_position_rate
from assay.schema import PairVerdict, PairwiseMetrics, PolicySpec

_READ_WRONG = 0.3
"""Below this concordance, verdicts by slot were probably read as verdicts by candidate."""


def measure_pairs(
    verdicts: Sequence[PairVerdict], *, policy: PolicySpec
) -> tuple[tuple[PairwiseMetrics, ...], list[str]]:
    """Concordance and first-position rate of each judge, over all dimensions.

    Args:
        verdicts: Choices in both orders, by candidate name.
        policy: Concordance aimed at, and confidence level.

    Returns:
        One record per judge, sorted by name, and warnings.

    Raises:
        AlignmentError: If a judge has two verdicts on one pair and dimension.
    """
    records: list[PairwiseMetrics] = []
    warnings: list[str] = []
    for judge in sorted({v.judge for v in verdicts}):
        mine = [v for v in verdicts if v.judge == judge]
        _refuse_duplicates(judge, mine)
        counts = count_pairs((v.ab, v.ba) for v in mine)
        agreed = concordance(counts, level=policy.level)
        records.append(
            PairwiseMetrics(
                judge=judge,
                n=len(mine),
                n_undecided=counts.undecided,
                concordance=agreed,
                first_position_rate=first_position_rate(counts, level=policy.level),
            )
        )
        if agreed.value is None:
            warnings.append(f"judge {judge}, pairs: concordance not measurable: {agreed.undefined}")
        elif agreed.value < _READ_WRONG:
            warnings.append(
                f"judge {judge}, pairs: concordance {agreed.successes}/{agreed.trials} is so low "
                f"that verdicts by position may have been read as verdicts by candidate"
            )
        elif agreed.value < policy.concordance:
            warnings.append(
                f"judge {judge}, pairs: concordance {agreed.successes}/{agreed.trials} "
                f"({agreed.value:.2f}) is below {policy.concordance:.2f}: the order shown "
                f"changes the choice"
            )
    return tuple(records), warnings


def _refuse_duplicates(judge: str, verdicts: Sequence[PairVerdict]) -> None:
    seen: set[tuple[str, str]] = set()
    twice: set[tuple[str, str]] = set()
    for v in verdicts:
        key = (v.pair_id, v.dimension)
        (twice if key in seen else seen).add(key)
    if twice:
        shown = ", ".join(f"{pair} ({dimension})" for pair, dimension in sorted(twice)[:3])
        message = (
            f"pair verdicts: judge {judge} has more than one verdict on {len(twice)} pairs: "
            f"{shown}; keep one."
        )
        raise AlignmentError(message)
