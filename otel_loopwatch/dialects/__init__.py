"""How instrumentations write an agent's work into spans: one small file per dialect."""

from __future__ import annotations

from otel_loopwatch.dialects.base import AgentInfo, CallContent, MessageCall, MessageResult, Role, TurnContent
from otel_loopwatch.spans import Span

__all__ = [
    "AgentInfo",
    "CallContent",
    "MessageCall",
    "MessageResult",
    "Role",
    "TurnContent",
    "read_agent",
    "read_call",
    "read_turn",
    "role",
]


def role(span: Span) -> Role:
    """What the span stands for, as far as its attributes and name tell so far."""
    return Role.OTHER


def read_call(span: Span, max_value_bytes: int = 65_536, attribute_limit: int | None = None) -> CallContent | None:
    """The call of a TOOL span, or ``None`` where it cannot be read. Never raises."""
    return None


def read_agent(span: Span) -> AgentInfo:
    """Agent, conversation and user, as far as this span names them. Never raises."""
    return AgentInfo()


def read_turn(span: Span, max_value_bytes: int = 65_536) -> TurnContent:
    """The response and history of a MODEL span. Never raises."""
    return TurnContent()
