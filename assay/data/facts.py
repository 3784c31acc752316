"""What a file says about sessions beside their labels: agent, family, task.

The same session may stand in many rows; all of them must say the same.
"""

from __future__ import annotations


class Facts:
    """Agent and task of each session, and family of each agent."""

    def __init__(self) -> None:
        self.agents: dict[str, str] = {}
        self.families: dict[str, str] = {}
        self.groups: dict[str, str] = {}

    def note(
        self, session_id: str, *, agent: str | None, family: str | None, task: str | None
    ) -> list[str]:
        """Take in one row.

        Returns:
            One sentence for each contradiction to an earlier row.
        """
        problems: list[str] = []
        if agent is not None:
            _set(self.agents, session_id, agent, "agent", problems)
            if family is not None:
                _set(self.families, agent, family, "family", problems)
        if task is not None:
            _set(self.groups, session_id, task, "task", problems)
        return problems


def _set(known: dict[str, str], key: str, value: str, word: str, problems: list[str]) -> None:
    before = known.setdefault(key, value)
    if before != value:
        problems.append(f"{key!r} has {word} {value!r} here but {before!r} above; keep one.")
