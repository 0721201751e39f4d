"""What the tracker yields besides calls and turns, and what it needs from the dialects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from otel_loopwatch import dialects
from otel_loopwatch.dialects import AgentInfo, CallContent, Limit, Role, TurnContent
from otel_loopwatch.model import ModelTurn, ToolCall
from otel_loopwatch.spans import Span

Reason = Literal["ended", "ttl", "capacity"]


class RunEnded(NamedTuple):
    """Nothing more is expected of a run."""

    run: str
    reason: Reason
    """``ended``: its agent's span, or the root, did; ``ttl``: nothing came for too long; ``capacity``: it made room."""
    limit: Limit | None = None
    """Limit of the framework that ended it."""
    scope_span_id: int = 0
    """As of its calls: the span it lived in; 0 where it lived in none or is dropped."""


Tracked = ToolCall | ModelTurn | RunEnded
"""Whatever a span gives rise to."""


class Reader(NamedTuple):
    """How spans are read. The functions never raise."""

    role: Callable[[Span], Role] = dialects.role
    call: Callable[[Span], CallContent | None] = dialects.read_call
    agent: Callable[[Span], AgentInfo] = dialects.read_agent
    turn: Callable[[Span], TurnContent] = dialects.read_turn
    limit: Callable[[Span], Limit | None] = dialects.limit_of
