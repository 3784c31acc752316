"""What does a panel say when its members have voted?

Errors and abstentions are no votes. Too few votes, or a tie, is no verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from assay.schema import Outcome, PanelSpec, Reason, Verdict


def majority(
    votes: Sequence[Verdict], *, panel: PanelSpec, agent_family: str | None = None
) -> Verdict:
    """The panel's verdict on one session and dimension.

    Args:
        votes: One verdict per member, on the same session and dimension.
        panel: Quorum, and whether members of the agent's family are left out.
        agent_family: Family of the agent under judgement; None is unknown.

    Returns:
        Pass or Fail by strict majority of the usable votes; abstained with
        `quorum_not_met` below the quorum and with `tie` when even.
    """
    excluded = agent_family if panel.exclude_own_family else None
    own = [v for v in votes if excluded and v.family == excluded]
    heard = [v for v in votes if not excluded or v.family != excluded]
    counted = [v for v in heard if v.outcome in {"pass", "fail"}]
    passes = sum(v.outcome == "pass" for v in counted)
    fails = len(counted) - passes
    outcome: Outcome = "abstained"
    reason: Reason | None = None
    if len(counted) < panel.quorum:
        reason = "quorum_not_met"
    elif passes == fails:
        reason = "tie"
    else:
        outcome = "pass" if passes > fails else "fail"
    first = votes[0]
    return Verdict(
        session_id=first.session_id,
        dimension=first.dimension,
        judge=panel.name,
        outcome=outcome,
        reason=reason,
        detail=_detail(heard, own, passes, fails, panel.quorum),
        rationale="\n".join(_vote_line(v) for v in votes),
        prompt_fingerprint=first.prompt_fingerprint,
        repeat=first.repeat,
        simulated=any(v.simulated for v in votes),
    )


def panel_verdicts(
    verdicts: Sequence[Verdict], *, panel: PanelSpec, agent_families: Mapping[str, str]
) -> tuple[Verdict, ...]:
    """The panel's verdicts on everything its members judged, in order of first appearance.

    Args:
        verdicts: The members' verdicts.
        panel: The panel.
        agent_families: session_id -> family of the agent under judgement, where known.

    Returns:
        One verdict per (session, dimension, repeat).
    """
    grouped: dict[tuple[str, str, int], list[Verdict]] = {}
    for verdict in verdicts:
        key = (verdict.session_id, verdict.dimension, verdict.repeat)
        grouped.setdefault(key, []).append(verdict)
    return tuple(
        majority(votes, panel=panel, agent_family=agent_families.get(session_id))
        for (session_id, _, _), votes in grouped.items()
    )


def _detail(
    heard: Sequence[Verdict], own: Sequence[Verdict], passes: int, fails: int, quorum: int
) -> str:
    size = len(heard) + len(own)
    parts = [f"{passes} Pass, {fails} Fail of {size} members (quorum {quorum})"]
    unusable = Counter(str(v.reason) for v in heard if v.reason)
    if unusable:
        parts.append("no vote: " + ", ".join(f"{n} {reason}" for reason, n in unusable.items()))
    if own:
        parts.append("left out as own family: " + ", ".join(v.judge for v in own))
    return "; ".join(parts)


def _vote_line(vote: Verdict) -> str:
    said = {"pass": "Pass", "fail": "Fail"}.get(vote.outcome, f"{vote.outcome} ({vote.reason})")
    why = " ".join(vote.rationale.split())
    return f"{vote.judge}: {said}" + (f" - {why}" if why else "")
