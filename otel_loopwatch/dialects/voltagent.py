"""VoltAgent: a child span says its own type, a root span only its entity's."""

from __future__ import annotations

from collections.abc import Mapping

from otel_loopwatch.dialects.base import Role
from otel_loopwatch.dialects.dialect import Dialect
from otel_loopwatch.spans import Span

MARKERS = ("voltagent.operation_id", "voltagent.conversation_id")
_ENTITY = "entity.type"


class VoltAgent(Dialect):
    """``span.type``, ``input`` and ``output``."""

    name = "voltagent"
    kind_key = "span.type"
    roles: Mapping[str, Role] = {"tool": Role.TOOL, "llm": Role.MODEL, "agent": Role.AGENT}
    tool_keys = ("tool.name", "gen_ai.tool.name")
    call_id_keys = ("tool.call.id", "gen_ai.tool.call.id")
    argument_keys = ("input",)
    result_keys = ("output",)
    agent_keys = ("entity.name", "agent.name")
    conversation_keys = ("voltagent.conversation_id", "conversation.id")
    content_keys = ("agent.messages", "llm.messages")
    input_token_keys = ("usage.prompt_tokens", "llm.usage.prompt_tokens")
    output_token_keys = ("usage.completion_tokens", "llm.usage.completion_tokens")

    def role(self, span: Span) -> Role:
        if self.kind_key in span.attributes:
            return super().role(span)
        entity = span.attributes.get(_ENTITY)
        return Role.AGENT if entity == "agent" else Role.OTHER
