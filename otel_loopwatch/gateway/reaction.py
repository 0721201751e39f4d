"""What follows from a judged step: the control is asked, marks are made, the board and the metrics told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Protocol

from otel_loopwatch.control.announce import announce
from otel_loopwatch.control.decisions import BY_LOOPWATCH, RunDecision
from otel_loopwatch.control.hook import ControlHook, Decision, decide
from otel_loopwatch.control.ladder import GRACE
from otel_loopwatch.control.outlet import SEVERITY, tell
from otel_loopwatch.control.report import StopReport, status_of, stop_report
from otel_loopwatch.control.run import LiveRun, RunView
from otel_loopwatch.control.told import report_of
from otel_loopwatch.control.webhook import Webhook
from otel_loopwatch.digests import Digests
from otel_loopwatch.gateway.board import Board
from otel_loopwatch.gateway.signal import Request, Signal
from otel_loopwatch.model import Action, LoopSignal, Observation, RunSummary, ToolCall
from otel_loopwatch.otlp import loops
from otel_loopwatch.stream import MarkedSpan, Seen
from otel_loopwatch.telemetry import annotate
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


@dataclass(slots=True)
class KnownRun:
    """What is known of a run that looped, until its agent's span comes by. Plain data, to be saved."""

    run: str
    signals: list[tuple[LoopSignal, Decision]] = field(default_factory=list)
    """The last ones."""
    halted_by: LoopSignal | None = None
    """The loop it was halted for."""
    repeats: int = 0
    """Of that loop, since somebody had the run go on."""


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
        self._runs: dict[str, KnownRun] = {}

    def to(self, seen: Seen, page: Page) -> None:
        """One judged step; of its signals the critical comes last, as it is what the span shall show."""
        event, call = seen.event, seen.call
        if isinstance(event, RunEnded):
            self._ended(event, seen.run, page)
        own = page.span(call.trace_id, call.span_id) if call is not None else None
        if call is not None and seen.observation is not None:
            self._called(call, seen.observation, own)
        self._board.take(seen, page.service(call.span_id) if call is not None else "")
        run = seen.run or RunSummary(run=event.run)
        for signal in sorted(seen.signals, key=lambda signal: SEVERITY[signal.level]):
            self._signalled(signal, run, own)
        if seen.observation is not None and not seen.signals:
            self._repeated(seen.observation, run)

    def forget(self, run: str) -> None:
        """The run was dropped."""
        self._runs.pop(run, None)

    def failed(self, error_type: str) -> None:
        """Something of ours raised."""
        self._metrics.failed(error_type)

    def known(self) -> Iterator[KnownRun]:
        """The runs that looped, to be saved."""
        return iter(self._runs.values())

    def restore(self, runs: Iterable[KnownRun]) -> None:
        """Go on with runs that another process knew."""
        self._runs.update((known.run, known) for known in runs)

    def _called(self, call: ToolCall, seen: Observation, own: MarkedSpan | None) -> None:
        if not seen.refused:
            self._metrics.called(call, seen)
        if own is not None:
            annotate.mark_call(own, seen, self._shown)
        for signal in seen.recovered:
            self._metrics.recovered(signal, None)

    def _signalled(self, signal: LoopSignal, run: RunSummary, own: MarkedSpan | None) -> None:
        decision = decide(self._hook, signal, run)
        known = self._runs.setdefault(signal.run, KnownRun(signal.run))
        known.signals.append((replace(signal, trace_id=0), decision))
        del known.signals[: -annotate.MAX_AGENT_EVENTS]
        was_halted = self._board.decision(signal.run).halts
        lets_be = decision.dry_run or decision.action is Action.CONTINUE
        ruled = None if lets_be else self._rule(signal, decision.action)
        if ruled is not None and ruled.halts and not was_halted:
            self._halted(signal, run, known)
        self._write(signal, decision, own, run.last_ns)
        self._metrics.signalled(signal, None)
        self._metrics.asked(decision, None)
        tell(signal, decision)

    def _repeated(self, seen: Observation, run: RunSummary) -> None:
        """A run that was halted and that somebody had go on is given a few calls to get out of its loop."""
        known = self._runs.get(run.run)
        if known is None or known.halted_by is None or self._board.decision(run.run).halts:
            return
        known.repeats += bool(seen.wasted)
        if seen.recovered:
            known.halted_by = None
        elif known.repeats > GRACE:
            self._rule(known.halted_by, Action.HALT)
            self._halted(known.halted_by, run, known)

    def _rule(self, signal: LoopSignal, action: Action) -> RunDecision:
        """What now holds for the run: this, or an earlier halt."""
        return self._board.decide(
            RunDecision(
                run=signal.run,
                action=action,
                version=0,
                reason=signal.reason,
                advice=signal.advice,
                signal=signal.id,
                agent=signal.agent,
            )
        )

    def _halted(self, signal: LoopSignal, run: RunSummary, known: KnownRun) -> None:
        known.halted_by, known.repeats = replace(signal, trace_id=0), 0
        self._metrics.halted(signal, None)
        announce(stop_report(signal, run), NOBODY, self._webhook, self._metrics)

    def _write(self, signal: LoopSignal, decision: Decision, own: MarkedSpan | None, at_ns: int) -> None:
        if own is None:
            told = loops.record(signal, decision, at_ns)
            self._emit(Request(Signal.LOGS, told.SerializeToString()))
        else:
            annotate.mark_loop(own, signal, decision)

    def _ended(self, event: RunEnded, run: RunSummary | None, page: Page) -> None:
        known = self._runs.pop(event.run, None) or KnownRun(event.run)
        if run is None:
            return
        if event.reason != "ended":
            self._metrics.evicted(event.reason)
            return
        report = _report(self._board.decision(event.run), known, run)
        limit = None if report is not None else event.limit
        status = status_of(run, report is not None, limit is not None)
        self._metrics.ended(run, status, None, limit)
        span = page.span(page.trace_id, event.scope_span_id)
        if span is not None:
            live = LiveRun(event.run)
            for signal, decision in known.signals:
                annotate.mark_agent(span, live, signal, decision)
            annotate.mark_run(span, run, status, report, limit)


def _report(decision: RunDecision, known: KnownRun, run: RunSummary) -> StopReport | None:
    """Of a halted run; None for any other."""
    if not decision.halts:
        return None
    if known.halted_by is None or decision.by != BY_LOOPWATCH:
        return report_of(decision, run)
    return stop_report(known.halted_by, run)
