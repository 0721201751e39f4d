"""One loop, one signal: what was raised is raised again only at a higher level, until the run has moved on."""

from __future__ import annotations

from otel_loopwatch.advice import advice, reason
from otel_loopwatch.detectors import Verdict
from otel_loopwatch.model import Kind, Level, LoopSignal, ToolCall
from otel_loopwatch.runs import Burst, Run

MOVED_ON = 3
"""Attempts in a row that bring something new end a loop; fewer may be noise within it."""


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
        evidence=verdict.evidence,
        reason=reason(verdict),
        advice=advice(verdict),
        call=run.calls,
        span_id=call.span_id,
        trace_id=call.trace_id,
        first_span_id=verdict.first_span_id,
        agent=call.agent or run.agent,
    )


def raise_signal(run: Run, verdict: Verdict, call: ToolCall) -> LoopSignal | None:
    """The signal, unless the same loop was signalled at that level already."""
    burst = run.burst
    if burst is not None and _same(burst.signal, verdict) and not _worse(verdict, burst.signal):
        return None
    signal = signal_of(verdict, run, call)
    wasted = burst.wasted if burst is not None and _same(burst.signal, verdict) else 0
    answers = [past.answer for past in run.last(max(verdict.period, 1))]
    run.burst = Burst(signal=signal, answers=answers, wasted=max(wasted, verdict.wasted))
    run.signals += 1
    return signal


def _same(signal: LoopSignal, verdict: Verdict) -> bool:
    """Loops that share a tool are one loop, seen by one detector after the other; a duplicate write is its own harm."""
    if Kind.DUPLICATE_WRITE in (signal.kind, verdict.kind) and signal.kind is not verdict.kind:
        return verdict.level is Level.WARNING
    return not set(signal.tools).isdisjoint(verdict.tools)


def _worse(verdict: Verdict, signal: LoopSignal) -> bool:
    return verdict.level is Level.CRITICAL and signal.level is Level.WARNING


def continue_burst(run: Run) -> tuple[int, LoopSignal | None]:
    """After each attempt without a new signal: calls newly wasted, and the signal of a loop the run got out of."""
    burst = run.burst
    if burst is None:
        return 0, None
    attempt = run.current
    if attempt.new and attempt.answer not in burst.answers:
        burst.fresh += 1
        return (0, close(run)) if burst.fresh >= MOVED_ON else (0, None)
    burst.fresh = 0
    burst.wasted += 1
    return 1, None


def close(run: Run) -> LoopSignal | None:
    """End the loop, if there is one: detectors start counting anew."""
    burst = run.burst
    if burst is None:
        return None
    run.burst = None
    return burst.signal
