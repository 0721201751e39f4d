"""Haystack's own tracing."""

from __future__ import annotations

from otel_loopwatch.dialects.base import Role
from otel_loopwatch.dialects.dialect import Dialect
from otel_loopwatch.spans import Span

MARKER = "haystack.tool.name"
_ROLES = {
    "haystack.agent.step.tool": Role.TOOL,
    "haystack.agent.step.llm": Role.MODEL,
    "haystack.agent.run": Role.AGENT,
}
NAMES = tuple(_ROLES)


class Haystack(Dialect):
    """``haystack.*`` spans; a failed tool leaves the status unset and says ``haystack.tool.error``."""

    name = "haystack"
    tool_keys = (MARKER,)
    call_id_keys = ()
    argument_keys = ("haystack.agent.step.tool.input",)
    result_keys = ("haystack.agent.step.tool.output",)
    content_keys = (
        "haystack.agent.step.llm.input",
        "haystack.agent.step.llm.output",
        "haystack.agent.input",
        "haystack.agent.output",
        "haystack.component.input",
        "haystack.component.output",
        "haystack.pipeline.input_data",
        "haystack.pipeline.output_data",
    )

    def role(self, span: Span) -> Role:
        return _ROLES.get(span.name, Role.OTHER)

    def failed(self, span: Span) -> bool:
        return super().failed(span) or span.attributes.get("haystack.tool.error") is True
