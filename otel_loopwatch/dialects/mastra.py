"""Mastra: its span types beside GenAI attributes; older versions have only the former."""

from __future__ import annotations

from collections.abc import Mapping

from otel_loopwatch.dialects.base import Role
from otel_loopwatch.dialects.dialect import Dialect

TYPE = "mastra.span.type"


class Mastra(Dialect):
    """``mastra.span.type``."""

    name = "mastra"
    kind_key = TYPE
    roles: Mapping[str, Role] = {
        "tool_call": Role.TOOL,
        "mcp_tool_call": Role.TOOL,
        "agent_run": Role.AGENT,
        "model_generation": Role.MODEL,
    }
    tool_keys = ("gen_ai.tool.name", "mastra.span.entityName", "mastra.span.entityId")
    argument_keys = ("gen_ai.tool.call.arguments", "mastra.tool_call.input", "mastra.mcp_tool_call.input")
    result_keys = ("gen_ai.tool.call.result", "mastra.tool_call.output", "mastra.mcp_tool_call.output")
    content_keys = ("mastra.agent_run.", "mastra.model_generation.", "mastra.model_step.", "mastra.workflow_run.")
