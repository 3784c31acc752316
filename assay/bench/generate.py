"""Make the bench set: sessions whose truth is known because they were made from it.

For every agent each dimension fails on a fixed share of its sessions, chosen
independently, so that both classes are there for every agent and no two
dimensions say the same. The four adversarial kinds come on top.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from assay.bench.catalogue import SuiteState, Task, log_key, recorded_logs, tasks
from assay.bench.pairing import make_pairs
from assay.bench.styles import STYLES, Style
from assay.bench.transcript import write_session
from assay.bench.variants import BLEMISHES, BLOATS, Bloat, requoted
from assay.bench.work import DIMENSIONS, Kind, Work, note
from assay.errors import InputError
from assay.schema import HumanLabel, PairLabel, Session

if TYPE_CHECKING:
    import numpy as np

Option = TypeVar("Option")

SMALLEST = 100
_KIND_SHARE = 0.06
"""Share of an agent's sessions for each adversarial kind."""
_FAIL_SHARE = {
    "correctness": 0.22, "verification": 0.30, "completeness": 0.34,
    "code_quality": 0.40, "minimal_diff": 0.34,
}  # fmt: skip
_AGENT_FACTOR = {"atlas": 0.85, "borealis": 1.0, "cinder": 1.1}
"""atlas-coder does somewhat better work: an easier agent is no biased judge."""


@dataclass(frozen=True)
class BenchSet:
    """Sessions, the labels that follow from them, and pairs."""

    sessions: tuple[Session, ...]
    labels: tuple[HumanLabel, ...]
    pairs: tuple[PairLabel, ...]


def generate(size: int = SMALLEST, seed: int = 0) -> BenchSet:
    """The bench set of this size and seed; the same on every platform.

    Args:
        size: Sessions, at least 100.
        seed: Any whole number from 0.

    Returns:
        The set; every record says that it is synthetic.

    Raises:
        InputError: If the size is below 100 or the seed negative.
    """
    if size < SMALLEST or seed < 0:
        message = f"synth: size must be at least {SMALLEST} and seed at least 0; got {size}, {seed}"
        raise InputError(message)
    # Here, not above: the loopback server reads sessions and never makes any.
    import numpy as np

    rng = np.random.default_rng(seed)
    made: list[tuple[Style, Work]] = []
    for index, style in enumerate(STYLES):
        count = size // 3 + (index < size % 3)
        made += [(style, work) for work in _works(count, _AGENT_FACTOR[style.family], rng)]
    order = rng.permutation(len(made))
    width = max(4, len(str(size)))
    sessions: list[Session] = []
    labels: list[HumanLabel] = []
    works: list[Work] = []
    for number, place in enumerate(order, start=1):
        style, work = made[place]
        session = write_session(f"s{number:0{width}d}", style, work, rng)
        sessions.append(session)
        works.append(work)
        labels += _labels(session, work)
    pairs = make_pairs(sessions, [w.quality for w in works], max(50, size // 2), rng)
    return BenchSet(tuple(sessions), tuple(labels), pairs)


def _labels(session: Session, work: Work) -> list[HumanLabel]:
    truth = work.truth
    return [
        HumanLabel(
            session_id=session.session_id,
            dimension=dimension,
            result="Pass" if truth[dimension] else "Fail",
            confidence=1.0,
            notes=note(work, dimension),
            synthetic=True,
        )
        for dimension in DIMENSIONS
    ]


def _works(count: int, factor: float, rng: np.random.Generator) -> list[Work]:
    each = max(2, round(_KIND_SHARE * count))
    kinds: list[Kind] = [k for k in ("E1", "E2", "E3", "E4") for _ in range(each)]
    plain = count - len(kinds)
    fails = {d: _chosen(plain, share * factor, rng) for d, share in _FAIL_SHARE.items()}
    wanted = [{d for d in DIMENSIONS if fails[d][i]} for i in range(plain)]
    supply = _TaskSupply(rng)
    works = [_plain_work(supply, failing, rng) for failing in wanted]
    return works + [_adversarial_work(supply, kind, rng) for kind in kinds]


def _chosen(count: int, share: float, rng: np.random.Generator) -> list[bool]:
    chosen = set(rng.permutation(count)[: round(share * count)].tolist())
    return [index in chosen for index in range(count)]


class _TaskSupply:
    """Deals tasks so that all are used about equally often."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._deck: list[Task] = []

    def deal(self, *, covered: bool | None = None, changelog: bool | None = None) -> Task:
        while True:
            for place, task in enumerate(self._deck):
                if covered in {None, task.covered} and changelog in {None, task.changelog}:
                    return self._deck.pop(place)
            fresh = tasks()
            self._deck += [fresh[i] for i in self._rng.permutation(len(fresh))]


def _plain_work(supply: _TaskSupply, failing: set[str], rng: np.random.Generator) -> Work:
    wrong = "correctness" in failing
    # A wrong fix of a bug that a test already exposes cannot end in a green run.
    verified = "verification" not in failing
    task = supply.deal(covered=False if wrong and verified else None)
    suite: SuiteState = "given" if task.covered else ("wrong" if wrong else "good")
    changelog = task.changelog
    if "completeness" in failing:
        if task.wants_test and (not task.changelog or rng.random() < 0.5):
            suite = "given"
        else:
            changelog = False
    work = Work(
        task=task,
        code="wrong" if wrong else "right",
        suite=suite,
        blemish=_pick(BLEMISHES, rng) if "code_quality" in failing else "none",
        bloat=_pick(_bloats(task), rng) if "minimal_diff" in failing else "none",
        changelog=changelog,
    )
    work = replace(work, suite_passes=suite_passes(work))
    if verified:
        return work
    if not work.suite_passes and rng.random() < 0.5:
        return work
    return replace(work, check=_pick(("stale", "claimed"), rng))


def _adversarial_work(supply: _TaskSupply, kind: Kind, rng: np.random.Generator) -> Work:
    if kind == "E1":
        task = supply.deal()
        work = Work(
            task=task,
            code="right",
            suite="given" if task.covered else "good",
            bloat=_pick([b for b in _bloats(task) if b != "readme"], rng),
            changelog=task.changelog,
            kind=kind,
        )
    elif kind == "E2":
        task = supply.deal(covered=False)
        work = Work(task=task, code="wrong", suite="wrong", changelog=task.changelog, kind=kind)
    elif kind == "E3":
        task = supply.deal(covered=True)
        work = Work(task=task, code="buggy", suite="mutated", changelog=task.changelog, kind=kind)
    else:
        work = Work(task=supply.deal(covered=False), code="buggy", suite="given", kind=kind)
    return replace(work, suite_passes=suite_passes(work))


def _bloats(task: Task) -> list[Bloat]:
    # A file without a plain quoted text has nothing to requote.
    source = task.source["right"]
    return [b for b in BLOATS if b != "requote" or requoted(source) != source]


def _pick(options: Sequence[Option], rng: np.random.Generator) -> Option:
    return options[int(rng.integers(len(options)))]


@cache
def _exit_code(key: str) -> int:
    return int(recorded_logs()[key]["exit"])


def suite_passes(work: Work) -> bool:
    """What the recorded run of this work's suite gave."""
    key = log_key(work.task.task_id, work.code, work.blemish, work.suite)
    return _exit_code(key) == 0
