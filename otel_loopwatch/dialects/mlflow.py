"""MLflow tracing: every attribute is JSON text, strings in quotes of their own. Its GenAI export is plain GenAI."""

from __future__ import annotations

from collections.abc import Mapping

from otel_loopwatch.dialects.base import AgentInfo, Role
from otel_loopwatch.dialects.dialect import Dialect
from otel_loopwatch.dialects.values import decode, integer
from otel_loopwatch.spans import Span

SPAN_TYPE = "mlflow.spanType"
_ROLES: dict[object, Role] = {
    "TOOL": Role.TOOL,
    "LLM": Role.MODEL,
    "CHAT_MODEL": Role.MODEL,
    "AGENT": Role.AGENT,
}
MAX_USAGE_CHARS = 4096


class MLflow(Dialect):
    """``mlflow.*`` attributes; tool and agent are named by their spans."""

    name = "mlflow"
    tool_keys = ()
    call_id_keys = ()
    argument_keys = ("mlflow.spanInputs",)
    result_keys = ("mlflow.spanOutputs",)

    def role(self, span: Span) -> Role:
        kind = span.attributes.get(SPAN_TYPE)
        return _ROLES.get(kind.strip('"'), Role.OTHER) if isinstance(kind, str) else Role.OTHER

    def tool(self, span: Span) -> str | None:
        return span.name or None

    def agent(self, span: Span) -> AgentInfo:
        found = super().agent(span)
        if found.name is not None or self.role(span) is not Role.AGENT:
            return found
        return AgentInfo(name=span.name, conversation=found.conversation, user=found.user)

    def tokens(self, span: Span) -> int:
        usage = decode(span.attributes.get("mlflow.chat.tokenUsage"), MAX_USAGE_CHARS)
        if not isinstance(usage, Mapping):
            return super().tokens(span)
        return (integer(usage, "input_tokens") or 0) + (integer(usage, "output_tokens") or 0)
