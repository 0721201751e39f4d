"""Spring AI: tool observations; its model requests are plain GenAI."""

from __future__ import annotations

from collections.abc import Mapping

from otel_loopwatch.dialects.base import Role
from otel_loopwatch.dialects.dialect import OPERATIONS, Dialect

KIND = "spring.ai.kind"


class SpringAI(Dialect):
    """``spring.ai.tool.*`` (arguments and results are off by default)."""

    name = "spring-ai"
    kind_key = KIND
    roles: Mapping[str, Role] = {
        **OPERATIONS,
        "tool_call": Role.TOOL,
        "mcp_server_tool_call": Role.TOOL,
        "chat_client": Role.AGENT,
    }
    tool_keys = ("spring.ai.tool.definition.name", "gen_ai.tool.name")
    argument_keys = ("spring.ai.tool.call.arguments", "gen_ai.tool.call.arguments")
    result_keys = ("spring.ai.tool.call.result", "gen_ai.tool.call.result")
    content_keys = ("spring.ai.chat.client.user.", "spring.ai.chat.client.system.")
