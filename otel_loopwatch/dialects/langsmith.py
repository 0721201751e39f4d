"""LangSmith's OpenTelemetry export: written after the fact, parents before their children."""

from __future__ import annotations

from collections.abc import Mapping

from otel_loopwatch.dialects.base import Role
from otel_loopwatch.dialects.dialect import Dialect
from otel_loopwatch.dialects.values import decode
from otel_loopwatch.spans import Span

KIND = "langsmith.span.kind"
_HIDDEN = "{}"
"""What ``LANGSMITH_HIDE_INPUTS`` and ``..OUTPUTS`` leave, and the completion of a failed call."""


class LangSmith(Dialect):
    """``langsmith.*`` attributes; content in ``gen_ai.prompt`` and ``gen_ai.completion``."""

    name = "langsmith"
    kind_key = KIND
    roles: Mapping[str, Role] = {"tool": Role.TOOL, "llm": Role.MODEL}
    argument_keys = ("gen_ai.prompt",)
    result_keys = ("gen_ai.completion",)
    agent_keys = ("langsmith.metadata.lc_agent_name", "gen_ai.agent.name")
    conversation_keys = (
        "langsmith.metadata.session_id",
        "langsmith.metadata.thread_id",
        "langsmith.metadata.conversation_id",
        "session.id",
    )
    user_keys = ("langsmith.metadata.user_id", "user.id")
    content_keys = ()

    def tool(self, span: Span) -> str | None:
        return super().tool(span) or span.name or None

    def arguments(self, span: Span, limit: int) -> object:
        """The prompt, out of the ``{"input": {..}}`` that some integrations put around it."""
        captured = _shown(super().arguments(span, limit))
        if isinstance(captured, str) and captured.startswith('{"input":'):
            decoded = decode(captured, limit)
            if isinstance(decoded, Mapping) and len(decoded) == 1 and isinstance(decoded["input"], Mapping):
                return decoded["input"]
        return captured

    def result(self, span: Span, limit: int) -> object:
        return _shown(super().result(span, limit))


def _shown(captured: object) -> object:
    return None if captured == _HIDDEN else captured
