"""Make the bench set: sessions whose truth is known because they were made from it.

No two sessions of a set show the same text. At larger sizes the same work on the
same task comes up again and again, as in real runs; habits, wording and the order of
steps then differ, and where that is not enough the session ends in a commit with a
hash of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.bench.notes import confidence, note
from assay.bench.pairing import make_pairs
from assay.bench.plan import plan_works
from assay.bench.styles import STYLES, Style
from assay.bench.transcript import write_session
from assay.bench.work import DIMENSIONS, Work, quality_of
from assay.errors import InputError
from assay.schema import HumanLabel, PairLabel, Session

if TYPE_CHECKING:
    import numpy as np

SMALLEST, LARGEST = 100, 100_000
_DRAWS_BEFORE_COMMIT = 6


@dataclass(frozen=True)
class BenchSet:
    """Sessions, the labels that follow from them, and pairs."""

    sessions: tuple[Session, ...]
    labels: tuple[HumanLabel, ...]
    pairs: tuple[PairLabel, ...]


def generate(size: int = SMALLEST, seed: int = 0) -> BenchSet:
    """The bench set of this size and seed; the same on every platform.

    Args:
        size: Sessions, 100 to 100,000.
        seed: Any whole number from 0.

    Returns:
        The set: one label per session and dimension, and max(50, size // 2) pairs.
        Every record says that it is synthetic.

    Raises:
        InputError: If size or seed is out of range.

    Example:
        >>> made = generate(100, 0); len(made.sessions), len(made.labels), len(made.pairs)
        (100, 500, 50)
    """
    if not SMALLEST <= size <= LARGEST or seed < 0:
        message = (
            f"size must be {SMALLEST} to {LARGEST} and seed at least 0, got size {size} "
            f"and seed {seed}; change data.size or data.seed"
        )
        raise InputError(message)
    # Here, not above: the loopback server reads sessions and makes none, and starts sooner.
    import numpy as np

    rng = np.random.default_rng(seed)
    made: list[tuple[Style, Work]] = []
    for index, style in enumerate(STYLES):
        count = size // 3 + (index < size % 3)
        made += [(style, work) for work in plan_works(count, style.family, rng)]
    width = max(4, len(str(size)))
    seen: set[tuple[object, ...]] = set()
    sessions: list[Session] = []
    labels: list[HumanLabel] = []
    qualities: list[float] = []
    for number, place in enumerate(rng.permutation(len(made)), start=1):
        style, work = made[place]
        session = _unlike_others(f"s{number:0{width}d}", style, work, rng, seen)
        sessions.append(session)
        labels += _labels(session, work, rng)
        qualities.append(quality_of(work.truth))
    pairs = make_pairs(sessions, qualities, max(50, size // 2), rng)
    return BenchSet(tuple(sessions), tuple(labels), pairs)


def _unlike_others(
    session_id: str,
    style: Style,
    work: Work,
    rng: np.random.Generator,
    seen: set[tuple[object, ...]],
) -> Session:
    draw = 0
    while True:
        commit = draw >= _DRAWS_BEFORE_COMMIT
        session = write_session(session_id, style, work, rng, commit=commit)
        # Prompt, diff, commands and message make up all that a judge sees: test
        # results repeat what the commands show.
        shown = tuple((c.command, c.output) for c in session.commands)
        text = (session.task_prompt, session.diff, shown, session.final_message)
        if text not in seen:
            seen.add(text)
            return session
        draw += 1


def _labels(session: Session, work: Work, rng: np.random.Generator) -> list[HumanLabel]:
    truth = work.truth
    return [
        HumanLabel(
            session_id=session.session_id,
            dimension=dimension,
            result="Pass" if truth[dimension] else "Fail",
            confidence=confidence(work, dimension),
            notes=note(work, dimension, int(rng.integers(6))),
            synthetic=True,
        )
        for dimension in DIMENSIONS
    ]
