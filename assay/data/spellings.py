"""Which spellings mean Pass and Fail, and how often each was met.

A cell means the same whatever stands in the other cells. Anything outside the
documented list is refused, not guessed; a mapping of the user's own adds to it
and overrides it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from assay.errors import InputError

Meaning = Literal["Pass", "Fail", "unlabelled", "abstained", "errored"]

PASS_SPELLINGS = ("pass", "passed", "true", "yes", "1", "1.0")
FAIL_SPELLINGS = ("fail", "failed", "false", "no", "0", "0.0")
VERDICT_SPELLINGS: Mapping[str, Meaning] = {
    "abstained": "abstained", "abstain": "abstained",
    "errored": "errored", "error": "errored",
}  # fmt: skip
NEEDS_MAPPING = frozenset(
    {"na", "n/a", "n.a.", "n.a", "#n/a", "<na>", "nan", "none", "null", "nil", "skip", "skipped"}
)
"""Words that some people mean as a label and others as none; only a mapping decides."""

_MEANINGS: Mapping[str, Meaning] = {
    "pass": "Pass", "fail": "Fail", "unlabelled": "unlabelled", "unlabeled": "unlabelled",
    "abstained": "abstained", "errored": "errored",
}  # fmt: skip


class Spellings:
    """Reads raw values as Pass, Fail or unlabelled, and keeps the table of what was read."""

    def __init__(self, mapping: Mapping[str, str] | None = None, *, verdicts: bool = False) -> None:
        """Start from the documented spellings and add a user's own.

        Args:
            mapping: Raw value -> Pass, Fail or unlabelled, also abstained or errored,
                which hold for verdicts only. Case and outer space do not count.
            verdicts: Whether the states of a verdict are spellings too.

        Raises:
            InputError: If a meaning is none of these, a blank cell is given one,
                or two spellings that differ in case only have two meanings.
        """
        self._known: dict[str, Meaning] = dict.fromkeys(PASS_SPELLINGS, "Pass")
        self._known |= dict.fromkeys(FAIL_SPELLINGS, "Fail")
        self._known[""] = "unlabelled"
        if verdicts:
            self._known |= VERDICT_SPELLINGS
        own = _own(mapping or {})
        self._known |= {
            raw: meaning
            for raw, meaning in own.items()
            # One mapping may serve a file of labels and one of verdicts.
            if verdicts or meaning not in {"abstained", "errored"}
        }
        self._verdicts = verdicts
        self._met: dict[str, tuple[Meaning, list[int]]] = {}

    def read(self, raw: Any) -> Meaning:  # noqa: ANN401 - a cell or a JSON value
        """What a raw value means.

        Args:
            raw: Text of a cell, or a JSON string, number, boolean or null.

        Returns:
            The meaning; blank text and null are `unlabelled`.

        Raises:
            ValueError: With what was got and what would be accepted.
        """
        shown = raw if type(raw) is str else _shown(raw)
        met = self._met.get(shown)
        if met is None:
            folded = _folded(shown)
            meaning = self._known.get(folded)
            if meaning is None:
                raise ValueError(self._refusal(shown.strip(), folded))
            met = self._met[shown] = (meaning, [0])
        met[1][0] += 1
        return met[0]

    @property
    def table(self) -> dict[str, tuple[str, int]]:
        """Raw spelling -> (what it was read as, count), most frequent first."""
        counted = {raw: (meaning, count[0]) for raw, (meaning, count) in self._met.items()}
        return dict(sorted(counted.items(), key=lambda item: (-item[1][1], item[0])))

    def _refusal(self, shown: str, folded: str) -> str:
        more = ", =abstained" if self._verdicts else ""
        if folded in NEEDS_MAPPING:
            return (
                f"{shown!r} may or may not be a label; say which: "
                f"--map '{shown}=unlabelled' (or =Pass, =Fail{more})."
            )
        return (
            f"{shown!r} is no known spelling; write Pass or Fail (also passed, true, yes, 1 / "
            f"failed, false, no, 0), or --map '{shown}=Pass' (or =Fail, =unlabelled{more})."
        )


def _own(mapping: Mapping[str, str]) -> dict[str, Meaning]:
    own: dict[str, Meaning] = {}
    for raw, wanted in mapping.items():
        folded, meaning = _folded(str(raw)), _MEANINGS.get(_folded(str(wanted)))
        if meaning is None:
            message = (
                f"mapping {raw}={wanted}: map to Pass, Fail or unlabelled "
                f"(a verdict also to abstained or errored)."
            )
            raise InputError(message)
        if not folded:
            message = f"mapping {raw!r}={wanted}: a blank cell is always unlabelled; fill it in."
            raise InputError(message)
        if own.setdefault(folded, meaning) != meaning:
            message = (
                f"mapping {raw}={wanted}: {folded!r} is also mapped to {own[folded]}; keep one."
            )
            raise InputError(message)
    return own


def _folded(raw: str) -> str:
    return raw.strip().casefold()


def _shown(raw: Any) -> str:  # noqa: ANN401
    if raw is None:
        return ""
    if isinstance(raw, bool):
        return str(raw).lower()
    if isinstance(raw, int | float):
        return str(raw)
    message = f"expected Pass or Fail, got {type(raw).__name__} {_short(raw)}."
    raise ValueError(message)


def _short(raw: Any) -> str:  # noqa: ANN401
    text = repr(raw)
    return text if len(text) <= 60 else text[:57] + "..."
