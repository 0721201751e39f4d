"""Google's Agent Development Kit, telemetry schemas 1 and 2."""

from __future__ import annotations

from otel_loopwatch.dialects.base import Role
from otel_loopwatch.dialects.dialect import Dialect
from otel_loopwatch.spans import Span

MARKERS = ("gcp.vertex.agent.tool_call_args", "gcp.vertex.agent.event_id")
MERGED = "(merged tools)"
"""Tool of the span that sums up the calls of one response, after a span for each of them."""


class GoogleADK(Dialect):
    """GenAI attributes (schema 2) or ``gcp.vertex.agent.*`` (schema 1); results are objects, if need be wrapped."""

    name = "google-adk"
    argument_keys = ("gen_ai.tool.call.arguments", "gcp.vertex.agent.tool_call_args")
    result_keys = ("gen_ai.tool.call.result", "gcp.vertex.agent.tool_response")
    content_keys = ("gcp.vertex.agent.llm_request", "gcp.vertex.agent.llm_response", "gcp.vertex.agent.data")
    conversation_keys = ("gen_ai.conversation.id", "gcp.vertex.agent.session_id")

    def role(self, span: Span) -> Role:
        return Role.OTHER if span.attributes.get("gen_ai.tool.name") == MERGED else super().role(span)
