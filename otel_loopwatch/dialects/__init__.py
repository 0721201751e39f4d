"""How instrumentations write an agent's work into spans: one small file per dialect.

``role`` is asked for every span, ``read_call`` for TOOL spans, ``read_turn`` for MODEL spans, ``read_agent`` for any,
``limit_of`` for any that has ended. They work on what a span holds so far, at its start as at its end, and survive any
attribute value. Attributes held in a ``dict`` are read several times faster than in the SDK's own mapping.
"""

from __future__ import annotations

from otel_loopwatch.dialects.base import AgentInfo, CallContent, MessageCall, MessageResult, Role, TurnContent
from otel_loopwatch.dialects.limits import Limit, limit_of
from otel_loopwatch.dialects.registry import GENAI, MARKERS, find
from otel_loopwatch.settings import MAX_VALUE_BYTES
from otel_loopwatch.spans import Span

__all__ = [
    "MARKERS",
    "AgentInfo",
    "CallContent",
    "Limit",
    "MessageCall",
    "MessageResult",
    "Role",
    "TurnContent",
    "limit_of",
    "read_agent",
    "read_call",
    "read_turn",
    "role",
]


def role(span: Span) -> Role:
    """What the span stands for, as far as its attributes and name tell so far."""
    dialect = find(span)
    return Role.OTHER if dialect is None else dialect.role(span)


def read_call(
    span: Span, max_value_bytes: int = MAX_VALUE_BYTES, attribute_limit: int | None = None
) -> CallContent | None:
    """The call of a TOOL span, or ``None`` where not even a tool's name can be read.

    Envelopes longer than ``max_value_bytes`` stay closed. A text of exactly ``attribute_limit`` characters (the
    SDK's limit, if one is set) counts as cut.
    """
    return (find(span) or GENAI).call(span, max_value_bytes, attribute_limit)


def read_agent(span: Span) -> AgentInfo:
    """Agent, conversation and user, as far as this span names them."""
    return (find(span) or GENAI).agent(span)


def read_turn(span: Span, max_value_bytes: int = MAX_VALUE_BYTES, attribute_limit: int | None = None) -> TurnContent:
    """The response of a MODEL span and the history in its request; tokens of this span alone. Limits as above."""
    return (find(span) or GENAI).turn(span, max_value_bytes, attribute_limit)
