"""When is a request sent again, and after how long? The only retry layer there is.

Pure: time comes in as numbers, and the jitter is a hash, so a run waits the same
way whatever order its requests finish in.
"""

from __future__ import annotations

import email.utils
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

RETRY_AFTER_CEILING_S = 600.0
"""An endpoint that asks for a longer wait is done for this run; the run can be resumed."""
FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 8.0


@dataclass(frozen=True)
class RetryPolicy:
    """Limits of one verdict's requests.

    Attributes:
        max_attempts: Requests at most, the first included.
        deadline_s: Total seconds over all attempts and waits; finite.
    """

    max_attempts: int
    deadline_s: float

    def wait(
        self, *, attempt: int, elapsed_s: float, retry_after_s: float | None, key: str
    ) -> float | None:
        """Seconds until the next request, or None when there shall be none.

        Args:
            attempt: Requests sent so far, 1 after the first.
            elapsed_s: Seconds since the first was about to be sent.
            retry_after_s: What the endpoint asked for; never undercut.
            key: Names the verdict; seeds the jitter.

        Returns:
            The wait. None after the last attempt, or when it would end past the deadline.
        """
        if attempt >= self.max_attempts:
            return None
        grown = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** (attempt - 1))
        share = jitter(f"{key}:{attempt}")
        # Half fixed, half spread: never at once, never all at the same time. Spread
        # upwards only when the endpoint named a time.
        wait = grown * (0.5 + 0.5 * share)
        if retry_after_s is not None:
            wait = retry_after_s * (1 + 0.05 * share)
        return wait if elapsed_s + wait < self.deadline_s else None


def jitter(key: str) -> float:
    """A number in [0, 1) from the SHA-256 of the key: its first 8 bytes over 2 to the 64th."""
    return int.from_bytes(hashlib.sha256(key.encode("utf-8")).digest()[:8], "big") / 2**64


def retry_after_seconds(headers: Mapping[str, str], *, now: datetime | None = None) -> float | None:
    """Seconds that a response asks to wait.

    Args:
        headers: Response headers: `retry-after-ms`, or `retry-after` in seconds or as a date.
        now: Time to count a date from; the present when None.

    Returns:
        Seconds, at least 0; None without a readable header.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    seconds = _number(value)
    if seconds is not None or not value:
        return seconds
    try:
        moment = email.utils.parsedate_to_datetime(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None
