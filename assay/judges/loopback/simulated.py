"""A simulated judge: from the text that it was sent to the text that it replies.

It has no other knowledge. Truth is read from the text of a synthetic session,
which is made so that it can be; about any other text it says that it knows nothing.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from assay.errors import InputError
from assay.judges.loopback.asking import Asked, Block
from assay.judges.loopback.planted import PLANTED, decide, prefer
from assay.judges.loopback.wording import (
    Quotes,
    quotes,
    reply_text,
    unknown_values,
    verdict_values,
    winner_values,
)
from assay.judges.rendering import parse_session
from assay.schema import Session

FOREIGN = (
    "this session is not from the synthetic bench set; a simulated judge knows nothing about it"
)
NOTHING_JUDGED = "no complete <<<SESSION block or pair of candidates was sent"
NO_DIMENSION = "no line 'Dimension: NAME' outside the session says what is asked"
_CACHED_READINGS = 8192
"""Sessions remembered; one takes about 1 kB."""


class Reading(Protocol):
    """What a synthetic session's text gives away about how it was made."""

    @property
    def truth(self) -> Mapping[str, bool] | None:
        """Dimension -> deserves Pass; None for text that is not of the bench."""
        ...

    @property
    def family(self) -> str | None:
        """Family of the agent."""
        ...

    @property
    def quality(self) -> float | None:
        """How good the work is, in [0, 1]; None for text that is not of the bench."""
        ...


@dataclass(frozen=True)
class _Seen:
    truth: Mapping[str, bool] | None
    family: str
    quality: float
    quotes: Quotes

    def merit(self, dimension: str) -> float:
        """Overall quality; asked about one dimension, deserving Pass there comes first."""
        return self.quality + float((self.truth or {}).get(dimension, False))


class SimulatedJudges:
    """All planted models of one server.

    Args:
        seed: Of the simulation: another seed gives other verdicts at the same rates.
        read: Reads truth from a synthetic session's text.
    """

    def __init__(self, seed: int, read: Callable[[Session], Reading]) -> None:
        self._seed = seed
        self._read = read
        self._seen: OrderedDict[bytes, _Seen] = OrderedDict()

    def reply(self, model: str, asked: Asked) -> str:
        """The reply of one model.

        Args:
            model: Key of `PLANTED`.
            asked: The request.

        Returns:
            JSON in the shape asked for. Its verdict is `Unknown`, which no client
            takes for a verdict, unless the text is a synthetic session.
        """
        if not asked.judged:
            return reply_text(unknown_values(NOTHING_JUDGED), asked.fields)
        seen = [self._look(block) for block in asked.judged]
        if any(s.truth is None for s in seen):
            return reply_text(unknown_values(FOREIGN), asked.fields)
        if len(seen) == 2:
            return reply_text(self._compare(model, asked, seen[0], seen[1]), asked.fields)
        return reply_text(self._judge(model, asked, seen[0]), asked.fields)

    def _judge(self, model: str, asked: Asked, seen: _Seen) -> dict[str, object]:
        if asked.dimension is None:
            return unknown_values(NO_DIMENSION)
        assert seen.truth is not None
        if asked.dimension not in seen.truth or asked.dimension not in PLANTED[model].rates:
            return unknown_values(f"it knows nothing about the dimension {asked.dimension!r}")
        verdict = decide(
            self._seed,
            model=model,
            dimension=asked.dimension,
            truth=seen.truth[asked.dimension],
            agent_family=seen.family,
            features=asked.features,
            item=asked.judged[0].digest,
            prompt=asked.prompt,
        )
        return verdict_values(verdict, asked.dimension, seen.quotes, anchors=asked.features.anchors)

    def _compare(self, model: str, asked: Asked, first: _Seen, second: _Seen) -> dict[str, object]:
        dimension = asked.dimension or "overall"
        winner = prefer(
            self._seed,
            model=model,
            dimension=dimension,
            items=(asked.judged[0].digest, asked.judged[1].digest),
            merits=(first.merit(dimension), second.merit(dimension)),
        )
        return winner_values(winner, first.quotes, second.quotes)

    def _look(self, block: Block) -> _Seen:
        # A session comes once per dimension, model and order: read it once.
        key = block.digest
        seen = self._seen.get(key)
        if seen is None:
            seen = self._read_block(block)
            self._seen[key] = seen
            if len(self._seen) > _CACHED_READINGS:
                self._seen.popitem(last=False)
        return seen

    def _read_block(self, block: Block) -> _Seen:
        # A candidate block has the form of a session block under another name.
        text = f"<<<SESSION {block.nonce}\n{block.body}\nSESSION {block.nonce}>>>"
        try:
            session = parse_session(text)
        except InputError:
            return _Seen(None, "", 0.0, Quotes("", "", ""))
        reading = self._read(session)
        return _Seen(reading.truth, reading.family or "", reading.quality or 0.0, quotes(session))
