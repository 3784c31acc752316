"""Does the judge say what people said? Four counts, and the rates read off them.

Rows are people, columns the judge, and Pass is the positive class:

    human Pass, judge Pass  tp        human Pass, judge Fail  fn  false fail, too strict
    human Fail, judge Pass  fp        human Fail, judge Fail  tn
         false pass, too lenient

Items without a usable verdict are in none of the four: they are counted beside
them, by the human's label, so that the conservative rates can hold them against
the judge.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.errors import InputError
from assay.stats import wilson


@dataclass(frozen=True, slots=True)
class Rate:
    """A proportion with its n and its interval, or the reason why there is none."""

    value: float | None
    """successes / trials in [0, 1]; None when undefined."""
    successes: int
    """Count in [0, trials]."""
    trials: int
    """The n of this rate."""
    low: float | None
    """Lower end of the interval, in [0, 1]; None when undefined."""
    high: float | None
    """Upper end of the interval, in [0, 1]; None when undefined."""
    level: float
    """Coverage asked of the interval."""
    method: str
    """Name of the interval's method."""
    undefined: str | None = None
    """Why there is no value; None when there is one."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A single number that is no proportion (kappa, balanced accuracy), or why it is undefined."""

    value: float | None
    """None when undefined."""
    undefined: str | None = None
    """Why there is no value; None when there is one."""


def rate(successes: int, trials: int, *, undefined: str, level: float = 0.95) -> Rate:
    """A proportion with its Wilson interval.

    Args:
        successes: Count in [0, trials].
        trials: Count, may be 0.
        undefined: What to say when trials is 0, such as "no item that people passed".
        level: Coverage asked of the interval, in (0, 1).

    Returns:
        A Rate; with trials 0 its value, low and high are None.

    Raises:
        InputError: If a count is out of range.

    References:
        Wilson (1927), JASA 22, 209-212.
    """
    if trials == 0 and successes == 0:
        return Rate(None, 0, 0, None, None, level, "wilson", undefined)
    interval = wilson(successes, trials, level=level)
    return Rate(
        successes / trials, successes, trials, interval.low, interval.high, level, interval.method
    )


@dataclass(frozen=True, slots=True)
class ConfusionMatrix:
    """Counts of one judge against people on one dimension. Pass is the positive class."""

    tp: int = 0
    """Human Pass, judge Pass."""
    fp: int = 0
    """Human Fail, judge Pass: a false pass, the judge was too lenient."""
    tn: int = 0
    """Human Fail, judge Fail."""
    fn: int = 0
    """Human Pass, judge Fail: a false fail, the judge was too strict."""
    undecided_pass: int = 0
    """Human Pass without a usable verdict (abstained, errored or missing)."""
    undecided_fail: int = 0
    """Human Fail without a usable verdict."""

    def __post_init__(self) -> None:
        for name in ("tp", "fp", "tn", "fn", "undecided_pass", "undecided_fail"):
            if getattr(self, name) < 0:
                message = (
                    f"confusion matrix: {name} must not be negative, got {getattr(self, name)}"
                )
                raise InputError(message)

    @property
    def decided(self) -> int:
        """Items with a Pass or Fail verdict."""
        return self.tp + self.fp + self.tn + self.fn

    @property
    def labelled(self) -> int:
        """All labelled items, decided or not."""
        return self.decided + self.undecided_pass + self.undecided_fail

    def __add__(self, other: ConfusionMatrix) -> ConfusionMatrix:
        return ConfusionMatrix(
            self.tp + other.tp,
            self.fp + other.fp,
            self.tn + other.tn,
            self.fn + other.fn,
            self.undecided_pass + other.undecided_pass,
            self.undecided_fail + other.undecided_fail,
        )

    def tpr(self, *, level: float = 0.95) -> Rate:
        """Judge's pass rate on decided items that people passed (sensitivity, recall)."""
        return rate(self.tp, self.tp + self.fn, undefined=_none_of("passed", self), level=level)

    def tnr(self, *, level: float = 0.95) -> Rate:
        """Judge's fail rate on decided items that people failed (specificity)."""
        return rate(self.tn, self.tn + self.fp, undefined=_none_of("failed", self), level=level)

    def precision(self, *, level: float = 0.95) -> Rate:
        """Share of the judge's passes that people passed too."""
        return rate(
            self.tp, self.tp + self.fp, undefined="the judge passed no labelled item", level=level
        )

    def conservative_tpr(self, *, level: float = 0.95) -> Rate:
        """TPR with every non-verdict on human-Pass items held against the judge."""
        trials = self.tp + self.fn + self.undecided_pass
        return rate(self.tp, trials, undefined="no item that people passed", level=level)

    def conservative_tnr(self, *, level: float = 0.95) -> Rate:
        """TNR with every non-verdict on human-Fail items held against the judge."""
        trials = self.tn + self.fp + self.undecided_fail
        return rate(self.tn, trials, undefined="no item that people failed", level=level)

    def coverage(self, *, level: float = 0.95) -> Rate:
        """Share of labelled items with a Pass or Fail verdict."""
        return rate(self.decided, self.labelled, undefined="no labelled item", level=level)

    def balanced_accuracy(self) -> Figure:
        """Mean of TPR and TNR; 0.5 is chance whatever the class sizes."""
        tpr, tnr = self.tpr(), self.tnr()
        if tpr.value is None or tnr.value is None:
            return Figure(None, tpr.undefined or tnr.undefined)
        return Figure((tpr.value + tnr.value) / 2)

    def kappa(self) -> Figure:
        """Cohen's kappa between judge and people over decided items, in [-1, 1].

        References:
            Cohen (1960), Educational and Psychological Measurement 20, 37-46.
        """
        n = self.decided
        if n == 0:
            return Figure(None, "no decided item")
        judge_pass, human_pass = self.tp + self.fp, self.tp + self.fn
        # In units of 1 / n^2, so that "all chance" is a test of whole numbers.
        chance = judge_pass * human_pass + (n - judge_pass) * (n - human_pass)
        if chance == n * n:
            return Figure(None, "judge and people both used one and the same class only")
        return Figure(((self.tp + self.tn) * n - chance) / (n * n - chance))


def _none_of(word: str, matrix: ConfusionMatrix) -> str:
    undecided = matrix.undecided_pass if word == "passed" else matrix.undecided_fail
    if undecided:
        return f"no decided item that people {word} ({undecided} without a verdict)"
    return f"no item that people {word}"
