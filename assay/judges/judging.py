"""Ask every member of a panel about every session and dimension, and give back verdicts."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from assay.errors import ConfigError, InputError
from assay.judges.client import Asked, Endpoint, Lane, Question
from assay.judges.completion import Completion
from assay.judges.engine import pull_all, run_to_end
from assay.judges.judged import Judged
from assay.judges.keys import Key, key_of
from assay.judges.panel import panel_verdicts
from assay.judges.prompt import PromptWriter, RenderedPrompt, fingerprint
from assay.judges.reply import read_reply
from assay.judges.reply_shapes import reply_schema
from assay.judges.retry import RetryPolicy
from assay.schema import (
    Anchor,
    Criterion,
    JudgeSpec,
    MemberSpec,
    Outcome,
    PanelSpec,
    Session,
    Verdict,
)

Address = tuple[str, str | None]
"""Base URL and the name of the key's variable: what shares one client and one cap."""


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
    run = _Run(
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
        run_to_end(lambda: run.ask_all(addresses, endpoints))
    return run.judged(endpoints)


Target = tuple[Session, str]


@dataclass
class _Run:
    """One run's state: what is asked, and what has come back."""

    targets: tuple[Target, ...]
    writer: PromptWriter
    judge: JudgeSpec
    panel: PanelSpec
    fingerprint: str
    on_verdict: Callable[[Verdict], None] | None

    def __post_init__(self) -> None:
        self._prompts: dict[int, RenderedPrompt] = {}
        self._verdicts: dict[tuple[int, str], Verdict] = {}
        self._schema = reply_schema(self.judge.reply)

    async def ask_all(
        self, addresses: Mapping[str, Address], endpoints: Mapping[Address, Endpoint]
    ) -> None:
        """Open the endpoints, ask, close them, all in one loop."""
        async with contextlib.AsyncExitStack() as stack:
            for endpoint in endpoints.values():
                await stack.enter_async_context(endpoint)

            async def work(item: tuple[int, MemberSpec]) -> None:
                index, member = item
                await self._ask(index, member, endpoints[addresses[member.name]])

            async def serve(address: Address) -> None:
                members = [m for m in self.panel.members if addresses[m.name] == address]
                items = ((i, m) for i in range(len(self.targets)) for m in members)
                count = min(self.panel.max_in_flight, len(self.targets) * len(members))
                await pull_all(items, work, workers=count)

            await pull_all(endpoints, serve, workers=len(endpoints))

    async def _ask(self, index: int, member: MemberSpec, endpoint: Endpoint) -> None:
        session, dimension = self.targets[index]
        if index not in self._prompts:
            self._prompts[index] = self.writer.write(session, dimension)
        question = Question(
            key=f"{session.session_id}:{dimension}:{member.name}",
            model=member.model,
            messages=self._prompts[index].messages,
            schema=self._schema,
            max_tokens=self.judge.max_tokens,
            temperature=self.judge.temperature,
            seed=self.judge.seed,
        )
        asked = await endpoint.ask(question)
        verdict = self._verdict(index, member, asked, endpoint)
        self._verdicts[index, member.name] = verdict
        if self.on_verdict is not None:
            self.on_verdict(verdict)

    def _verdict(self, index: int, member: MemberSpec, asked: Asked, endpoint: Endpoint) -> Verdict:
        session, dimension = self.targets[index]
        result = asked.result
        known = {
            "session_id": session.session_id,
            "dimension": dimension,
            "judge": member.name,
            "family": member.family,
            "prompt_fingerprint": self.fingerprint,
            "latency_s": asked.latency_s,
            "attempts": asked.attempts,
            "simulated": self.panel.kind == "simulated" or endpoint.simulated,
        }
        if not isinstance(result, Completion):
            return Verdict(outcome="errored", reason=result.reason, detail=result.detail, **known)
        reading = read_reply(
            result.text,
            finish_reason=result.finish_reason,
            refusal=result.refusal,
            reasoning=result.reasoning,
            max_tokens=self.judge.max_tokens,
        )
        if asked.mode == "json_schema" and reading.breaks_schema:
            endpoint.lanes[member.model].enforces = False
        outcomes: dict[str | None, Outcome] = {"Pass": "pass", "Fail": "fail"}
        return Verdict(
            outcome=outcomes.get(reading.label, "abstained"),
            reason=reading.reason,
            detail=endpoint.mask(reading.detail),
            rationale=endpoint.mask(reading.rationale),
            raw_text=endpoint.mask(result.text or ""),
            served_model=result.served_model,
            usage=result.usage,
            **known,
        )

    def judged(self, endpoints: Mapping[Address, Endpoint]) -> Judged:
        """The result, in input order whatever the order of arrival."""
        members = tuple(
            self._verdicts[index, member.name]
            for index in range(len(self.targets))
            for member in self.panel.members
        )
        families = {session.session_id: session.agent_family for session, _ in self.targets}
        votes = (
            panel_verdicts(members, panel=self.panel, agent_families=families)
            if len(self.panel.members) > 1
            else ()
        )
        attempts = dict.fromkeys((m.name for m in self.panel.members), 0)
        for verdict in members:
            attempts[verdict.judge] += verdict.attempts
        return Judged(
            verdicts=members + votes,
            prompt_fingerprint=self.fingerprint,
            prompts=tuple(self._prompts[i] for i in range(len(self.targets))),
            requests=sum(e.requests for e in endpoints.values()),
            attempts=attempts,
            stops=tuple(s for e in endpoints.values() for s in _stops(e)),
            notes=tuple(
                note
                for e in endpoints.values()
                for model, lane in e.lanes.items()
                for note in _notes(e, model, lane)
            ),
        )


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
    from assay.judges.loopback import running_server

    with running_server(panel.simulation) as base_url:
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


def _stops(endpoint: Endpoint) -> Iterator[str]:
    where = endpoint.mask(endpoint.base_url)
    if endpoint.stop:
        yield f"{where}: {endpoint.stop.reason}: {endpoint.stop.detail}."
    for model, lane in endpoint.lanes.items():
        if lane.stop:
            yield f"{where}, model {model}: {lane.stop.detail}."


def _notes(endpoint: Endpoint, model: str, lane: Lane) -> Iterator[str]:
    where = f"{endpoint.mask(endpoint.base_url)}, model {model}"
    if lane.mode != "json_schema":
        yield f"{where}: does not take json_schema; asked with {lane.mode}."
    if not lane.enforces:
        yield f"{where}: takes json_schema but does not enforce it; replies are checked here."
