"""What is written onto the spans of messages before they go on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import msgspec

from otel_loopwatch.control.hook import ControlHook, Decision, decide
from otel_loopwatch.control.identity import trace_in
from otel_loopwatch.control.report import status_of, stop_report
from otel_loopwatch.control.run import LiveRun
from otel_loopwatch.model import Action, LoopSignal, RunSummary
from otel_loopwatch.spans import SpanData
from otel_loopwatch.stream.marks import MarkedSpan
from otel_loopwatch.stream.seen import Seen
from otel_loopwatch.telemetry import annotate
from otel_loopwatch.tracker import RunEnded
from otel_loopwatch.tracker.runs import trace_key

Marks = dict[tuple[int, int], MarkedSpan]
"""By trace id and span id."""


@dataclass(slots=True)
class Looped:
    """A run that looped, until its agent's span comes by."""

    signals: list[tuple[LoopSignal, Decision]] = field(default_factory=list)
    """The last ones."""
    halted_by: LoopSignal | None = None


class Marking:
    """Marks what a message holds: calls and loops on the spans of tools, how a run went on its agent's.

    A span that went on in an earlier message is not marked any more. ``shown`` writes a fingerprint down.
    """

    def __init__(self, hook: ControlHook, shown: Callable[[int], str]) -> None:
        self._hook = hook
        self._shown = shown
        self._looped: dict[str, dict[str, Looped]] = {}
        """By trace and run; a run is forgotten when it ends or is dropped."""

    def marks(self, steps: Iterable[Seen], spans: Sequence[SpanData]) -> Marks:
        """What is to be written after these steps of a message with these spans."""
        page = _Page(spans)
        for seen in steps:
            if isinstance(seen.event, RunEnded):
                self._ended(seen.event, seen.run, page)
            else:
                self._called(seen, page)
        return page.marks

    def save(self, trace_id: int) -> bytes:
        """What is known of the runs of a trace; nothing where a name in it is no Unicode."""
        try:
            return msgspec.msgpack.encode(self._looped.get(trace_key(trace_id), {}))
        except UnicodeError:
            return msgspec.msgpack.encode({})

    def restore(self, trace_id: int, state: bytes) -> None:
        """Go on with a trace that was saved. Raises ``msgspec.MsgspecError`` for anything else."""
        looped = msgspec.msgpack.decode(state, type=dict[str, Looped])
        if looped:
            self._looped[trace_key(trace_id)] = looped

    def _called(self, seen: Seen, page: _Page) -> None:
        call = seen.call
        own = page.span(call.span_id) if call is not None else None
        if own is not None and seen.observation is not None:
            annotate.mark_call(own, seen.observation, self._shown)
        for signal in seen.signals:
            decision = decide(self._hook, signal, seen.run or RunSummary(run=signal.run))
            self._remember(signal, decision)
            if own is not None:
                annotate.mark_loop(own, signal, decision)

    def _remember(self, signal: LoopSignal, decision: Decision) -> None:
        looped = self._looped.setdefault(trace_in(signal.run), {}).setdefault(signal.run, Looped())
        signal = replace(signal, trace_id=0)  # more than MessagePack's integers hold
        looped.signals.append((signal, decision))
        del looped.signals[: -annotate.MAX_AGENT_EVENTS]
        if decision.action is Action.HALT and not decision.dry_run:
            looped.halted_by = looped.halted_by or signal

    def _ended(self, event: RunEnded, run: RunSummary | None, page: _Page) -> None:
        looped = self._forget(event.run)
        span = page.span(event.scope_span_id) if event.reason == "ended" else None
        if run is None or span is None:
            return
        live = LiveRun(event.run)
        for signal, decision in looped.signals:
            annotate.mark_agent(span, live, signal, decision)
        report = None if looped.halted_by is None else stop_report(looped.halted_by, run)
        limit = None if report is not None else event.limit
        annotate.mark_run(span, run, status_of(run, report is not None, limit is not None), report, limit)

    def _forget(self, run: str) -> Looped:
        runs = self._looped.get(trace_in(run), {})
        looped = runs.pop(run, None) or Looped()
        if not runs:
            self._looped.pop(trace_in(run), None)
        return looped


class _Page:
    """The spans at hand, and what is to be written on them."""

    def __init__(self, spans: Sequence[SpanData]) -> None:
        self._spans = {span.span_id: span for span in spans}
        self.marks: Marks = {}

    def span(self, span_id: int) -> MarkedSpan | None:
        """What to write on; None for a span that is not at hand."""
        span = self._spans.get(span_id)
        if span is None:
            return None
        return self.marks.setdefault((span.trace_id, span_id), MarkedSpan(span.end_ns))
