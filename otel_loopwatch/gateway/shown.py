"""What the board shows, as it goes out in JSON. Times are ns since the epoch, in decimal; ids are hex digits."""

from __future__ import annotations

from enum import Enum

import msgspec

from otel_loopwatch.control.decisions import RunDecision
from otel_loopwatch.model import Kind, Level, LoopSignal, Outcome
from otel_loopwatch.telemetry.annotate import hex16


class RunState(str, Enum):
    """How a run stands; of several that hold, the first of ``halted``, ``ended``, ``looping``."""

    LIVE = "live"
    """It makes calls, and moves on."""
    LOOPING = "looping"
    """A loop was signalled, and the run has not moved on since."""
    HALTED = "halted"
    """It is to end, or did."""
    ENDED = "ended"
    """Its agent's span, or the trace's root, has ended; or nothing was heard of it for too long."""


class Loop(msgspec.Struct, frozen=True, kw_only=True):
    """A loop that was signalled."""

    id: str
    """As of :class:`otel_loopwatch.model.LoopSignal`."""
    run: str
    kind: Kind
    level: Level
    tools: tuple[str, ...]
    count: int
    period: int
    wasted_calls: int
    reason: str
    advice: str
    call: int
    """1-based position of the call that completed it."""
    span_id: str
    first_span_id: str
    recovered: bool = False
    """The run got out of it."""
    at_ns: str


def loop_of(signal: LoopSignal, at_ns: int) -> Loop:
    """What is shown of a signal raised at a call that ended at ``at_ns``."""
    return Loop(
        id=signal.id,
        run=signal.run,
        kind=signal.kind,
        level=signal.level,
        tools=signal.tools,
        count=signal.count,
        period=signal.period,
        wasted_calls=signal.wasted_calls,
        reason=signal.reason,
        advice=signal.advice,
        call=signal.call,
        span_id=span_id(signal.span_id),
        first_span_id=span_id(signal.first_span_id),
        at_ns=str(at_ns),
    )


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One call on a run's timeline: digests, never content."""

    n: int
    """1-based position within the run."""
    tool: str
    agent: str
    fingerprint: str | None
    """Of the arguments; null where they are unknown."""
    result: str | None
    outcome: Outcome
    start_ns: str
    end_ns: str
    span_id: str
    new: bool
    """It brought something new."""


class Brief(msgspec.Struct, kw_only=True):
    """A run in a line."""

    run: str
    """Key of the run."""
    trace_id: str
    agent: str
    service: str
    calls: int
    turns: int
    tokens: int
    wasted_calls: int
    first_ns: str
    last_ns: str
    state: RunState
    loop: Loop | None
    """The latest loop."""
    decision: RunDecision | None
    """What holds for the run."""
    version: int
    """Rises with every change of any run."""


class Whole(Brief, kw_only=True):
    """All that is known of a run."""

    timeline: list[Call]
    """The last calls, the oldest first."""
    loops: list[Loop]
    decisions: list[RunDecision]
    """The last ones, the oldest first."""


def span_id(number: int) -> str:
    """A span's id as 16 hex digits; empty for 0, which is none."""
    return hex16(number) if number else ""
