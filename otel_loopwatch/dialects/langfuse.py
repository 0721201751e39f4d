"""Langfuse SDK (``@observe``)."""

from __future__ import annotations

from collections.abc import Mapping

from otel_loopwatch.dialects.base import AgentInfo, Role
from otel_loopwatch.dialects.dialect import Dialect
from otel_loopwatch.dialects.values import decode, integer
from otel_loopwatch.spans import Span

TYPE = "langfuse.observation.type"
_ROLES: dict[object, Role] = {"tool": Role.TOOL, "generation": Role.MODEL, "agent": Role.AGENT}
MAX_USAGE_CHARS = 4096


class Langfuse(Dialect):
    """``langfuse.observation.*``; tool and agent are named by their spans."""

    name = "langfuse"
    tool_keys = ()
    call_id_keys = ()
    argument_keys = ("langfuse.observation.input",)
    result_keys = ("langfuse.observation.output",)
    conversation_keys = ("session.id", "langfuse.session.id")
    user_keys = ("user.id", "langfuse.user.id")

    def role(self, span: Span) -> Role:
        kind = span.attributes.get(TYPE)
        return _ROLES.get(kind, Role.OTHER) if isinstance(kind, str) else Role.OTHER

    def tool(self, span: Span) -> str | None:
        return span.name or None

    def failed(self, span: Span) -> bool:
        return super().failed(span) or span.attributes.get("langfuse.observation.level") == "ERROR"

    def agent(self, span: Span) -> AgentInfo:
        found = super().agent(span)
        if found.name is not None or self.role(span) is not Role.AGENT:
            return found
        return AgentInfo(name=span.name, conversation=found.conversation, user=found.user)

    def tokens(self, span: Span) -> int:
        usage = decode(span.attributes.get("langfuse.observation.usage_details"), MAX_USAGE_CHARS)
        if not isinstance(usage, Mapping):
            return super().tokens(span)
        return (integer(usage, "input", "prompt_tokens") or 0) + (integer(usage, "output", "completion_tokens") or 0)
