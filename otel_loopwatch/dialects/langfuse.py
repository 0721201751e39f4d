"""Langfuse SDK (``@observe``)."""

from __future__ import annotations

from collections.abc import Mapping

from otel_loopwatch.dialects.base import Role
from otel_loopwatch.dialects.named_by_span import NamedBySpan
from otel_loopwatch.dialects.values import decode, integer
from otel_loopwatch.spans import Span

TYPE = "langfuse.observation.type"
MAX_USAGE_CHARS = 4096


class Langfuse(NamedBySpan):
    """``langfuse.observation.*``."""

    name = "langfuse"
    kind_key = TYPE
    roles: Mapping[str, Role] = {"tool": Role.TOOL, "generation": Role.MODEL, "agent": Role.AGENT}
    argument_keys = ("langfuse.observation.input",)
    result_keys = ("langfuse.observation.output",)
    conversation_keys = ("session.id", "langfuse.session.id")
    user_keys = ("user.id", "langfuse.user.id")
    content_keys = ("langfuse.observation.status_message", "langfuse.trace.input", "langfuse.trace.output")

    def failed(self, span: Span) -> bool:
        return super().failed(span) or span.attributes.get("langfuse.observation.level") == "ERROR"

    def tokens(self, span: Span) -> int:
        usage = decode(span.attributes.get("langfuse.observation.usage_details"), MAX_USAGE_CHARS)
        if not isinstance(usage, Mapping):
            return super().tokens(span)
        return (integer(usage, "input", "prompt_tokens") or 0) + (integer(usage, "output", "completion_tokens") or 0)
