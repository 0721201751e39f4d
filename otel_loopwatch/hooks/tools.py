"""The tools whose hooks can be used."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

LIMIT_S = 3
"""After how long the tool itself gives up on a hook; Codex allows no more at the end of a session."""


class Tool(NamedTuple):
    """A coding agent."""

    name: str
    events: tuple[str, ...]
    """The events it has of those that matter here."""
    can_end: bool
    """Whether a hook that forbids a call can end the session with it."""

    def settings(self, command: str) -> str:
        """What to merge into its settings, as JSON, so that a command hears of them."""
        hook = {"type": "command", "command": command, "timeout": LIMIT_S}
        return json.dumps({"hooks": {event: [{"hooks": [hook]}] for event in self.events}}, indent=2)


_BOTH = ("PreToolUse", "PostToolUse", "SubagentStop", "SessionEnd")
TOOLS: Sequence[Tool] = (
    Tool("claude-code", (*_BOTH, "PostToolUseFailure"), can_end=True),
    Tool("codex", _BOTH, can_end=False),
)
"""Claude Code reads ``~/.claude/settings.json``, Codex ``~/.codex/hooks.json``: the same shape."""
