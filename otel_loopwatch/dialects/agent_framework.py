"""Microsoft Agent Framework."""

from __future__ import annotations

from otel_loopwatch.dialects.dialect import Dialect
from otel_loopwatch.spans import Span

MARKER = "agent_framework.function.invocation.duration"
_NO_ARGUMENTS = "None"
_NO_ID = "unknown"


class AgentFramework(Dialect):
    """GenAI attributes, with ``str(None)`` for a call without arguments and ``unknown`` for a missing id."""

    name = "agent-framework"

    def arguments(self, span: Span, limit: int) -> object:
        captured = super().arguments(span, limit)
        return {} if captured == _NO_ARGUMENTS else captured

    def call_id(self, span: Span) -> str | None:
        found = super().call_id(span)
        return None if found == _NO_ID else found
