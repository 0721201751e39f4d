"""LangWatch SDK; it also adds its type to spans of others, which are read by their own marker."""

from __future__ import annotations

from collections.abc import Mapping

from otel_loopwatch.dialects.base import Role
from otel_loopwatch.dialects.named_by_span import NamedBySpan

TYPE = "langwatch.span.type"


class LangWatch(NamedBySpan):
    """``langwatch.*``."""

    name = "langwatch"
    kind_key = TYPE
    roles: Mapping[str, Role] = {"tool": Role.TOOL, "llm": Role.MODEL, "agent": Role.AGENT}
    tool_keys = ("gen_ai.tool.name",)
    argument_keys = ("langwatch.input", "langwatch.input.value")
    result_keys = ("langwatch.output", "langwatch.output.value")
    conversation_keys = ("langwatch.thread.id", "gen_ai.conversation.id")
    user_keys = ("langwatch.user.id",)
