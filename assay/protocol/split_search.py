"""Which group goes to which part, so that every part looks like the whole?

Iterated local search over groups that must stay together: the best move of one
group, or swap of two, is taken until none helps; then a few groups are thrown
about at random and the descent starts again. The cost is the weighted sum of
squared distances from the quotas, so the effect of every possible swap is read
off one matrix product.

Groups with equal counts are interchangeable. The search therefore works on
kinds of group, and names are given out afterwards by a seeded shuffle.

All arithmetic is in whole numbers and the random bits are raw PCG64 words, so
that the answer is the same on every platform and with every numpy version.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.random import PCG64
from numpy.typing import NDArray

PARTS = 3
"""Train, dev and test."""
_KINDS_AT_ONCE = 400
"""Swaps between more kinds than this are sampled, to bound one step's work."""
_WORK = 100_000_000
"""Swaps looked at in one search, over all rounds: some tenths of a second."""
_STEP = 25_000
"""What a step costs besides its swaps, in swaps."""
_PATIENCE = 60
"""Rounds without a better placement after which the search ends."""
_LIKING = 3
"""Squared sessions that a group's seeded liking for a part may cost."""
_THROWN = 4
"""Groups moved at random between two descents."""
_PAIRS = ((0, 1), (0, 2), (1, 2))
_MOVES = ((0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1))

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Goal:
    """What a good placement is."""

    quotas: Floats
    """Shape (n_cells, 3): how many sessions of each cell each part should hold."""
    weights: Ints
    """Shape (n_cells,): what a squared session off in a cell costs."""
    needed: NDArray[np.bool_]
    """Shape (n_cells,): cells that no part may lack."""


def place_groups(counts: Ints, goal: Goal, *, seed: int) -> Ints:
    """Place each group in one of three parts.

    Args:
        counts: Shape (n_groups, n_cells): sessions of each group in each cell.
        goal: Quotas and weights per cell.
        seed: Any integer; other seeds give other placements of like quality.

    Returns:
        Shape (n_groups,), values 0, 1, 2. A pure function of the arguments.
    """
    bits = PCG64(int.from_bytes(hashlib.sha256(f"split {seed}".encode()).digest()[:16], "big"))
    order = _shuffled(bits, len(counts))
    kinds, kind_of = np.unique(counts[order], axis=0, return_inverse=True)
    kind_of = kind_of.reshape(-1)
    held = _Search(kinds, np.bincount(kind_of, minlength=len(kinds)), goal, bits).run()
    placed = np.empty(len(counts), dtype=np.int64)
    for kind in range(len(kinds)):
        members = order[kind_of == kind]
        placed[members] = np.repeat(np.arange(PARTS), held[kind])
    return placed


def _shuffled(bits: PCG64, size: int) -> Ints:
    # Generator.permutation may change between numpy versions; raw words may not.
    return np.argsort(bits.random_raw(size), kind="stable")


