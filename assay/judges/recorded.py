"""Verdicts from a file in the form that judging gives, with nothing to call."""

from __future__ import annotations

from collections.abc import Mapping

from assay.errors import InputError
from assay.judges.judged import Judged
from assay.judges.panel import panel_verdicts
from assay.schema import PanelSpec, VerdictSet


def judged_from_record(
    recorded: VerdictSet,
    *,
    panel: PanelSpec,
    agent_families: Mapping[str, str] | None = None,
) -> Judged:
    """The result of a panel of kind `recorded`.

    Args:
        recorded: Verdicts of one or several judges, as loaded.
        panel: Its name, quorum and rule about own families.
        agent_families: session_id -> family of the agent under judgement, where known.

    Returns:
        The recorded verdicts and, for more than one judge, the panel's majority.

    Raises:
        InputError: If there are no verdicts, or a judge bears the panel's name.
    """
    where = recorded.source or "verdicts"
    if not recorded.verdicts:
        message = f"{where}: no verdicts; name a file that holds some in panel.verdicts."
        raise InputError(message)
    if len(recorded.judges) == 1:
        return Judged(recorded.verdicts, prompt_fingerprint=None)
    if panel.name in recorded.judges:
        message = f"{where}: a judge is named {panel.name!r} like the panel; set panel.name=..."
        raise InputError(message)
    votes = panel_verdicts(recorded.verdicts, panel=panel, agent_families=agent_families or {})
    return Judged((*recorded.verdicts, *votes), prompt_fingerprint=None)
