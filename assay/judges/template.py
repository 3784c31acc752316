"""How does a prompt file become messages, when everything put into it is untrusted text?

Only `{{ name }}` with a declared name is replaced, in one pass. What is put in is
never scanned again, so a session that contains `{{ question }}` keeps it; every
other brace and every `${...}` is plain text.

A file has two parts, each under a heading on a line of its own: `# system` and
`# user`. The system part may be missing.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass

from assay.errors import ConfigError

PLACEHOLDERS = (
    "question", "pass_when", "fail_when", "dimension",
    "anchors", "session", "extra_instruction", "reply_format",
)  # fmt: skip
REQUIRED = ("session", "question")
"""Without these a judge is asked nothing, or about nothing."""

_PLACEHOLDER = re.compile(r"\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*\}\}")
_HEADING = re.compile(r"^# (system|user)[ \t]*\n", re.MULTILINE)

Message = dict[str, str]
"""One chat message: `role` and `content`."""


@dataclass(frozen=True)
class PromptTemplate:
    """The two parts of a prompt file, with placeholders."""

    system: str
    user: str

    @property
    def used(self) -> frozenset[str]:
        """Names of the placeholders that occur."""
        return frozenset(_PLACEHOLDER.findall(self.system + self.user))

    def fill(self, values: Mapping[str, str]) -> tuple[Message, ...]:
        """Messages for a chat endpoint.

        Args:
            values: A text for each placeholder that the file uses.

        Returns:
            A system and a user message; a part without text is left out.
        """
        parts = (("system", self.system), ("user", self.user))
        return tuple(
            {"role": role, "content": _PLACEHOLDER.sub(lambda m: values[m[1]], text)}
            for role, text in parts
            if text
        )


def parse_template(text: str, *, source: str) -> PromptTemplate:
    """Read the text of a prompt file.

    Args:
        text: The file's content, taken as it is.
        source: File name for messages.

    Returns:
        The template.

    Raises:
        ConfigError: If a part or a required placeholder is missing or a
            placeholder is not declared.
    """
    before, *pieces = _HEADING.split(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    names, bodies = pieces[::2], [body.strip() for body in pieces[1::2]]
    if before.strip():
        message = f"{source}: text before the first heading belongs to no part; move it below one."
        raise ConfigError(message)
    if len(set(names)) != len(names):
        message = f"{source}: a heading '# system' or '# user' stands twice; keep one of each."
        raise ConfigError(message)
    parts = dict(zip(names, bodies, strict=True))
    if not parts.get("user"):
        message = f"{source}: no part '# user'; start it with that heading on a line of its own."
        raise ConfigError(message)
    template = PromptTemplate(parts.get("system", ""), parts["user"])
    for name in sorted(template.used.difference(PLACEHOLDERS)):
        close = difflib.get_close_matches(name.casefold(), PLACEHOLDERS, n=1)
        hint = f"did you mean {{{{ {close[0]} }}}}?" if close else ""
        known = hint or f"known are {', '.join(PLACEHOLDERS)}."
        message = f"{source}: unknown placeholder {{{{ {name} }}}}; {known}"
        raise ConfigError(message)
    for name in REQUIRED:
        if name not in template.used:
            message = f"{source}: the placeholder {{{{ {name} }}}} is missing; a judge needs it."
            raise ConfigError(message)
    return template
