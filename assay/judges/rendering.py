"""How does a session become text that a judge can read and cannot be tricked by?

The judged text stands behind a delimiter with a nonce that occurs nowhere in it,
so nothing an agent wrote can close the block or open another section. The
rendering is exact: `parse_session` gives back every visible field. Who did the
work is never rendered; the judge is blind to it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator

from assay.errors import InputError
from assay.schema import Anchor, Command, Session, SuiteRun

NO_CHANGE = "(no change was made)"
"""Stands for an empty diff."""
UNKNOWN = "unknown"
"""Ids and agent of a session read back from a prompt."""

_SECTIONS = ("task", "diff", "commands", "tests", "final_message")
_OPENING = re.compile(
    r"^<<<(?P<kind>SESSION|ANCHOR|CANDIDATE FIRST|CANDIDATE SECOND) (?P<nonce>[0-9a-f]{16})\n",
    re.MULTILINE,
)
_ESCAPED_NO_CHANGE = re.compile(r"\\*" + re.escape(NO_CHANGE))
_EXIT = re.compile(r"\[exit (?P<code>-?\d+|unknown)\]")
_COUNTS = re.compile(r"\[passed (?P<passed>\d+), failed (?P<failed>\d+)\]")


def choose_nonce(*texts: str) -> str:
    """A delimiter that occurs in none of the texts, the same for the same texts.

    Args:
        *texts: Everything that will stand beside the delimiter in the prompt.

    Returns:
        16 lower-case hex digits.
    """
    # Length-prefixed, so that ("ab", "c") and ("a", "bc") differ.
    seed = hashlib.sha256()
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        seed.update(b"%d:" % len(data))
        seed.update(data)
    counter = 0
    while True:
        nonce = hashlib.sha256(seed.digest() + b"%d" % counter).hexdigest()[:16]
        if not any(nonce in text for text in texts):
            return nonce
        counter += 1


def visible_texts(session: Session) -> tuple[str, ...]:
    """All text of a session that a judge sees, for `choose_nonce`."""
    return (
        session.task_prompt,
        session.diff,
        *(text for c in session.commands for text in (c.command, c.output)),
        *(text for t in session.test_results for text in (t.command, t.output)),
        session.final_message,
    )


def render_session(session: Session, *, nonce: str) -> str:
    """The judged block.

    Args:
        session: What is judged. Ids, agent, family and metadata are left out.
        nonce: From `choose_nonce`; must not occur in the session's text.

    Returns:
        The block, from `<<<SESSION` to `>>>`, without a final line break.

    Raises:
        InputError: If the nonce occurs in the session's text.
    """
    return _block("SESSION", _sections(session, nonce), nonce)


def render_anchor(anchor: Anchor, *, nonce: str) -> str:
    """A labelled example: a session block of its own and the person's answer, in one block."""
    # The person's notes are written about this session alone; they teach the
    # judge what tipped the scale. They come after the session, outside its block.
    notes = anchor.label.notes.strip()
    _refuse_nonce_in(nonce, (notes,))
    answer = [f"Answer of a person: {anchor.label.result}"]
    answer += [f"Their reason: {notes}"] if notes else []
    inner = [render_session(anchor.session, nonce=nonce), *answer]
    return _block("ANCHOR", "\n".join(inner), nonce)


def render_candidates(first: Session, second: Session, *, nonce: str) -> str:
    """Two candidate blocks for a comparison, in the order given."""
    return "\n\n".join(
        _block(f"CANDIDATE {place}", _sections(session, nonce), nonce)
        for place, session in (("FIRST", first), ("SECOND", second))
    )


def parse_session(text: str) -> Session:
    """The session of the last judged block of a prompt; the inverse of `render_session`.

    Blocks within a block are part of its text and are never looked at.

    Args:
        text: A whole prompt or a block.

    Returns:
        The session with its visible fields; ids and agent are "unknown".

    Raises:
        InputError: If there is no complete block, or it is not of this form.
    """
    found = [(body, nonce) for kind, nonce, body in _top_blocks(text) if kind == "SESSION"]
    if not found:
        message = "prompt: no complete <<<SESSION block; render the session with render_session"
        raise InputError(message)
    body, nonce = found[-1]
    return _parse_body(body, nonce)


def parse_candidates(text: str) -> tuple[Session, Session]:
    """The two candidates of a comparison prompt, as (first, second).

    Raises:
        InputError: If either block is missing or not of this form.
    """
    found = {kind: (body, nonce) for kind, nonce, body in _top_blocks(text)}
    try:
        first, second = found["CANDIDATE FIRST"], found["CANDIDATE SECOND"]
    except KeyError as error:
        message = f"prompt: no complete <<<{error.args[0]} block; use render_candidates"
        raise InputError(message) from None
    return _parse_body(*first), _parse_body(*second)


def _block(kind: str, body: str, nonce: str) -> str:
    return f"<<<{kind} {nonce}\n{body}\n{kind} {nonce}>>>"


