"""Which of a run's settings can change its numbers? Those, and no others, are parameters.

No times, paths, hosts or random ids: the same configuration twice gives the same
parameters, so that the UI's "only the differences" view shows what was changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_DIGITS = 12
"""Of a digest: enough to tell versions apart by eye."""


def decision_values(
    config: Mapping[str, Any],
    *,
    prompt_fingerprint: str | None = None,
    split_digest: str | None = None,
    labels_digest: str | None = None,
    verdicts_digest: str | None = None,
    judge: str | None = None,
) -> dict[str, object]:
    """The values that `params_of` turns into parameters, the most telling first.

    Args:
        config: The composed configuration as plain containers (`model_dump()`).
        prompt_fingerprint: Digest of everything that can change a reply.
        split_digest: Digest of the dev part's ids.
        labels_digest: `LabelSet.digest`.
        verdicts_digest: `VerdictSet.digest`, for recorded verdicts.
        judge: Name of a recorded judge: no prompt, panel or split played a part then.

    Returns:
        At most 30 values; None where something was not set.
    """
    found: dict[str, object] = {}
    if judge is not None:
        found["judge"] = judge
    else:
        found.update(_judge(config.get("judge") or {}, prompt_fingerprint))
        found.update(_panel(config.get("panel") or {}))
    found["verdicts"] = _short(verdicts_digest)
    data = config.get("data") or {}
    if judge is None:
        found.update({"data": data.get("name"), "criteria": data.get("criteria")})
    found["labels"] = _short(labels_digest)
    if judge is None:
        found.update(_split(config.get("split") or {}, split_digest))
    policy = config.get("policy") or {}
    for key in ("target", "minimum", "concordance", "level", "min_coverage"):
        found[key] = policy.get(key)
    return found


def _judge(judge: Mapping[str, Any], fingerprint: str | None) -> dict[str, object]:
    shots = judge.get("few_shot") or {}
    k = shots.get("per_class", 0)
    return {
        "judge": judge.get("name"),
        "prompt": judge.get("prompt"),
        "prompt_hash": _short(fingerprint),
        "reply": judge.get("reply"),
        "few_shot_k": k,
        "few_shot_seed": shots.get("seed") if k else None,
        "extra_instruction": judge.get("extra_instruction") or None,
        "temperature": _sent(judge, "temperature"),
        "max_tokens": judge.get("max_tokens"),
        "seed": _sent(judge, "seed"),
    }


def _panel(panel: Mapping[str, Any]) -> dict[str, object]:
    members = panel.get("members") or ()
    simulation = (panel.get("simulation") or {}) if panel.get("kind") == "simulated" else {}
    return {
        "panel": panel.get("name"),
        "panel_kind": panel.get("kind"),
        # Who and which model; an address or the name of a key decides nothing.
        "members": ", ".join(f"{m['name']}={m['model']}" for m in members) or None,
        "quorum": panel.get("quorum") if members else None,
        "exclude_own_family": panel.get("exclude_own_family") if members else None,
        "simulation_seed": simulation.get("seed"),
        "simulation_errors": simulation.get("error_rate"),
    }


def _split(split: Mapping[str, Any], split_digest: str | None) -> dict[str, object]:
    parts = [split.get(part) for part in ("train", "dev", "test")]
    return {
        "split": _short(split_digest),
        "split_parts": "/".join(f"{p:g}" for p in parts) if all(parts) else None,
        "split_seed": split.get("seed"),
    }


def _sent(judge: Mapping[str, Any], key: str) -> object:
    """A sampling setting; null in the configuration means that none is sent."""
    if key not in judge:
        return None
    return "not sent" if judge[key] is None else judge[key]


def _short(text: str | None) -> str | None:
    return text[:_DIGITS] if text else None