class _Search:
    """The state of one search: how many groups of each kind each part holds."""

    def __init__(self, kinds: Ints, sizes: Ints, goal: Goal, bits: PCG64) -> None:
        # Quotas become whole numbers of 1/scale sessions. Ten thousandths hold any
        # sane fraction exactly; huge groups get hundredths, so that products fit 64 bits.
        largest, total = int(kinds.sum(axis=1).max()), int((kinds.T @ sizes).max())
        scale = 10_000 if largest * total <= 100_000_000 else 100
        self.bits = bits
        self.sizes = sizes
        self.needed = goal.needed
        self.kinds = kinds
        self.scaled: Ints = kinds * scale
        self.weighted: Ints = self.scaled * goal.weights
        self.weights = goal.weights
        self.quotas: Ints = np.rint(goal.quotas * scale).astype(np.int64)
        self.square: Ints = (self.weighted * self.scaled).sum(axis=1)
        self.every_kind: Ints = np.arange(len(kinds))
        few = len(kinds) <= _KINDS_AT_ONCE
        self.cross: Ints | None = self.weighted @ self.scaled.T if few else None
        # A mild seeded liking of each kind for each part. Without it every seed would
        # end at the same best placement, and nobody could ask for a second split.
        liking = bits.random_raw(len(kinds) * PARTS) % np.uint64(_LIKING * scale * scale)
        self.liking: Ints = liking.astype(np.int64).reshape(-1, PARTS)
        self.held: Ints = np.zeros((len(kinds), PARTS), dtype=np.int64)
        self.off: Ints = -self.quotas

    def run(self) -> Ints:
        width = min(len(self.kinds), _KINDS_AT_ONCE)
        steps_left = _WORK // (3 * width * width + _STEP)
        self._start()
        steps_left -= self._descend(steps_left)
        best, best_cost = self.held.copy(), self._cost()
        in_vain = 0
        while steps_left > 0 and in_vain < _PATIENCE:
            self._throw()
            steps_left -= self._descend(steps_left)
            cost = self._cost()
            in_vain = 0 if cost < best_cost else in_vain + 1
            if cost <= best_cost:
                best, best_cost = self.held.copy(), cost
            else:
                self._restore(best)
        return best

    def _cost(self) -> tuple[int, int]:
        lacking = int(((self.kinds.T @ self.held) == 0)[self.needed].sum())
        off = int((self.weights[:, None] * self.off**2).sum())
        return lacking, off + 2 * int((self.liking * self.held).sum())

    def _restore(self, held: Ints) -> None:
        self.held = held.copy()
        self.off = self.scaled.T @ held - self.quotas

    def _put(self, kind: int, part: int, number: int = 1) -> None:
        self.held[kind, part] += number
        self.off[:, part] += number * self.scaled[kind]

    def _start(self) -> None:
        """Share out each kind by the quota of all sessions, then place what is left, big first."""
        share = self.quotas[0] * self.sizes[:, None] // max(1, int(self.quotas[0].sum()))
        self._restore(share)
        left = self.sizes - share.sum(axis=1)
        queue = np.repeat(self.every_kind, left)
        queue = queue[_shuffled(self.bits, len(queue))]
        queue = queue[np.argsort(-self.kinds[queue, 0], kind="stable")]
        for kind in queue:
            # Adding the group to a part changes the cost by 2 w n d plus a constant.
            self._put(int(kind), int(np.argmin(self.weighted[kind] @ self.off + self.liking[kind])))

    def _throw(self) -> None:
        owners = np.repeat(self.every_kind, self.sizes)
        drawn = self.bits.random_raw(2 * _THROWN)
        for i in range(_THROWN):
            kind = int(owners[int(drawn[2 * i] % np.uint64(len(owners)))])
            here = int(np.argmax(self.held[kind]))
            self._put(kind, here, -1)
            self._put(kind, (here + 1 + int(drawn[2 * i + 1] % np.uint64(2))) % PARTS)

    def _descend(self, limit: int) -> int:
        """Take the best step until none helps; returns the number of steps looked for."""
        steps = idle = 0
        patience = 5 if self.cross is None else 1
        while idle < patience and steps < limit:
            steps += 1
            idle = 0 if self._step() else idle + 1
        return steps

    def _step(self) -> bool:
        """Take the move or swap that lowers the cost most; False when none does."""
        if self.cross is None:
            some = _shuffled(self.bits, len(self.kinds))[:_KINDS_AT_ONCE]
            cross = self.weighted[some] @ self.scaled[some].T
        else:
            some, cross = self.every_kind, self.cross
        pull = self.weighted[some] @ self.off + self.liking[some]
        there = self.held[some] > 0
        forbidden = np.int64(2**62)
        moved = {
            (a, b): np.where(there[:, a], pull[:, b] - pull[:, a] + self.square[some], forbidden)
            for a, b in _MOVES
        }
        best, act = 0, None
        for (a, b), change in moved.items():
            i = int(np.argmin(change))
            if change[i] < best:
                best, act = int(change[i]), (a, b, int(some[i]), None)
        for a, b in _PAIRS:
            out, back = moved[a, b], moved[b, a]
            rows, columns = np.flatnonzero(there[:, a]), np.flatnonzero(there[:, b])
            if not len(rows) or not len(columns):
                continue
            change = out[rows, None] + back[None, columns] - 2 * cross[np.ix_(rows, columns)]
            i, j = divmod(int(np.argmin(change)), len(columns))
            if change[i, j] < best:
                best = int(change[i, j])
                act = (a, b, int(some[rows[i]]), int(some[columns[j]]))
        if act is None:
            return False
        a, b, out_kind, back_kind = act
        self._put(out_kind, a, -1)
        self._put(out_kind, b)
        if back_kind is not None:
            self._put(back_kind, b, -1)
            self._put(back_kind, a)
        return True
