"""MLflow tracing: every attribute is JSON text, strings in quotes of their own. Its GenAI export is plain GenAI."""

from __future__ import annotations

from collections.abc import Mapping

from otel_loopwatch.dialects.base import Role
from otel_loopwatch.dialects.named_by_span import NamedBySpan
from otel_loopwatch.dialects.values import decode, integer
from otel_loopwatch.spans import Span

SPAN_TYPE = "mlflow.spanType"
MAX_USAGE_CHARS = 4096


class MLflow(NamedBySpan):
    """``mlflow.*`` attributes."""

    name = "mlflow"
    kind_key = SPAN_TYPE
    roles: Mapping[str, Role] = {
        "TOOL": Role.TOOL,
        "LLM": Role.MODEL,
        "CHAT_MODEL": Role.MODEL,
        "AGENT": Role.AGENT,
    }
    argument_keys = ("mlflow.spanInputs",)
    result_keys = ("mlflow.spanOutputs",)
    content_keys = ("mlflow.chat.messages", "mlflow.traceInputs", "mlflow.traceOutputs")

    def role(self, span: Span) -> Role:
        kind = span.attributes.get(self.kind_key)
        return self.roles.get(kind.strip('"'), Role.OTHER) if isinstance(kind, str) else Role.OTHER

    def tokens(self, span: Span) -> int:
        usage = decode(span.attributes.get("mlflow.chat.tokenUsage"), MAX_USAGE_CHARS)
        if not isinstance(usage, Mapping):
            return super().tokens(span)
        return (integer(usage, "input_tokens") or 0) + (integer(usage, "output_tokens") or 0)
