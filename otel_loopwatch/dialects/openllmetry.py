"""OpenLLMetry (Traceloop): LangChain, OpenAI Agents, CrewAI, MCP, and the model clients of older versions.

``gen_ai.tool.call.arguments`` of its LangChain instrumentation wraps the arguments in what differs on every call
(step, checkpoint, call id); ``envelopes`` takes the real ones out of ``inputs``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from otel_loopwatch.dialects import messages
from otel_loopwatch.dialects.base import Role
from otel_loopwatch.dialects.dialect import OPERATION, Dialect
from otel_loopwatch.dialects.values import text
from otel_loopwatch.spans import Span

KIND = "traceloop.span.kind"
REQUEST_TYPE = "llm.request.type"
TASK_STATUS = "gen_ai.task.status"
_OUTPUT = "traceloop.entity.output"
_TASK_TOOL = "tool.name"
"""LlamaIndex: the task that calls a tool has its name here."""
_AGNO_FAILURE = "status='failure' "
"""How a failed result of Agno is written; its span has the status OK."""
_PROPERTIES = "traceloop.association.properties."
_OLD_INPUT = re.compile(
    r"gen_ai\.prompt\.(?P<message>\d{1,6})\."
    r"(?:(?P<field>role|tool_call_id|content)|tool_calls\.(?P<call>\d{1,6})\.(?P<of_call>id|name|arguments))$"
)
_OLD_OUTPUT = re.compile(_OLD_INPUT.pattern.replace("prompt", "completion"))


class OpenLLMetry(Dialect):
    """``traceloop.*`` attributes around GenAI ones."""

    name = "openllmetry"
    kind_key = KIND
    roles: Mapping[str, Role] = {"tool": Role.TOOL, "agent": Role.AGENT, "handoff": Role.TOOL}
    tool_keys = ("gen_ai.tool.name", _TASK_TOOL, "traceloop.entity.name")
    argument_keys = ("gen_ai.tool.call.arguments", "tool.arguments", "traceloop.entity.input")
    result_keys = ("gen_ai.tool.call.result", _OUTPUT)
    agent_keys = ("gen_ai.agent.name", f"{_PROPERTIES}lc_agent_name", "traceloop.workflow.name")
    conversation_keys = (
        "gen_ai.conversation.id",
        f"{_PROPERTIES}session_id",
        f"{_PROPERTIES}thread_id",
        f"{_PROPERTIES}conversation_id",
        "session.id",
    )
    user_keys = (f"{_PROPERTIES}user_id", "user.id")
    content_keys = (
        "gen_ai.prompt.",
        "gen_ai.completion.",
        "gen_ai.task.input",
        "gen_ai.task.output",
        "llm.completions.",
        "mcp.request.argument",
        "mcp.response.value",
        "crewai.crew.agents",
        "crewai.crew.inputs",
        "crewai.crew.result",
        "crewai.crew.tasks",
        "crewai.crew.tasks_output",
        "crewai.agent.backstory",
        "crewai.agent.goal",
        "crewai.agent.result",
        "crewai.task.description",
        "crewai.task.expected_output",
        "crewai.task.result",
    )

    def role(self, span: Span) -> Role:
        """By Traceloop's kind: workflows and tasks carry ``invoke_agent`` too, once more around or inside the agent."""
        kind = span.attributes.get(KIND)
        if kind == "task":
            return _of_task(span)
        if kind is not None:
            return super().role(span)
        return Role.MODEL if span.attributes.get(REQUEST_TYPE) in ("chat", "completion") else Role.OTHER

    def tool(self, span: Span) -> str | None:
        if span.attributes.get(KIND) == "handoff":
            return f"handoff to {text(span.attributes, 'gen_ai.handoff.to_agent') or 'unknown'}"
        return super().tool(span)

    def failed(self, span: Span) -> bool:
        if span.attributes.get(KIND) == "handoff":
            return False
        said = span.attributes.get(TASK_STATUS) == "failure"
        return said or (text(span.attributes, _OUTPUT) or "").startswith(_AGNO_FAILURE) or super().failed(span)

    def input_messages(self, span: Span, limit: int) -> object:
        return super().input_messages(span, limit) or messages.flat(span.attributes, _OLD_INPUT)

    def output_messages(self, span: Span, limit: int) -> object:
        return super().output_messages(span, limit) or messages.flat(span.attributes, _OLD_OUTPUT)


def _of_task(span: Span) -> Role:
    """A task of LlamaIndex may be a tool's call, or a model's response."""
    if _TASK_TOOL in span.attributes:
        return Role.TOOL
    return Role.MODEL if span.attributes.get(OPERATION) == "chat" else Role.OTHER
