from __future__ import annotations

import pytest

from assay.protocol import class_outlook, errors_allowed, outlook
from assay.schema import PolicySpec
from tests.labelled_worlds import one_dimension


@pytest.mark.parametrize(
    ("bar", "smallest"),
    [
        # Smallest n at which 0, 1, 2... errors still confirm the bar; published with the
        # gate's definition and checked here against scipy's own exact interval.
        (0.80, (14, 22, 30, 37, 44, 50)),
        (0.85, (19, 30, 40, 50)),
        (0.90, (29, 46, 61, 76, 89, 103)),
    ],
)
def test_errors_allowed_follow_the_table_of_exact_bounds(
    bar: float, smallest: tuple[int, ...]
) -> None:
    from scipy.stats import binomtest

    for errors, n in enumerate(smallest):
        assert errors_allowed(n, bar=bar) == errors
        before = errors_allowed(n - 1, bar=bar)
        assert before == (None if errors == 0 else errors - 1)
        exact = binomtest(n - errors, n, alternative="greater").proportion_ci(0.95, "exact")
        assert exact.low >= bar


def test_twenty_of_each_class_confirm_point_eight_only_without_error_and_never_point_nine() -> None:
    assert class_outlook(20, 20, policy=PolicySpec()) == (
        "20 Pass and 20 Fail: "
        "TPR .80 needs 20/20 right, .90 cannot be confirmed (needs 29 Pass); "
        "TNR .80 needs 20/20 right, .90 cannot be confirmed (needs 29 Fail)"
    )


def test_one_error_is_allowed_from_twenty_two_on() -> None:
    told = class_outlook(24, 16, policy=PolicySpec())
    assert "TPR .80 needs 23/24 right" in told
    assert "TNR .80 needs 16/16 right" in told


def test_twelve_of_a_class_confirm_nothing() -> None:
    assert "TNR .80 cannot be confirmed (needs 14 Fail)" in class_outlook(
        50, 12, policy=PolicySpec()
    )


def test_a_class_without_a_label_confirms_nothing() -> None:
    assert "TNR .80 cannot be confirmed (needs 14 Fail)" in class_outlook(9, 0, policy=PolicySpec())


def test_outlook_speaks_of_dev_and_test_and_not_of_train() -> None:
    part = one_dimension({f"s{i}": "Pass" if i < 30 else "Fail" for i in range(44)})
    lines = outlook({"train": part, "dev": part, "test": part}, policy=PolicySpec())
    assert [line.split(":")[0] for line in lines] == ["correctness, dev", "correctness, test"]
    assert "30 Pass and 14 Fail" in lines[0]
    assert "TPR .80 needs 28/30 right, .90 needs 30/30 right" in lines[0]
