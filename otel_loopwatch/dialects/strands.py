"""Strands Agents: by default arguments and result are span events."""

from __future__ import annotations

from otel_loopwatch.dialects.dialect import Dialect
from otel_loopwatch.spans import Span

MARKER = "gen_ai.event.start_time"


class Strands(Dialect):
    """GenAI attributes if asked for by ``OTEL_SEMCONV_STABILITY_OPT_IN``, else the older events."""

    name = "strands"
    content_keys = ("system_prompt",)

    def arguments(self, span: Span, limit: int) -> object:
        captured = super().arguments(span, limit)
        return _of_event(span, "gen_ai.tool.message", "content") if captured is None else captured

    def result(self, span: Span, limit: int) -> object:
        captured = super().result(span, limit)
        return _of_event(span, "gen_ai.choice", "message") if captured is None else captured

    def failed(self, span: Span) -> bool:
        return super().failed(span) or span.attributes.get("gen_ai.tool.status") == "error"


def _of_event(span: Span, name: str, key: str) -> object:
    return next((event.attributes.get(key) for event in span.events if event.name == name), None)
