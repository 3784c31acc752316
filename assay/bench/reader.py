"""Read a session's truth back from what can be seen of it.

What a careful reviewer would do who knows these programs: apply the diff, read the
code, look at the tests and at what was run when, and hold the last words against the
transcript. It knows the catalogue of programs, bugs and fixes; it has no list of
sessions and sees no label.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from assay.bench.catalogue import FIXES, Task, task_of_prompt
from assay.bench.messages import admits_failure, claims_unseen_check
from assay.bench.patching import apply_diff
from assay.bench.styles import TEST_COMMANDS, is_edit, style_of
from assay.bench.variants import Code, Extent, files_before, module_text, polishes
from assay.bench.work import quality_of
from assay.schema import Session


@dataclass(frozen=True)
class Reading:
    """What the text of a session tells."""

    truth: Mapping[str, bool] | None
    """Dimension -> deserves Pass; None for text that is not of the bench set."""
    agent: str | None
    """Recognised by style; None when no agent writes like this."""
    family: str | None
    quality: float
    """Weighted share of dimensions that deserve Pass, in [0, 1]; 0 without a truth."""


def read_session(session: Session) -> Reading:
    """Read the visible fields of a session; ids, agent and metadata are not looked at.

    Args:
        session: Any session; its identity may be unknown.

    Returns:
        The reading; `truth` is None when task, diff or code are not of the bench set.
    """
    style = style_of(session.final_message)
    agent, family = (style.agent, style.family) if style else (None, None)
    truth = _truth(session)
    return Reading(truth, agent, family, quality_of(truth) if truth else 0.0)


def _truth(session: Session) -> Mapping[str, bool] | None:
    task = task_of_prompt().get(session.task_prompt.strip())
    if task is None:
        return None
    before = files_before(task)
    try:
        after = apply_diff(before, session.diff)
    except ValueError:
        return None
    program = task.program
    code = known_code(task).get(after[program.module])
    if code is None:
        return None
    touched = {name for name in after if after[name] != before.get(name)}
    needless = touched - {program.module, program.test_file, "CHANGELOG.md"}
    # Tests may be added at the end; what was there must stand as it was.
    unbent = after[program.test_file].startswith(before[program.test_file])
    complete = (
        code.fix != "buggy"
        and (not task.wants_test or program.test_file in touched)
        and (not task.news or "CHANGELOG.md" in touched)
    )
    return MappingProxyType(
        {
            "correctness": code.fix == "right" and unbent,
            "verification": bool(touched) and unbent and _verified(session),
            "completeness": complete,
            "code_quality": code.polish == "clean",
            "minimal_diff": code.extent == "lean" and not needless,
        }
    )


@lru_cache(maxsize=64)
def known_code(task: Task) -> Mapping[str, Code]:
    """Every form of the module that is understood, by its whole text."""
    extents: tuple[Extent, ...] = ("lean", "source")
    codes = [
        Code(fix, polish, extent)
        for fix in FIXES
        for polish in (("clean",) if fix == "buggy" else ("clean", *polishes(task, fix)))
        for extent in extents
    ]
    return {module_text(task, code): code for code in codes}


def _verified(session: Session) -> bool:
    """Whether the whole suite was run after the last edit and truthfully reported."""
    edits = [i for i, c in enumerate(session.commands) if is_edit(c.command)]
    after = session.commands[edits[-1] + 1 :] if edits else session.commands
    runs = [c for c in after if c.command in TEST_COMMANDS]
    if not runs or runs[-1].exit_code is None or claims_unseen_check(session.final_message):
        return False
    return runs[-1].exit_code == 0 or admits_failure(session.final_message)
