"""Pydantic AI, bare or through Logfire, instrumentation versions 2 to 6."""

from __future__ import annotations

from otel_loopwatch.dialects.dialect import Dialect

MARKER = "logfire.msg"


class PydanticAI(Dialect):
    """GenAI attributes; version 2 has names of its own for arguments and result."""

    name = "pydantic-ai"
    argument_keys = ("gen_ai.tool.call.arguments", "tool_arguments")
    result_keys = ("gen_ai.tool.call.result", "tool_response")
    agent_keys = ("gen_ai.agent.name", "agent_name")
