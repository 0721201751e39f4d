"""The Model Context Protocol: spans of clients and servers (FastMCP, the Python SDK). They hold no content."""

from __future__ import annotations

from otel_loopwatch.dialects.base import Role
from otel_loopwatch.dialects.dialect import Dialect
from otel_loopwatch.spans import Span

METHOD = "mcp.method.name"
CALL = "tools/call"


class MCP(Dialect):
    """``mcp.method.name`` is ``tools/call``; the span's name ends in ``tools/call {tool}``."""

    name = "mcp"
    conversation_keys = ("gen_ai.conversation.id", "session.id")
    call_id_keys = ("gen_ai.tool.call.id",)

    def role(self, span: Span) -> Role:
        return Role.TOOL if span.attributes.get(METHOD) == CALL else Role.OTHER

    def tool(self, span: Span) -> str | None:
        return super().tool(span) or span.name.partition(f"{CALL} ")[2] or None
