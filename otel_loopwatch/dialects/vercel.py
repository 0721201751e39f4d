"""Vercel AI SDK with ``experimental_telemetry`` (5) or ``LegacyOpenTelemetry`` (7); 7's own spans are plain GenAI."""

from __future__ import annotations

from collections.abc import Mapping

from otel_loopwatch.dialects.base import Role
from otel_loopwatch.dialects.dialect import Dialect

OPERATION_ID = "ai.operationId"
TOOL_SPAN = "ai.toolCall"
_METADATA = "ai.telemetry.metadata."


class Vercel(Dialect):
    """``ai.*`` attributes; ``ai.generateText`` is the agent's run, with its tool calls and requests inside."""

    name = "vercel-ai"
    kind_key = OPERATION_ID
    roles: Mapping[str, Role] = {
        TOOL_SPAN: Role.TOOL,
        "ai.generateText": Role.AGENT,
        "ai.streamText": Role.AGENT,
        "ai.generateText.doGenerate": Role.MODEL,
        "ai.streamText.doStream": Role.MODEL,
        "ai.generateObject.doGenerate": Role.MODEL,
        "ai.streamObject.doStream": Role.MODEL,
    }
    tool_keys = ("ai.toolCall.name",)
    call_id_keys = ("ai.toolCall.id",)
    argument_keys = ("ai.toolCall.args", "ai.toolCall.input")
    result_keys = ("ai.toolCall.result", "ai.toolCall.output")
    content_keys = (
        "ai.prompt",
        "ai.prompt.",
        "ai.response.text",
        "ai.response.reasoning",
        "ai.response.toolCalls",
        "ai.response.object",
        "ai.result.",
        "ai.value",
        "ai.values",
        "ai.embedding",
        "ai.embeddings",
    )
    agent_keys = ("ai.telemetry.functionId", "resource.name")
    conversation_keys = (f"{_METADATA}sessionId", f"{_METADATA}session_id", f"{_METADATA}threadId", "session.id")
    user_keys = (f"{_METADATA}userId", f"{_METADATA}user_id", "user.id")
    input_token_keys = ("ai.usage.inputTokens", "ai.usage.promptTokens", "gen_ai.usage.input_tokens")
    output_token_keys = ("ai.usage.outputTokens", "ai.usage.completionTokens", "gen_ai.usage.output_tokens")
