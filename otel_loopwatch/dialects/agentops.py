"""AgentOps SDK."""

from __future__ import annotations

from collections.abc import Mapping

from otel_loopwatch.dialects.base import Role
from otel_loopwatch.dialects.dialect import Dialect
from otel_loopwatch.spans import Span

KIND = "agentops.span.kind"
_ENDING = ".tool"


class AgentOps(Dialect):
    """``agentops.*`` and ``tool.*``."""

    name = "agentops"
    kind_key = KIND
    roles: Mapping[str, Role] = {"tool": Role.TOOL, "llm": Role.MODEL, "agent": Role.AGENT}
    tool_keys = ("tool.name", "gen_ai.tool.name", "operation.name")
    argument_keys = ("tool.parameters", "agentops.entity.input")
    result_keys = ("tool.result", "agentops.entity.output")
    agent_keys = ("agent.name", "gen_ai.agent.name")

    def tool(self, span: Span) -> str | None:
        return super().tool(span) or span.name.removesuffix(_ENDING) or None
