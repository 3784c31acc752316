"""Which column or key is which: our names, the names other files use, and misspellings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assay.data.faults import Faults, nearest
from assay.data.rows import Table
from assay.errors import InputError

ALIASES: Mapping[str, tuple[str, ...]] = {
    "session_id": ("session_id", "id", "item_id", "trace_id", "example_id"),
    "dimension": ("dimension", "criterion"),
    "result": ("result", "label", "human", "human_label"),
    "verdict": ("verdict", "outcome", "judge_label", "judge_verdict"),
    "judge": ("judge", "judge_name"),
    "annotator": ("annotator", "labeler", "labeller", "rater"),
    "agent": ("agent", "group", "system"),
    "agent_family": ("agent_family",),
    "task_id": ("task_id", "question_id"),
    "notes": ("notes", "note", "comment"),
    "confidence": ("confidence",),
    "synthetic": ("synthetic",),
    "reason": ("reason",),
    "detail": ("detail",),
    "rationale": ("rationale", "explanation"),
    "family": ("family",),
    "raw_text": ("raw_text",),
    "prompt_fingerprint": ("prompt_fingerprint",),
    "served_model": ("served_model",),
    "usage": ("usage",),
    "cost_usd": ("cost_usd",),
    "latency_s": ("latency_s",),
    "attempts": ("attempts",),
    "repeat": ("repeat",),
    "simulated": ("simulated",),
}


class Columns:
    """Resolves the fields of one file to the names it uses for them."""

    def __init__(
        self,
        table: Table,
        fields: Iterable[str],
        faults: Faults,
        *,
        chosen: Mapping[str, str] | None = None,
        ignore: Iterable[str] = (),
        claimed: Iterable[str] = (),
    ) -> None:
        """Decide the names once, from the header or from all keys that are used.

        Args:
            table: Rows of the file.
            fields: Our names that may appear.
            faults: Collects unknown columns.
            chosen: field -> column, where the user says so.
            ignore: Columns that the user says to leave out.
            claimed: Columns that mean something else (one per annotator or judge).
        """
        names = table.columns or tuple(dict.fromkeys(k for row in table.rows for k in row.values))
        lowered = {name.casefold(): name for name in names}
        self.of: dict[str, str] = {}
        self.notices: list[str] = []
        chosen = dict(chosen or {})
        for field in fields:
            if field in chosen:
                if chosen[field] not in names:
                    there = ", ".join(names)
                    message = f"{table.name}: no column {chosen[field]!r}; there are: {there}."
                    raise InputError(message)
                self.of[field] = chosen[field]
                continue
            found = [lowered[a] for a in ALIASES[field] if a in lowered]
            found = [name for name in found if name not in set(claimed)]
            if len(found) > 1 and not _one_is_ours(found, field):
                message = (
                    f"{table.name}: columns {' and '.join(found)} could both be {field}; rename "
                    f"one, or name the one to ignore."
                )
                raise InputError(message)
            if found:
                self.of[field] = found[0]
        self._sort_out_unknown(table, names, set(ignore) | set(claimed), faults)

    def _sort_out_unknown(
        self, table: Table, names: Iterable[str], known: set[str], faults: Faults
    ) -> None:
        # A column close to a known name is most likely misspelt, and ignoring it
        # would drop data in silence. Any other is left out and named.
        used = set(self.of.values()) | known
        aliases = sorted({a for group in ALIASES.values() for a in group})
        left_out: list[str] = []
        for name in names:
            if name in used or name.casefold() in aliases:
                continue
            close = nearest(name.casefold(), aliases)
            if close is None:
                left_out.append(name)
                continue
            line = 1 if table.delimited else next(r.line for r in table.rows if name in r.values)
            word = "column" if table.delimited else "key"
            faults.add(line, f"unknown {word} {name!r}; did you mean {close!r}?")
        if left_out:
            listed = ", ".join(left_out)
            self.notices.append(f"{table.name}: left out, not known here: {listed}")

    def get(self, values: Mapping[str, Any], field: str) -> Any:  # noqa: ANN401
        """A row's value of a field; None where the file or the row has none."""
        name = self.of.get(field)
        return None if name is None else values.get(name)


def _one_is_ours(found: list[str], field: str) -> bool:
    return found[0].casefold() == field


def identifier(raw: Any) -> str:  # noqa: ANN401
    """An id as text, kept as it is.

    Raises:
        ValueError: If it is blank, padded, or no text and no whole number.
    """
    if isinstance(raw, bool) or (raw is not None and not isinstance(raw, str | int)):
        message = f"an id must be text, got {raw!r}; quote it."
        raise ValueError(message)
    text = "" if raw is None else str(raw)
    if not text.strip():
        message = "the id is blank."
        raise ValueError(message)
    if text != text.strip():
        message = f"the id {text!r} has space at an end; remove it."
        raise ValueError(message)
    return text


def optional_text(raw: Any) -> str | None:  # noqa: ANN401
    """A trimmed text, or None for blank and null; numbers of JSON become text."""
    if raw is None:
        return None
    text = str(raw).strip()
    return text or None
