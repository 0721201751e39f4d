"""One loop, one signal: what was raised is raised again only at a higher level, until the run has moved on."""

from __future__ import annotations

from dataclasses import replace

from otel_loopwatch.advice import advice, reason
from otel_loopwatch.aliases import tool_of
from otel_loopwatch.detectors import Verdict
from otel_loopwatch.model import Evidence, Kind, Level, LoopSignal, ToolCall
from otel_loopwatch.records import Burst
from otel_loopwatch.runs import Run

MOVED_ON = 3
"""Attempts in a row that bring something new end a loop; fewer may be noise within it."""
MAX_SIGNALS = 8
"""Signals remembered per burst: loops of several tools may alternate, and each is told of once."""


def signal_of(verdict: Verdict, run: Run, call: ToolCall) -> LoopSignal:
    """The signal that a verdict raises at this call."""
    return LoopSignal(
        kind=verdict.kind,
        level=verdict.level,
        run=call.run,
        tools=verdict.tools,
        count=verdict.count,
        period=verdict.period,
        wasted_calls=verdict.wasted,
        evidence=Evidence.STRONG if verdict.level is Level.CRITICAL else verdict.evidence,
        reason=reason(verdict),
        advice=advice(verdict),
        call=run.calls,
        span_id=call.span_id,
        trace_id=call.trace_id,
        first_span_id=verdict.first_span_id,
        agent=call.agent or run.agent,
    )


def raise_signal(run: Run, verdict: Verdict, call: ToolCall) -> tuple[LoopSignal, int] | None:
    """The signal, and the calls newly known to be wasted; ``None`` if the loop was signalled at that level already."""
    burst = run.burst
    raised = burst.signals if burst is not None else []
    same = [signal for signal in raised if _same(run, signal, verdict)]
    if not all(_worse(verdict, signal) for signal in same):
        return None
    signal = signal_of(verdict, run, call)
    counted = 0 if burst is None else burst.wasted if same else burst.idle
    wasted = max(counted, verdict.wasted)
    answers = [past.answer for past in run.last(max(verdict.period, 1))]
    raised = [*raised[-MAX_SIGNALS + 1 :], replace(signal, trace_id=0)]
    run.burst = Burst(signals=raised, answers=answers, wasted=wasted, trace=f"{signal.trace_id:x}")
    run.signals += 1
    return signal, wasted - counted


def _same(run: Run, signal: LoopSignal, verdict: Verdict) -> bool:
    """Loops that share a tool are one loop, seen by one detector after the other; a duplicate write is its own harm."""
    shared = signal.tools == verdict.tools or _share_a_tool(run, signal.tools, verdict.tools)
    if Kind.DUPLICATE_WRITE in (signal.kind, verdict.kind) and signal.kind is not verdict.kind:
        return shared and verdict.level is Level.WARNING
    return shared


def _share_a_tool(run: Run, one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    called = {tool_of(run.names, tool) for tool in one}
    return any(tool_of(run.names, tool) in called for tool in other)


def _worse(verdict: Verdict, signal: LoopSignal) -> bool:
    return verdict.level is Level.CRITICAL and signal.level is Level.WARNING


def continue_burst(run: Run, seen: bool) -> tuple[int, LoopSignal | None]:
    """After each call without a new signal: calls newly wasted, and the signal of a loop the run got out of.

    A loop that is still ``seen`` goes on, whatever numbers are new in its results.
    """
    burst = run.burst
    if burst is None:
        return 0, None
    attempt = run.current
    if attempt.new and attempt.answer not in burst.answers and not seen:
        burst.idle = 0
        burst.fresh += burst.fresh == 0 or attempt.number != burst.last
        burst.last = attempt.number
        return (0, close(run)) if burst.fresh >= MOVED_ON else (0, None)
    burst.fresh = 0
    burst.idle += 1
    burst.wasted += 1
    return 1, None


def close(run: Run) -> LoopSignal | None:
    """End the burst, if there is one; what was raised last in it may be raised again."""
    burst = run.burst
    if burst is None:
        return None
    run.burst = None
    return replace(burst.signals[-1], trace_id=int(burst.trace or "0", 16))
