"""Which spellings mean Pass and Fail, and how often each was met.

A cell means the same whatever stands in the other cells. Anything outside the
documented list is refused, not guessed; a mapping of the user's own adds to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from assay.errors import InputError

Meaning = Literal["Pass", "Fail", "unlabelled", "abstained", "errored"]

PASS_SPELLINGS = ("pass", "passed", "true", "yes", "1", "1.0")
FAIL_SPELLINGS = ("fail", "failed", "false", "no", "0", "0.0")
VERDICT_SPELLINGS = {
    "abstained": "abstained", "abstain": "abstained",
    "errored": "errored", "error": "errored",
}  # fmt: skip
NEEDS_MAPPING = ("na", "n/a", "none", "null", "nan", "skip", "skipped", "n.a.")
"""Words that some people mean as a label and others as none; only a mapping decides."""

_MEANINGS: dict[str, Meaning] = {
    "pass": "Pass", "fail": "Fail", "unlabelled": "unlabelled", "unlabeled": "unlabelled",
    "": "unlabelled", "abstained": "abstained", "errored": "errored",
}  # fmt: skip


class Spellings:
    """Reads raw values as Pass, Fail or unlabelled, and keeps the table of what was read."""

    def __init__(self, mapping: Mapping[str, str] | None = None, *, verdicts: bool = False) -> None:
        self._known: dict[str, Meaning] = {s: "Pass" for s in PASS_SPELLINGS}
        self._known |= {s: "Fail" for s in FAIL_SPELLINGS}
        if verdicts:
            self._known |= VERDICT_SPELLINGS  # type: ignore[arg-type]
        for raw, meaning in (mapping or {}).items():
            read = _MEANINGS.get(meaning.strip().casefold())
            if read is None or (read in {"abstained", "errored"} and not verdicts):
                message = f"mapping {raw}={meaning}: map to Pass, Fail or unlabelled."
                raise InputError(message)
            self._known[_folded(raw)] = read
        self._met: dict[str, tuple[str, int]] = {}

    def read(self, raw: Any) -> Meaning:  # noqa: ANN401 - a cell or a JSON value
        """What a raw value means.

        Args:
            raw: Text of a cell, or a JSON string, number, boolean or null.

        Returns:
            The meaning; blank text and null are `unlabelled`.

        Raises:
            ValueError: With what was got and what would be accepted.
        """
        shown = _shown(raw)
        folded = _folded(shown)
        meaning = self._known.get(folded)
        if meaning is None:
            if folded == "" and isinstance(raw, str | None):
                meaning = "unlabelled"
            else:
                raise ValueError(_refusal(shown, folded))
        before = self._met.get(shown, (meaning, 0))
        self._met[shown] = (meaning, before[1] + 1)
        return meaning

    @property
    def table(self) -> dict[str, tuple[str, int]]:
        """Raw spelling -> (what it was read as, count), most frequent first."""
        return dict(sorted(self._met.items(), key=lambda item: (-item[1][1], item[0])))


def _folded(raw: str) -> str:
    return raw.strip().casefold()


def _shown(raw: Any) -> str:  # noqa: ANN401
    if raw is None:
        return ""
    if isinstance(raw, bool):
        return str(raw).lower()
    if isinstance(raw, str | int | float):
        return str(raw)
    message = f"expected one of Pass and Fail, got {type(raw).__name__} {raw!r}."
    raise ValueError(message)


def _refusal(shown: str, folded: str) -> str:
    if folded in NEEDS_MAPPING:
        return (
            f"{shown.strip()!r} may or may not be a label; say which: "
            f"--map '{shown.strip()}=unlabelled' (or =Pass, =Fail)."
        )
    return (
        f"{shown.strip()!r} is no known spelling; write Pass or Fail (also passed, true, yes, 1 / "
        f"failed, false, no, 0), or --map '{shown.strip()}=Pass'."
    )
