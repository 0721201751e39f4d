"""OpenInference: LangChain, OpenAI Agents, LlamaIndex, smolagents, CrewAI, AutoGen, Agno, DSPy, and model clients.

Written against openinference-semantic-conventions. ``input.value`` is read before any ``gen_ai.*`` it may write beside
it: there ``gen_ai.tool.call.arguments`` is the tool's parameter schema for some frameworks, the same for every call.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from otel_loopwatch.dialects import messages
from otel_loopwatch.dialects.base import Role
from otel_loopwatch.dialects.dialect import Dialect
from otel_loopwatch.dialects.values import decode, text
from otel_loopwatch.spans import Span

KIND = "openinference.span.kind"
HANDOFF = "handoff to "
_NAME_ENDINGS = (".__call__", ".run")
"""DSPy and CrewAI name a tool's span ``{tool}{ending}``, smolagents an agent's."""
_EVENTS = {"start", "success", "error", "retry", "finish"}
MAX_METADATA_CHARS = 16_384


def _messages_of(side: str) -> re.Pattern[str]:
    return re.compile(
        rf"llm\.{side}_messages\.(?P<message>\d{{1,6}})\.message\."
        r"(?:(?P<field>role|tool_call_id|content)"
        r"|tool_calls\.(?P<call>\d{1,6})\.tool_call\.(?:function\.)?(?P<of_call>id|name|arguments))$"
    )


_INPUT, _OUTPUT = _messages_of("input"), _messages_of("output")


class OpenInference(Dialect):
    """``openinference.span.kind`` and flat attributes."""

    name = "openinference"
    kind_key = KIND
    roles: Mapping[str, Role] = {"TOOL": Role.TOOL, "LLM": Role.MODEL, "AGENT": Role.AGENT}
    tool_keys = ("tool.name",)
    call_id_keys = ("tool_call.id", "tool.id")
    argument_keys = ("input.value",)
    result_keys = ("output.value",)
    agent_keys = ("agent.name", "tool.agent_role", "graph.node.id")
    conversation_keys = ("session.id", "gen_ai.conversation.id")
    content_keys = (
        "llm.input_messages.",
        "llm.output_messages.",
        "llm.prompts",
        "llm.prompts.",
        "llm.choices.",
        "llm.function_call",
        "llm.prompt_template.",
        "llm.invocation_parameters",
        "tool.parameters",
        "retrieval.documents.",
        "reranker.",
        "embedding.",
        "crew_agents",
        "crew_inputs",
        "crew_tasks",
    )
    input_token_keys = ("llm.token_count.prompt",)
    output_token_keys = ("llm.token_count.completion",)

    def role(self, span: Span) -> Role:
        return Role.OTHER if _is_event_of_a_call(span) else super().role(span)

    def tool(self, span: Span) -> str | None:
        return text(span.attributes, *self.tool_keys) or _bare_name(span) or None

    def arguments(self, span: Span, limit: int) -> object:
        """``input.value``; without it ``tool.parameters``, which Agno and AutoGen fill with the arguments."""
        captured = super().arguments(span, limit)
        if captured is not None:
            return captured
        parameters = span.attributes.get("tool.parameters")
        return None if _is_schema(decode(parameters, limit)) else parameters

    def failed(self, span: Span) -> bool:
        return super().failed(span) and not span.name.startswith(HANDOFF)

    def agent_name(self, span: Span) -> str | None:
        return super().agent_name(span) or text(_metadata(span), "lc_agent_name") or _agent_by_name(span)

    def conversation(self, span: Span) -> str | None:
        return super().conversation(span) or text(_metadata(span), "thread_id")

    def input_messages(self, span: Span, limit: int) -> object:
        return messages.flat(span.attributes, _INPUT)

    def output_messages(self, span: Span, limit: int) -> object:
        return messages.flat(span.attributes, _OUTPUT)


def _metadata(span: Span) -> Mapping[str, Any]:
    """LangChain's run configuration: the only place with the agent's name on a tool span."""
    found = decode(span.attributes.get("metadata"), MAX_METADATA_CHARS)
    return found if isinstance(found, Mapping) else {}


def _is_event_of_a_call(span: Span) -> bool:
    """Whether this is one of the spans into which BeeAI puts the events of a call: the call is told by another."""
    if span.name in _EVENTS and "metadata.path" in span.attributes:
        return True
    return "target" in span.attributes and span.attributes.get("name") in ("start", "finish")


def _agent_by_name(span: Span) -> str | None:
    return _bare_name(span) or None if span.attributes.get(KIND) == "AGENT" else None


def _bare_name(span: Span) -> str:
    """The span's name without the method that was called."""
    for ending in _NAME_ENDINGS:
        if span.name.endswith(ending):
            return span.name[: -len(ending)]
    return span.name


def _is_schema(parameters: object) -> bool:
    """Whether ``tool.parameters`` describes arguments (JSON Schema, or smolagents' ``{name: {type, ..}}``)."""
    if not isinstance(parameters, Mapping) or "properties" in parameters:
        return True
    return bool(parameters) and all(isinstance(item, Mapping) and "type" in item for item in parameters.values())
