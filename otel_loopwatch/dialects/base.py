"""What a dialect reads from a span: the shapes shared by all of them."""

from __future__ import annotations

from enum import Enum

import msgspec

from otel_loopwatch.model import Outcome


class Role(Enum):
    """What a span stands for in an agent's work."""

    TOOL = "tool"
    MODEL = "model"
    AGENT = "agent"
    OTHER = "other"


class CallContent(msgspec.Struct, frozen=True, kw_only=True):
    """A tool call as its span tells it; ``None`` is unknown and equals nothing."""

    tool: str
    dialect: str
    call_id: str | None = None
    arguments: object = None
    """JSON text or a decoded value."""
    result: object = None
    """What the tool returned, out of its envelopes: text or a decoded value."""
    failed: bool = False
    error: str | None = None
    """Text of the failure, or its type where no text was captured."""
    outcome: Outcome | None = None
    """Outcome declared by the application (``loopwatch.call.outcome``)."""
    agent: str | None = None
    conversation: str | None = None
    truncated: bool = False
    """A captured value was cut."""
    progress_version: int | None = None
    state: str | None = None


class AgentInfo(msgspec.Struct, frozen=True, kw_only=True):
    """Who works here, and for whom."""

    name: str | None = None
    conversation: str | None = None
    user: str | None = None


class MessageCall(msgspec.Struct, frozen=True):
    """A tool call a model asked for in a message."""

    call_id: str | None
    tool: str
    arguments: object = None


class MessageResult(msgspec.Struct, frozen=True):
    """What a tool gave back to the model in a message."""

    call_id: str | None
    result: object = None
    failed: bool = False


class TurnContent(msgspec.Struct, frozen=True, kw_only=True):
    """One model response: what it asked for, and what the request already held."""

    tokens: int = 0
    """Input and output tokens of this span alone; parents may repeat sums of theirs."""
    calls: tuple[MessageCall, ...] = ()
    """Calls newly asked for in the output."""
    history: tuple[MessageCall, ...] = ()
    """Calls repeated in the input."""
    results: tuple[MessageResult, ...] = ()
    """Results in the input, under the ids of ``history`` and of earlier turns' ``calls``."""
    agent: str | None = None
    conversation: str | None = None
    dialect: str = ""
