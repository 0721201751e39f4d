"""Google's Agent Development Kit, telemetry schemas 1 and 2."""

from __future__ import annotations

from otel_loopwatch.dialects.dialect import Dialect

MARKERS = ("gcp.vertex.agent.tool_call_args", "gcp.vertex.agent.event_id")


class GoogleADK(Dialect):
    """GenAI attributes (schema 2) or ``gcp.vertex.agent.*`` (schema 1); results are objects, if need be wrapped."""

    name = "google-adk"
    argument_keys = ("gen_ai.tool.call.arguments", "gcp.vertex.agent.tool_call_args")
    result_keys = ("gen_ai.tool.call.result", "gcp.vertex.agent.tool_response")
    content_keys = ("gcp.vertex.agent.llm_request", "gcp.vertex.agent.llm_response", "gcp.vertex.agent.data")
    conversation_keys = ("gen_ai.conversation.id", "gcp.vertex.agent.session_id")
