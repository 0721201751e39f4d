"""The Anthropic SDK's own spans (its tool runner)."""

from __future__ import annotations

from otel_loopwatch.dialects.base import Role
from otel_loopwatch.dialects.dialect import Dialect
from otel_loopwatch.spans import Span

MARKER = "anthropic.tool_result.content"
TOOL_SPAN = "anthropic.custom_tool_use"


class Anthropic(Dialect):
    """GenAI attributes, but results in an attribute of its own."""

    name = "anthropic"
    result_keys = (MARKER, "gen_ai.tool.call.result")

    def role(self, span: Span) -> Role:
        return Role.TOOL if span.name.startswith(TOOL_SPAN) else super().role(span)

    def tool(self, span: Span) -> str | None:
        return super().tool(span) or span.name.partition(f"{TOOL_SPAN} ")[2] or None
