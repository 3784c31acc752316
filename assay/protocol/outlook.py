"""What can these labels certify, whatever the judge? Said before anyone looks.

At 20 labels a class no judge, however good, can be shown to reach .90, and .80
allows no error at all. That is cheaper to hear before labelling than after.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from assay.metrics import labels_needed
from assay.schema import LabelSet, PolicySpec
from assay.stats import lower_bound


def errors_allowed(n: int, *, bar: float, level: float = 0.95) -> int | None:
    """Most errors in n labels of one class at which the lower bound still clears a bar.

    Args:
        n: Labels of the class, may be 0.
        bar: Rate to confirm, in (0, 1).
        level: One-sided confidence, in (0, 1).

    Returns:
        Errors allowed; None when even n right of n do not confirm the bar.

    References:
        Clopper and Pearson (1934), Biometrika 26, 404-413.

    Example:
        >>> [errors_allowed(n, bar=0.8) for n in (13, 14, 22, 30)]
        [None, 0, 1, 2]
    """
    if n < 1 or lower_bound(n, n, level=level) < bar:
        return None
    # The bound falls as errors grow: bisect between one that clears and one that does not.
    allowed, too_many = 0, n
    while too_many - allowed > 1:
        middle = (allowed + too_many) // 2
        if lower_bound(n - middle, n, level=level) >= bar:
            allowed = middle
        else:
            too_many = middle
    return allowed


def class_outlook(n_pass: int, n_fail: int, *, policy: PolicySpec) -> str:
    """What this many labels of each class can and cannot confirm.

    Args:
        n_pass: Human-Pass labels; they decide TPR.
        n_fail: Human-Fail labels; they decide TNR.
        policy: Minimum, target and level.

    Returns:
        One line, such as "24 Pass and 16 Fail: TPR .80 needs 23/24 right, .90 cannot
        be confirmed (needs 29 Pass); TNR .80 needs 16/16 right, ...".
    """
    sides = [_side("TPR", n_pass, "Pass", policy), _side("TNR", n_fail, "Fail", policy)]
    return f"{n_pass} Pass and {n_fail} Fail: " + "; ".join(sides)


def outlook(parts: Mapping[str, LabelSet], *, policy: PolicySpec) -> tuple[str, ...]:
    """What the dev and test parts can and cannot confirm, per dimension.

    Counts labels of each class and nothing else.

    Args:
        parts: Part -> its labels; parts other than dev and test are left out.
        policy: Minimum, target and level.

    Returns:
        One line per part and dimension, such as "correctness, test: 24 Pass and ...".
    """
    lines: list[str] = []
    for part in ("dev", "test"):
        if part not in parts:
            continue
        counts = Counter((x.dimension, x.result) for x in parts[part].labels)
        for dimension in sorted({d for d, _ in counts}):
            told = class_outlook(
                counts[dimension, "Pass"], counts[dimension, "Fail"], policy=policy
            )
            lines.append(f"{dimension}, {part}: {told}")
    return tuple(lines)


def _side(rate: str, n: int, label: str, policy: PolicySpec) -> str:
    bars = sorted({policy.minimum, policy.target})
    return f"{rate} " + ", ".join(_bar(n, label, bar, policy.level) for bar in bars)


def _bar(n: int, label: str, bar: float, level: float) -> str:
    shown = f"{bar:.2f}".removeprefix("0")
    allowed = errors_allowed(n, bar=bar, level=level)
    if allowed is None:
        least = labels_needed(0, 0, bar=bar, level=level)
        needs = f"needs {least} {label}" if least is not None else "at any number of labels"
        return f"{shown} cannot be confirmed ({needs})"
    return f"{shown} needs {n - allowed}/{n} right"