def _refuse_nonce_in(nonce: str, texts: Iterable[str]) -> None:
    if any(nonce in text for text in texts):
        message = f"prompt: the nonce {nonce} occurs in the judged text; use choose_nonce"
        raise InputError(message)


def _sections(session: Session, nonce: str) -> str:
    _refuse_nonce_in(nonce, visible_texts(session))
    commands = [line for c in session.commands for line in _command_lines(c)]
    tests = [line for t in session.test_results for line in _suite_lines(t)]
    parts = [
        [f"[{nonce}:task]", session.task_prompt],
        [f"[{nonce}:diff]", _shown_diff(session.diff)],
        [f"[{nonce}:commands]", *commands],
        [f"[{nonce}:tests]", *tests],
        [f"[{nonce}:final_message]", session.final_message],
    ]
    return "\n".join(line for part in parts for line in part)


def _shown_diff(diff: str) -> str:
    if not diff:
        return NO_CHANGE
    # A diff that reads like the stand-in gets a backslash, so the two stay apart.
    return "\\" + diff if _ESCAPED_NO_CHANGE.fullmatch(diff) else diff


def _command_lines(command: Command) -> Iterator[str]:
    yield from _invocation(command.command)
    yield f"[exit {'unknown' if command.exit_code is None else command.exit_code}]"
    yield from _output(command.output)


def _suite_lines(suite: SuiteRun) -> Iterator[str]:
    yield from _invocation(suite.command)
    yield f"[passed {suite.passed}, failed {suite.failed}]"
    yield from _output(suite.output)


def _invocation(command: str) -> Iterator[str]:
    first, *rest = command.split("\n")
    yield f"$ {first}"
    yield from (f"> {line}" for line in rest)


def _output(output: str) -> Iterator[str]:
    if output:
        yield from (f"| {line}" for line in output.split("\n"))


def _top_blocks(text: str) -> Iterator[tuple[str, str, str]]:
    """(kind, nonce, body) of each complete block that is not within another."""
    position = 0
    while opening := _OPENING.search(text, position):
        kind, nonce = opening["kind"], opening["nonce"]
        end = text.find(f"\n{kind} {nonce}>>>", opening.end() - 1)
        if end < 0:
            position = opening.end() - 1
            continue
        yield kind, nonce, text[opening.end() : end]
        position = end + 1


def _parse_body(body: str, nonce: str) -> Session:
    # Each marker is a whole line with the nonce, so it occurs exactly once.
    pattern = "".join(rf"(?:^|\n)\[{nonce}:{name}\](?P<{name}>\n.*?)?" for name in _SECTIONS)
    match = re.fullmatch(pattern, body, re.DOTALL)
    if match is None:
        message = f"prompt: block {nonce} lacks a section; expected {', '.join(_SECTIONS)} in order"
        raise InputError(message)
    part = {name: (value or "\n")[1:] for name, value in match.groupdict().items()}
    diff = part["diff"]
    if diff == NO_CHANGE:
        diff = ""
    elif _ESCAPED_NO_CHANGE.fullmatch(diff):
        diff = diff[1:]
    commands = [
        Command(command=command, exit_code=_exit_code(status), output=output)
        for command, status, output in _entries(part["commands"], _EXIT)
    ]
    suites = [
        SuiteRun(
            command=command,
            passed=int(status["passed"]),
            failed=int(status["failed"]),
            output=output,
        )
        for command, status, output in _entries(part["tests"], _COUNTS)
    ]
    return Session(
        session_id=UNKNOWN,
        task_id=UNKNOWN,
        agent=UNKNOWN,
        agent_family=UNKNOWN,
        task_prompt=part["task"],
        diff=diff,
        commands=tuple(commands),
        test_results=tuple(suites),
        final_message=part["final_message"],
    )


def _exit_code(status: re.Match[str]) -> int | None:
    return None if status["code"] == "unknown" else int(status["code"])


def _entries(text: str, status_form: re.Pattern[str]) -> Iterator[tuple[str, re.Match[str], str]]:
    """(command, status line, output) of each entry of a commands or tests section."""
    lines = text.split("\n") if text else []
    at = 0

    def prefixed(prefix: str) -> list[str]:
        nonlocal at
        start = at
        while at < len(lines) and lines[at].startswith(prefix):
            at += 1
        return [line.removeprefix(prefix) for line in lines[start:at]]

    while at < len(lines):
        if not lines[at].startswith("$ "):
            message = f"prompt: expected a line starting '$ ', got {lines[at][:60]!r}"
            raise InputError(message)
        first = lines[at].removeprefix("$ ")
        at += 1
        command = "\n".join([first, *prefixed("> ")])
        status = status_form.fullmatch(lines[at]) if at < len(lines) else None
        if status is None:
            message = f"prompt: no result line after the command {first[:60]!r}"
            raise InputError(message)
        at += 1
        yield command, status, "\n".join(prefixed("| "))
