"""Where does a key come from? From the environment, by name, and to nowhere else."""

from __future__ import annotations

import os
from collections.abc import Mapping

from assay.errors import ConfigError
from assay.schema import MemberSpec, PanelSpec

MASK = "***"


class Key:
    """A secret that shows nothing of itself."""

    def __init__(self, value: str | None) -> None:
        self._value = value

    def __repr__(self) -> str:
        return "Key(none)" if self._value is None else f"Key({MASK})"

    def reveal(self) -> str | None:
        """The secret, for the request header alone."""
        return self._value

    def mask(self, text: str) -> str:
        """Text without the secret; some endpoints repeat the key in their messages."""
        if self._value and self._value in text:
            return text.replace(self._value, MASK)
        return text


def key_of(member: MemberSpec, *, environment: Mapping[str, str] | None = None) -> Key:
    """The key of a panel's member.

    Args:
        member: Names the environment variable, or none.
        environment: Where to look; the process's own when None.

    Returns:
        The key; an empty one when the member names no variable.

    Raises:
        ConfigError: If the variable is not set or holds what no header can carry.
    """
    name = member.api_key_env
    if name is None:
        return Key(None)
    value = (os.environ if environment is None else environment).get(name, "").strip()
    if not value:
        message = (
            f"panel: member {member.name}: the environment variable {name} is not set; export "
            "the key under that name, or, if the endpoint needs none, set "
            "panel.members.0.api_key_env=null (0 is the first member)."
        )
        raise ConfigError(message)
    if not (value.isascii() and value.isprintable()) or " " in value:
        message = (
            f"panel: member {member.name}: the value of {name} holds a space or a character that "
            "no key has; copy the key again."
        )
        raise ConfigError(message)
    return Key(value)


def require_keys(panel: PanelSpec) -> None:
    """See that the key of every member is there, before anything is started.

    Raises:
        ConfigError: Naming the first member whose variable is not set or unusable.
    """
    for member in panel.members:
        key_of(member)
