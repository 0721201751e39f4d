"""Pydantic AI, bare or through Logfire, instrumentation versions 2 to 6."""

from __future__ import annotations

from otel_loopwatch.dialects.base import Role
from otel_loopwatch.dialects.dialect import OPERATION, Dialect
from otel_loopwatch.spans import Span

MARKER = "logfire.msg"
_EARLY_NAMES = {"running tool": Role.TOOL, "agent run": Role.AGENT}


class PydanticAI(Dialect):
    """GenAI attributes; version 2 has names of its own for arguments and result."""

    name = "pydantic-ai"
    argument_keys = ("gen_ai.tool.call.arguments", "tool_arguments")
    result_keys = ("gen_ai.tool.call.result", "tool_response")
    content_keys = (
        "pydantic_ai.all_messages",
        "pydantic_ai.tool.retry.cause",
        "all_messages_events",
        "events",
        "final_result",
        "model_request_parameters",
        "request_data",
        "response_data",
    )
    agent_keys = ("gen_ai.agent.name", "agent_name")

    def role(self, span: Span) -> Role:
        """By operation; the first releases had none, only names."""
        return super().role(span) if OPERATION in span.attributes else _EARLY_NAMES.get(span.name, Role.OTHER)
