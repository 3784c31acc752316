"""One run of a panel: who is asked what, where, and what has come back."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from assay.judges.client import Asked, Endpoint, Lane, Question
from assay.judges.completion import Completion
from assay.judges.engine import pull_all
from assay.judges.judged import Judged
from assay.judges.panel import panel_verdicts
from assay.judges.prompt import PromptWriter, RenderedPrompt
from assay.judges.reply import read_reply
from assay.judges.reply_shapes import reply_schema
from assay.schema import JudgeSpec, MemberSpec, Outcome, PanelSpec, Session, Verdict

Address = tuple[str, str | None]
"""Base URL and the name of the key's variable: what shares one client and one cap."""
Target = tuple[Session, str]
"""A session and the dimension it is judged on."""


class Interrupted(Exception):  # noqa: N818 - carries an interrupt, is no error itself
    """An interrupt from the caller's callback, on its way out of the event loop."""

    def __init__(self, error: BaseException) -> None:
        self.error = error
        super().__init__()


@dataclass
class Run:
    """The state of one run.

    Attributes:
        targets: What is judged, in order.
        writer: Writes the prompts.
        judge: The prompt variant.
        panel: Who judges.
        fingerprint: Put on every verdict.
        on_verdict: Called for each member's verdict as it arrives.
    """

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
        if self.on_verdict is None:
            return
        try:
            self.on_verdict(verdict)
        except (KeyboardInterrupt, SystemExit) as error:
            # As it is, it would tear through the event loop and leave connections open.
            raise Interrupted(error) from error

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
            detail=endpoint.safe(reading.detail),
            rationale=endpoint.safe(reading.rationale),
            raw_text=endpoint.safe(result.text or ""),
            served_model=endpoint.safe(result.served_model) if result.served_model else None,
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


def _stops(endpoint: Endpoint) -> Iterator[str]:
    where = endpoint.address
    if endpoint.stop:
        yield f"{where}: {endpoint.stop.reason}: {endpoint.stop.detail}."
    for model, lane in endpoint.lanes.items():
        if lane.stop:
            yield f"{where}, model {model}: {lane.stop.detail}."


def _notes(endpoint: Endpoint, model: str, lane: Lane) -> Iterator[str]:
    where = f"{endpoint.address}, model {model}"
    if lane.mode != "json_schema":
        yield f"{where}: does not take json_schema; asked with {lane.mode}."
    if not lane.enforces:
        yield f"{where}: takes json_schema but does not enforce it; replies are checked here."
