"""LiveKit Agents: tool spans by their own attributes; its model requests are plain GenAI."""

from __future__ import annotations

from otel_loopwatch.dialects.base import Role
from otel_loopwatch.dialects.dialect import Dialect
from otel_loopwatch.spans import Span

MARKER = "lk.function_tool.name"


class LiveKit(Dialect):
    """``lk.function_tool.*``."""

    name = "livekit"
    tool_keys = (MARKER,)
    call_id_keys = ("lk.function_tool.id",)
    argument_keys = ("lk.function_tool.arguments",)
    result_keys = ("lk.function_tool.output",)
    content_keys = ("lk.chat_ctx", "lk.user_input", "lk.user_transcript", "lk.input_text", "lk.response.")

    def role(self, span: Span) -> Role:
        return Role.TOOL

    def failed(self, span: Span) -> bool:
        return super().failed(span) or span.attributes.get("lk.function_tool.is_error") is True
