"""How good are these judges, beside people's labels, and can it be trusted?

From labels and verdicts to one report: counts, rates, gates and warnings per
judge, dimension and agent. It sees the labels that it is given and no others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from assay.errors import AlignmentError, InputError
from assay.protocol.agreement import agreement_among
from assay.protocol.alignment import align
from assay.protocol.judge_report import Role, report_on_judge
from assay.protocol.own_family import flag_own_family
from assay.protocol.pairs import measure_pairs
from assay.protocol.verdict_sentence import overall_verdict
from assay.schema import (
    LabelSet,
    LabelSummary,
    PairVerdict,
    PolicySpec,
    ValidationReport,
    Verdict,
)


def measure(
    labels: LabelSet,
    verdicts: Sequence[Verdict],
    *,
    kind: Literal["dev", "validate"],
    policy: PolicySpec,
    headline: str | None = None,
    roles: Mapping[str, Role] | None = None,
    families: Mapping[str, str] | None = None,
    weights: Mapping[str, float] | None = None,
    split_digest: str | None = None,
    prompt_fingerprint: str | None = None,
    pair_verdicts: Sequence[PairVerdict] = (),
) -> ValidationReport:
    """Measure judges against labels.

    Args:
        labels: One label per (session, dimension); Pass is the positive class.
        verdicts: Verdicts of any number of judges; of repeats the lowest counts.
        kind: Which stage asks.
        policy: Bars, confidence level and least coverage.
        headline: Judge that the headline figures are about. None takes the panel, or the
            only judge, or the first by name with a warning.
        roles: judge -> role; judges not named are plain judges.
        families: agent -> model family; completed from the labels' own.
        weights: dimension -> weight in the balanced accuracy. Unless all dimensions
            have one, all count alike. Its order is the report's order of dimensions.
        split_digest: Digest of the dev part's ids.
        prompt_fingerprint: Digest of the prompt.
        pair_verdicts: Verdicts on pairs in both orders.

    Returns:
        The report; the order of labels and verdicts plays no part.

    Raises:
        AlignmentError: If labels and verdicts do not meet, or an item is judged twice.
        InputError: If the headline judge has no verdict.
    """
    roles, families, weights = roles or {}, families or {}, weights or {}
    known = set(labels.dimensions)
    dimensions = [d for d in weights if d in known]
    dimensions += sorted(known - set(dimensions))
    counts = align(labels, verdicts, dimensions=dimensions)
    top, warnings = _headline(counts.judges, headline, roles)
    shares, note = _weights(dimensions, weights)
    warnings += note
    if counts.n_repeats:
        warnings.append(f"{counts.n_repeats} verdicts of repeats after the first are not counted.")
    simulated = {v.judge for v in verdicts if v.simulated}
    judge_families = _judge_families(verdicts)
    reports = {
        judge: report_on_judge(
            judge,
            counts,
            policy=policy,
            weights=shares,
            role=roles.get(judge, "judge"),
            family=judge_families.get(judge),
            simulated=judge in simulated,
        )
        for judge in counts.judges
    }
    flags = flag_own_family(
        counts,
        judge_families=judge_families,
        agent_families={**labels.families, **families},
    )
    pairwise, pair_warnings = measure_pairs(pair_verdicts, policy=policy)
    return ValidationReport(
        kind=kind,
        simulated=bool(simulated) or any(p.simulated for p in pair_verdicts),
        headline_judge=top,
        judges=tuple(reports[j] for j in _in_order(counts.judges, top, roles)),
        pairwise=pairwise,
        self_enhancement=flags,
        overall_verdict=overall_verdict(
            reports[top], flags, policy=policy, simulated=bool(simulated)
        ),
        warnings=(*warnings, *pair_warnings),
        labels=_summary(labels),
        target=policy.target,
        minimum=policy.minimum,
        level=policy.level,
        split_digest=split_digest,
        prompt_fingerprint=prompt_fingerprint,
    )


def _headline(
    judges: Sequence[str], wanted: str | None, roles: Mapping[str, Role]
) -> tuple[str, list[str]]:
    if wanted is not None:
        if wanted not in judges:
            message = (
                f"measure: no verdict by the headline judge {wanted!r}; "
                f"there are: {', '.join(judges)}."
            )
            raise InputError(message)
        return wanted, []
    panels = [j for j in judges if roles.get(j) == "panel"]
    if len(judges) == 1 or len(panels) == 1:
        return (panels or list(judges))[0], []
    top = (panels or list(judges))[0]
    return top, [f"no headline judge was named: the overall figures are {top}'s, first by name."]


def _in_order(judges: Sequence[str], top: str, roles: Mapping[str, Role]) -> list[str]:
    return sorted(judges, key=lambda j: (j != top, roles.get(j) != "panel", j))


def _weights(
    dimensions: Sequence[str], weights: Mapping[str, float]
) -> tuple[dict[str, float], list[str]]:
    missing = [d for d in dimensions if d not in weights]
    note: list[str] = []
    if missing and len(missing) < len(dimensions):
        note.append(f"no weight for {', '.join(missing)}: all dimensions count alike.")
    total = sum(weights[d] for d in dimensions) if not missing else 0.0
    if total <= 0:
        return {d: 1 / len(dimensions) for d in dimensions}, note
    return {d: weights[d] / total for d in dimensions}, note


def _judge_families(verdicts: Sequence[Verdict]) -> dict[str, str]:
    found: dict[str, set[str]] = {}
    for verdict in verdicts:
        if verdict.family is not None:
            found.setdefault(verdict.judge, set()).add(verdict.family)
    for judge, families in sorted(found.items()):
        if len(families) > 1:
            message = (
                f"verdicts: judge {judge} is given several families: "
                f"{', '.join(sorted(families))}; use one, or name the judges apart."
            )
            raise AlignmentError(message)
    return {judge: min(families) for judge, families in found.items()}


def _summary(labels: LabelSet) -> LabelSummary:
    people = agreement_among(labels)
    return LabelSummary(
        n_sessions=len({x.session_id for x in labels.labels}),
        n_labels=len(labels.labels),
        n_unlabelled=labels.unlabelled,
        n_undecided=labels.undecided,
        aggregation=labels.aggregation,
        digest=labels.digest,
        synthetic=labels.synthetic,
        annotator_agreement=people.kappa,
        n_doubly_labelled=people.n_items,
    )
