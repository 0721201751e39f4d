"""Gemini CLI: the whole request and the whole completed call sit in the message attributes of a tool span."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from otel_loopwatch.dialects.base import Role
from otel_loopwatch.dialects.dialect import OPERATION, Dialect
from otel_loopwatch.dialects.values import decode
from otel_loopwatch.spans import Span

MARKER = "gen_ai.tool.call_id"
TOOL_SPAN = "tool_call"


class GeminiCLI(Dialect):
    """Span ``tool_call`` with ``gen_ai.tool.call_id``; a tool that returns an error keeps the status OK."""

    name = "gemini-cli"
    call_id_keys = (MARKER,)

    def role(self, span: Span) -> Role:
        return Role.TOOL if TOOL_SPAN in (span.name, span.attributes.get(OPERATION)) else super().role(span)

    def arguments(self, span: Span, limit: int) -> object:
        """Arguments of the request; the text itself where it was cut or has another shape."""
        captured = span.attributes.get("gen_ai.input.messages")
        request = _object(captured, limit)
        request = _inner(request, "request") or request
        return request.get("args", captured)

    def result(self, span: Span, limit: int) -> object:
        """What the completed call answered to the model, in an envelope that says whether it failed."""
        captured = span.attributes.get("gen_ai.output.messages")
        if captured is None:
            return None
        completed = _object(captured, limit)
        parts = _inner(completed, "response").get("responseParts")
        part = parts[0] if isinstance(parts, list) and parts else None
        answer = _inner(_inner(part, "functionResponse"), "response")
        result = answer.get("output", answer.get("error", captured))
        return {"result": result, "is_error": completed.get("status") == "error"}


def _object(captured: object, limit: int) -> Mapping[str, Any]:
    decoded = decode(captured, limit)
    return decoded if isinstance(decoded, Mapping) else {}


def _inner(outer: object, key: str) -> Mapping[str, Any]:
    inner = outer.get(key) if isinstance(outer, Mapping) else None
    return inner if isinstance(inner, Mapping) else {}
