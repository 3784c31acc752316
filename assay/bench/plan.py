"""Who fails at what: works with both classes in every dimension for every agent.

For each agent and dimension the number of passes is fixed, and the failing sessions
are drawn independently of the other dimensions. The adversarial kinds come first;
what they leave open is drawn like the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from assay.bench.catalogue import Fix, Suite, Task, tasks
from assay.bench.variants import Code, Extent, Polish, polishes
from assay.bench.work import DIMENSIONS, Check, Kind, Work

if TYPE_CHECKING:
    import numpy as np

Option = TypeVar("Option")

KIND_SHARE = 0.045
"""Share of an agent's sessions for each adversarial kind."""
PASS_SHARE: Mapping[str, float] = {
    "correctness": 0.60,
    "verification": 0.64,
    "completeness": 0.59,
    "code_quality": 0.64,
    "minimal_diff": 0.62,
}
BETTER: Mapping[str, float] = {"atlas": 0.05, "borealis": 0.0, "cinder": -0.03}
"""Added to every share: atlas does better work, and a judge that sees it is not biased."""
_ADVERSARIAL: tuple[Kind, ...] = ("E1", "E2", "E3", "E4")
_DECIDED: Mapping[Kind, Mapping[str, bool]] = {
    "plain": {},
    "E1": {"correctness": True, "code_quality": True, "minimal_diff": False},
    "E2": {"correctness": False, "verification": True, "completeness": True},
    "E3": {d: d in {"code_quality", "minimal_diff"} for d in DIMENSIONS},
    "E4": {d: d in {"code_quality", "minimal_diff"} for d in DIMENSIONS},
}
"""What each kind is by definition; the rest is open."""


def plan_works(count: int, family: str, rng: np.random.Generator) -> list[Work]:
    """The works of one agent.

    Args:
        count: Sessions of this agent.
        family: Key of `BETTER`.
        rng: Draws everything that is open.

    Returns:
        Works in no telling order.
    """
    each = max(1, round(KIND_SHARE * count))
    kinds: list[Kind] = [k for k in _ADVERSARIAL for _ in range(each)]
    kinds.extend("plain" for _ in range(count - len(kinds)))
    truths: list[dict[str, bool]] = [dict(_DECIDED[kind]) for kind in kinds]
    for dimension in DIMENSIONS:
        decided = [truth[dimension] for truth in truths if dimension in truth]
        wanted = round((PASS_SHARE[dimension] + BETTER[family]) * count) - sum(decided)
        undecided = [truth for truth in truths if dimension not in truth]
        passing = set(rng.permutation(len(undecided))[: max(wanted, 0)].tolist())
        for place, truth in enumerate(undecided):
            truth[dimension] = place in passing
    supply = _TaskSupply(rng)
    # Kinds first: they are choosy about tasks, and the deck is full then.
    works = [_work(kind, t, supply, rng) for kind, t in zip(kinds, truths, strict=True)]
    return [works[i] for i in rng.permutation(count)]


class _TaskSupply:
    """Deals tasks so that all are used about equally often."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._deck: list[Task] = []

    def deal(self, *, covered: bool | None = None) -> Task:
        while True:
            for place, task in enumerate(self._deck):
                if covered in {None, task.covered}:
                    return self._deck.pop(place)
            fresh = tasks()
            self._deck += [fresh[i] for i in self._rng.permutation(len(fresh))]


def _work(
    kind: Kind, truth: Mapping[str, bool], supply: _TaskSupply, rng: np.random.Generator
) -> Work:
    if kind == "E4":
        check: Check = "full" if rng.random() < 0.5 else "overclaimed"
        return Work(supply.deal(covered=False), Code("buggy"), check=check, kind=kind)
    if kind == "E3":
        task = supply.deal(covered=True)
        news = task.news is not None and rng.random() < 0.3
        return Work(task, Code("buggy"), "mutated", news=news, kind=kind)
    task = supply.deal(covered=False if kind == "E2" else None)
    fix: Fix = "right" if truth["correctness"] else "wrong"
    polish: Polish = "clean" if truth["code_quality"] else _pick(polishes(task, fix), rng)
    extent: Extent = "lean"
    if not truth["minimal_diff"]:
        extent = "source" if kind == "E1" or rng.random() < 0.6 else "readme"
    suite, news = _items(task, rng, complete=truth["completeness"], thorough=kind == "E2")
    work = Work(task, Code(fix, polish, extent), suite, news=news, kind=kind)
    if truth["verification"]:
        return work
    checks: tuple[Check, ...] = ("stale", "claimed", "partial", "edited_after", "overclaimed")
    if not work.suite_passes:
        checks = ("denied", "denied", "stale", "claimed", "partial")
    return Work(task, work.code, suite, news=news, check=_pick(checks, rng), kind=kind)


def _items(
    task: Task, rng: np.random.Generator, *, complete: bool, thorough: bool
) -> tuple[Suite, bool]:
    """Test file and changelog line: all that was asked for, or with something left out."""
    suite: Suite = "given" if task.covered else ("wrong" if thorough else "good")
    news = task.news is not None
    if complete:
        return suite, news
    if task.covered or (news and rng.random() < 0.4):
        return suite, False
    # Whoever leaves out the test may forget the changelog as well.
    return "given", news and rng.random() < 0.7


def _pick(options: Sequence[Option], rng: np.random.Generator) -> Option:
    return options[int(rng.integers(len(options)))]
