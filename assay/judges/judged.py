"""What came out of judging: every verdict, and what a reader needs to trust them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.errors import EndpointError
from assay.judges.prompt import RenderedPrompt
from assay.schema import Verdict


@dataclass(frozen=True)
class Judged:
    """The verdicts of one run of one panel."""

    verdicts: tuple[Verdict, ...]
    """The members' in input order (session, dimension, member), then the panel's."""
    prompt_fingerprint: str | None
    """Digest of everything that can change a reply; None for recorded verdicts."""
    prompts: tuple[RenderedPrompt, ...] = ()
    """What was asked, one per session and dimension, in input order."""
    requests: int = 0
    """Requests sent over all endpoints, retries included."""
    attempts: Mapping[str, int] = field(default_factory=dict[str, int])
    """Member -> requests sent for its verdicts."""
    stops: tuple[str, ...] = ()
    """Endpoints that no further request could succeed on, and why."""
    notes: tuple[str, ...] = ()
    """What was found out about the endpoints: weaker JSON modes, schemas not enforced."""

    @property
    def decided(self) -> int:
        """Verdicts that are Pass or Fail."""
        return sum(v.outcome in {"pass", "fail"} for v in self.verdicts)

    @property
    def simulated(self) -> bool:
        """True when any verdict comes from no real model."""
        return any(v.simulated for v in self.verdicts)

    def raise_if_unusable(self) -> None:
        """Refuse a result in which no endpoint gave any reply that could be used.

        Replies without a verdict are no reason to refuse: they are abstentions, and
        coverage tells of them.

        Raises:
            EndpointError: With the endpoints' own words.
        """
        asked = [v for v in self.verdicts if v.attempts or v.outcome == "errored"]
        if not asked or any(v.outcome != "errored" for v in asked):
            return
        reasons = Counter(v.reason for v in asked)
        counts = ", ".join(f"{n} {reason}" for reason, n in reasons.most_common())
        first = " ".join(self.stops) or asked[0].detail
        message = f"judge: nothing was judged ({counts}). {first}"
        raise EndpointError(message)
