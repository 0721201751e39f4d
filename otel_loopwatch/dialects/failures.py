"""Whether a span failed, and with what words."""

from __future__ import annotations

from otel_loopwatch.dialects.values import text
from otel_loopwatch.spans import Span

_TRACEBACK = "Traceback (most recent call last)"
_PAUSES = ("GraphInterrupt", "NodeInterrupt", "ApprovalRequired", "CallDeferred")
"""Exceptions with which a tool waits for a human: LangGraph, Pydantic AI. Nothing failed."""


def error_type(span: Span) -> str | None:
    """Type of the error: ``error.type``, or the last exception event's."""
    found = text(span.attributes, "error.type")
    for event in span.events:
        if event.name == "exception":
            found = text(event.attributes, "exception.type") or found
    return found


def paused(span: Span) -> bool:
    """Whether the tool only asked to be continued later."""
    found = error_type(span)
    return found is not None and found.endswith(_PAUSES)


def error_text(span: Span) -> str | None:
    """What the failure said: an exception's type and message, else the status text, else the type alone."""
    for event in reversed(span.events):
        if event.name == "exception":
            kind = text(event.attributes, "exception.type")
            message = _without_traceback(text(event.attributes, "exception.message"))
            if kind or message:
                return ": ".join(filter(None, (kind, message)))
    return _without_traceback(span.status_message) or text(span.attributes, "error.type")


def _without_traceback(message: str | None) -> str | None:
    """LangChain and LangSmith append the whole stack, whose paths differ between machines."""
    return message.partition(_TRACEBACK)[0].strip() if message else None
