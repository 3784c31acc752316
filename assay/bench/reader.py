"""Read a session's truth back from what can be seen of it.

What a careful reviewer would do who knows these programs: apply the diff, read
the code, look at the tests and at what was run when. It knows the catalogue of
programs and bugs; it has no list of sessions and sees no label.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assay.bench.catalogue import CodeState, Task, task_of_prompt
from assay.bench.patching import apply_diff
from assay.bench.styles import EDITS, style_of
from assay.bench.transcript import TEST_COMMAND, files_before
from assay.bench.variants import requoted, respaced, without_blemish
from assay.bench.work import quality_of
from assay.schema import Session


@dataclass(frozen=True)
class Reading:
    """What the text of a session tells."""

    truth: Mapping[str, bool] | None
    """Dimension -> deserves Pass; None for text that is not of the bench set."""
    agent: str | None = None
    """Recognised by style; None when no agent writes like this."""
    family: str | None = None
    quality: float | None = None
    """Weighted share of dimensions that deserve Pass, in [0, 1]."""


def read_session(session: Session) -> Reading:
    """Read the visible fields of a session; ids and agent are not looked at.

    Args:
        session: Any session; identity may be unknown.

    Returns:
        The reading; `truth` is None when the task or the diff is not of the bench.
    """
    style = style_of(session.final_message)
    agent, family = (style.agent, style.family) if style else (None, None)
    task = task_of_prompt().get(session.task_prompt)
    if task is None:
        return Reading(None, agent, family)
    before = files_before(task)
    try:
        after = apply_diff(before, session.diff)
    except ValueError:
        return Reading(None, agent, family)
    code, clean, bloated = _read_code(task, after[task.module])
    if code is None:
        return Reading(None, agent, family)
    touched = {name for name in after if after[name] != before.get(name)}
    needless = touched - {task.module, task.test_file, "CHANGELOG.md"}
    tests_kept = after[task.test_file].startswith(before[task.test_file])
    complete = code != "buggy" and (
        (not task.wants_test or task.test_file in touched)
        and (not task.changelog or "CHANGELOG.md" in touched)
    )
    truth = {
        "correctness": code == "right" and tests_kept,
        "verification": bool(touched) and tests_kept and _verified(session),
        "completeness": complete,
        "code_quality": clean,
        "minimal_diff": not bloated and not needless,
    }
    return Reading(truth, agent, family, quality_of(truth))


def _read_code(task: Task, text: str) -> tuple[CodeState | None, bool, bool]:
    """What the code does, whether it is free of blemishes, and whether it was reformatted."""
    plain, blemished = without_blemish(text)
    states: tuple[CodeState, ...] = ("buggy", "right", "wrong")
    for state in states:
        source = task.source[state]
        if plain == source:
            return state, not blemished, False
        if plain in {requoted(source), respaced(source)}:
            return state, not blemished, True
    return None, not blemished, False


def _verified(session: Session) -> bool:
    """Whether the whole suite was run after the last edit, and passed."""
    edits = [i for i, c in enumerate(session.commands) if c.command.split(" ", 1)[0] in EDITS]
    last_edit = edits[-1] if edits else -1
    after = [c for c in session.commands[last_edit + 1 :] if c.command == TEST_COMMAND]
    return bool(after) and after[-1].exit_code == 0
