"""Ask every member of a panel about every session and dimension, and give back verdicts."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from assay.errors import ConfigError, InputError
from assay.judges.client import Endpoint
from assay.judges.engine import run_to_end
from assay.judges.judged import Judged
from assay.judges.keys import Key, key_of
from assay.judges.prompt import PromptWriter, fingerprint
from assay.judges.retry import RetryPolicy
from assay.judges.run import Address, Interrupted, Run, Target
from assay.schema import Anchor, Criterion, JudgeSpec, PanelSpec, Session, Verdict


def judge_sessions(
    sessions: Sequence[Session],
    criteria: Sequence[Criterion],
    *,
    judge: JudgeSpec,
    template: str,
    panel: PanelSpec,
    anchors: Mapping[str, Sequence[Anchor]],
    dimensions_of: Mapping[str, frozenset[str]] | None = None,
    on_verdict: Callable[[Verdict], None] | None = None,
) -> Judged:
    """Judge sessions; blocks until every verdict is there.

    What a model or an endpoint does wrong ends in verdicts with a reason. Only what
    the user can mend before the first request is raised.

    Args:
        sessions: What is judged.
        criteria: The questions.
        judge: The prompt variant.
        template: Text of its prompt file.
        panel: Who judges; kind `simulated` starts the embedded server.
        anchors: dimension -> labelled examples from the train split.
        dimensions_of: session_id -> dimensions to judge; None judges all. A session
            without an entry is not judged.
        on_verdict: Called for each member's verdict as soon as it is there, in the
            order of arrival, from the thread that runs the requests. What it raises
            ends the run.

    Returns:
        All verdicts, in input order.

    Raises:
        InputError: If there is nothing to judge or a session id occurs twice.
        ConfigError: If the template, the panel, an address or a key is unusable.
        LeakageError: If a session is an anchor of a dimension it is judged on.
    """
    if panel.kind == "recorded":
        message = f"panel {panel.name}: recorded verdicts are read from a file, not asked for."
        raise ConfigError(message)
    if len(panel.members) > 1 and panel.name in {m.name for m in panel.members}:
        message = f"panel {panel.name}: a member bears the panel's name; rename one of them."
        raise ConfigError(message)
    targets = _targets(sessions, criteria, dimensions_of)
    writer = PromptWriter(template, judge=judge, criteria=criteria, anchors=anchors)
    writer.refuse_leaks((session.session_id, dimension) for session, dimension in targets)
    # Before the server starts: a missing key must cost nothing.
    keys = {m.name: key_of(m) for m in panel.members}
    run = Run(
        targets=targets,
        writer=writer,
        judge=judge,
        panel=panel,
        fingerprint=fingerprint(
            template, judge=judge, criteria=criteria, anchors=anchors, panel=panel
        ),
        on_verdict=on_verdict,
    )
    with _own_server(panel) as own_url:
        addresses = {m.name: (m.base_url or own_url, m.api_key_env) for m in panel.members}
        endpoints = _endpoints(panel, addresses, keys)
        try:
            run_to_end(lambda: run.ask_all(addresses, endpoints))
        except Interrupted as interrupted:
            raise interrupted.error from None
    return run.judged(endpoints)


def _targets(
    sessions: Sequence[Session],
    criteria: Sequence[Criterion],
    dimensions_of: Mapping[str, frozenset[str]] | None,
) -> tuple[Target, ...]:
    twice = [i for i, n in Counter(s.session_id for s in sessions).items() if n > 1]
    if twice:
        message = f"judge: session ids occur twice: {', '.join(twice[:5])}; keep one of each."
        raise InputError(message)
    found = tuple(
        (session, criterion.dimension)
        for session in sessions
        for criterion in criteria
        if dimensions_of is None
        or criterion.dimension in dimensions_of.get(session.session_id, frozenset())
    )
    if not found:
        message = (
            f"judge: nothing to judge in {len(sessions)} sessions and {len(criteria)} criteria; "
            "give at least one session with a dimension to judge."
        )
        raise InputError(message)
    return found


@contextlib.contextmanager
def _own_server(panel: PanelSpec) -> Iterator[str]:
    if panel.kind != "simulated" or all(m.base_url for m in panel.members):
        yield ""
        return
    from assay.judges.loopback import simulated_server

    with simulated_server(panel.simulation) as base_url:
        yield base_url


def _endpoints(
    panel: PanelSpec, addresses: Mapping[str, Address], keys: Mapping[str, Key]
) -> dict[Address, Endpoint]:
    policy = RetryPolicy(max_attempts=panel.max_attempts, deadline_s=panel.deadline_s)
    return {
        address: Endpoint(
            address[0], key=keys[name], policy=policy, max_in_flight=panel.max_in_flight
        )
        for name, address in addresses.items()
    }
