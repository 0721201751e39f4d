"""Tracers whose spans are named after the function they wrap, and have no attribute for a tool's or an agent's name."""

from __future__ import annotations

from otel_loopwatch.dialects.base import Role
from otel_loopwatch.dialects.dialect import Dialect
from otel_loopwatch.dialects.values import text
from otel_loopwatch.spans import Span


class NamedBySpan(Dialect):
    """Tool and agent are named by their spans; calls have no ids."""

    tool_keys: tuple[str, ...] = ()
    call_id_keys: tuple[str, ...] = ()

    def tool(self, span: Span) -> str | None:
        return text(span.attributes, *self.tool_keys) or span.name or None

    def agent_name(self, span: Span) -> str | None:
        found = super().agent_name(span)
        return span.name if found is None and self.role(span) is Role.AGENT else found
