"""What follows from a judged step: the control is asked, marks are made, the board and the metrics told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from otel_loopwatch.control.announce import announce
from otel_loopwatch.control.decisions import RunDecision
from otel_loopwatch.control.hook import ControlHook, Decision, decide
from otel_loopwatch.control.outlet import tell
from otel_loopwatch.control.report import status_of, stop_report
from otel_loopwatch.control.run import LiveRun, RunView
from otel_loopwatch.control.webhook import Webhook
from otel_loopwatch.digests import Digests
from otel_loopwatch.gateway.board import Board
from otel_loopwatch.gateway.signal import Request, Signal
from otel_loopwatch.model import Action, LoopSignal, Observation, RunSummary, ToolCall
from otel_loopwatch.otlp import loops
from otel_loopwatch.stream import MarkedSpan, Seen, signal_id
from otel_loopwatch.telemetry import annotate, names
from otel_loopwatch.telemetry.metrics import Metrics
from otel_loopwatch.tracker import RunEnded

NOBODY = RunView(())
"""No processor of this process watches a run of another."""


class Page(Protocol):
    """The spans at hand, all of one trace, which have not gone on yet."""

    trace_id: int

    def span(self, trace_id: int, span_id: int) -> MarkedSpan | None:
        """What is to be written onto a span; None where it is not at hand."""

    def service(self, span_id: int) -> str:
        """Name of the service a span came from; empty where that is not known."""


class LiveMarks:
    """What is known of a run until its agent's span comes by."""

    __slots__ = ("live", "signals")

    def __init__(self, key: str) -> None:
        self.live = LiveRun(key)
        self.signals: list[tuple[LoopSignal, Decision]] = []


class Reaction:
    """Tells everybody who wants to know. One thread uses it.

    ``emit`` takes requests of our own: log records of loops whose span has left.
    """

    def __init__(
        self,
        hook: ControlHook,
        metrics: Metrics,
        board: Board,
        digests: Digests,
        emit: Callable[[Request], object],
        webhook: Webhook | None = None,
    ) -> None:
        self._hook = hook
        self._metrics = metrics
        self._board = board
        self._shown = digests.fingerprint
        self._emit = emit
        self._webhook = webhook
        self._runs: dict[str, LiveMarks] = {}

    def to(self, seen: Seen, page: Page) -> None:
        """One judged step."""
        event = seen.event
        if isinstance(event, RunEnded):
            self._ended(event, seen.run, page)
        call = seen.call
        own = page.span(call.trace_id, call.span_id) if call is not None else None
        if call is not None and seen.observation is not None:
            self._called(call, seen.observation, own)
        self._board.take(seen, page.service(call.span_id) if call is not None else "")
        for signal in seen.signals:
            self._signalled(signal, seen.run or RunSummary(run=signal.run), own)

    def forget(self, run: str) -> None:
        """The run was dropped."""
        self._runs.pop(run, None)

    def _called(self, call: ToolCall, seen: Observation, own: MarkedSpan | None) -> None:
        self._metrics.called(call, seen)
        if own is not None:
            annotate.mark_call(own, seen, self._shown)
        for signal in seen.recovered:
            self._metrics.recovered(signal, None)

    def _signalled(self, signal: LoopSignal, run: RunSummary, own: MarkedSpan | None) -> None:
        decision = decide(self._hook, signal, run)
        known = self._runs.setdefault(signal.run, LiveMarks(signal.run))
        known.signals.append((signal, decision))
        del known.signals[: -annotate.MAX_AGENT_EVENTS]
        was_halted = self._board.decision(signal.run).halts
        ruled = self._ruled(signal, decision)
        if ruled is not None and ruled.halts and not was_halted:
            self._halt(signal, run, known.live)
        self._write(signal, decision, ruled, own, run.last_ns)
        self._metrics.signalled(signal, None)
        self._metrics.asked(decision, None)
        tell(signal, decision)

    def _ruled(self, signal: LoopSignal, decision: Decision) -> RunDecision | None:
        """What now holds for the run; None where the hook lets it be, or only says what it would do."""
        if decision.dry_run or decision.action is Action.CONTINUE:
            return None
        return self._board.decide(
            RunDecision(
                run=signal.run,
                action=decision.action,
                version=0,
                reason=signal.reason,
                advice=signal.advice,
                signal=signal_id(signal),
                agent=signal.agent,
            )
        )

    def _halt(self, signal: LoopSignal, run: RunSummary, live: LiveRun) -> None:
        live.halted_by, live.report = signal, stop_report(signal, run)
        self._metrics.halted(signal, None)
        announce(live.report, NOBODY, self._webhook, self._metrics)

    def _write(
        self, signal: LoopSignal, decision: Decision, ruled: RunDecision | None, own: MarkedSpan | None, at_ns: int
    ) -> None:
        if own is None:
            told = loops.record(signal, ruled, signal_id(signal), at_ns)
            self._emit(Request(Signal.LOGS, told.SerializeToString()))
        else:
            annotate.mark_loop(own, signal, decision)
            own.set_attribute(names.LOOP_ID, signal_id(signal))

    def _ended(self, event: RunEnded, run: RunSummary | None, page: Page) -> None:
        known = self._runs.pop(event.run, None) or LiveMarks(event.run)
        if run is None:
            return
        if event.reason != "ended":
            self._metrics.evicted(event.reason)
            return
        halted = self._board.decision(event.run).halts
        limit = None if halted else event.limit
        status = status_of(run, halted, limit is not None)
        self._metrics.ended(run, status, None, limit)
        span = page.span(page.trace_id, event.scope_span_id)
        if span is not None:
            cause = known.live.halted_by if halted else None
            report = stop_report(cause, run) if cause is not None else None
            for signal, decision in known.signals:
                annotate.mark_agent(span, known.live, signal, decision)
            annotate.mark_run(span, run, status, report, limit)
