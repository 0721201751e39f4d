"""What follows from a judgement: the control is asked, spans are marked, metrics counted, one line logged."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from opentelemetry.sdk.trace import Span
from opentelemetry.trace import SpanContext

from otel_loopwatch.control.announce import announce
from otel_loopwatch.control.decisions import RunDecision
from otel_loopwatch.control.hook import ControlHook, Decision, decide
from otel_loopwatch.control.outlet import SEVERITY, tell
from otel_loopwatch.control.report import RunStatus, StopReport, Termination, status_of, stop_report
from otel_loopwatch.control.run import LiveRun, run_around
from otel_loopwatch.control.told import report_of
from otel_loopwatch.control.webhook import Webhook
from otel_loopwatch.dialects import Limit
from otel_loopwatch.digests import Digests
from otel_loopwatch.live import LiveSpan
from otel_loopwatch.model import Action, LoopSignal, Observation, RunSummary, ToolCall
from otel_loopwatch.sampling import tell_samplers
from otel_loopwatch.telemetry import annotate, names
from otel_loopwatch.telemetry.metrics import Metrics


class Place(NamedTuple):
    """Where something happened; parts may be unknown."""

    seen: LiveSpan | None
    """What an exemplar points at."""
    own: LiveSpan | None
    """The span of the call itself."""
    home: LiveSpan | None
    """The span the run lives in."""

    @property
    def context(self) -> SpanContext | None:
        """Context of ``seen``."""
        return self.seen.context if self.seen is not None else None

    @property
    def run(self) -> LiveRun | None:
        """What was decided about the run."""
        return self.home.run if self.home is not None else None


class Ending(NamedTuple):
    """How a run ended."""

    status: RunStatus
    limit: Limit | None
    """The framework's limit, where it was that."""

    @classmethod
    def of(cls, run: RunSummary, known: LiveRun | None, limit: Limit | None) -> Ending:
        """The end of a run; what was halted did not end by a limit."""
        halted = known is not None and known.halted
        return cls(status_of(run, halted, limit is not None), None if halted else limit)


class Reaction:
    """Holds no lock, so that a slow or re-entrant hook disturbs nobody else."""

    def __init__(self, hook: ControlHook, metrics: Metrics, digests: Digests, webhook: Webhook | None = None) -> None:
        self._hook = hook
        self._metrics = metrics
        self._digests = digests
        self._webhook = webhook

    def to_call(
        self, call: ToolCall, seen: Observation, place: Place, summary: Callable[[LoopSignal], RunSummary]
    ) -> None:
        """A call was judged. Marks it, then reacts to its signals, the critical last: it is what spans shall show."""
        if not seen.refused:
            self._metrics.called(call, seen)
        if (span := writable(place.own)) is not None:
            annotate.mark_call(span, seen, self._digests.fingerprint)
        for signal in seen.recovered:
            self._to_recovery(signal, place)
        if seen.signals:
            for signal in sorted(seen.signals, key=lambda signal: SEVERITY[signal.level]):
                self.to_signal(signal, summary(signal), place)

    def to_signal(self, signal: LoopSignal, run: RunSummary, place: Place) -> None:
        """A loop was signalled: ask, obey, mark, count, tell."""
        decision = decide(self._hook, signal, run)
        if decision.action is Action.HALT and not decision.dry_run:
            self._halt(signal, run, place)
        _mark(signal, decision, place)
        if place.context is not None:
            tell_samplers(place.context.trace_id)
        self._metrics.signalled(signal, place.context)
        self._metrics.asked(decision, place.context)
        tell(signal, decision)

    def to_end(self, run: RunSummary, live: LiveSpan | None, limit: Limit | None) -> None:
        """A run ended, with the span ``live`` if that is known, and by the framework's limit if that is."""
        known = live.run if live is not None and live.run is not None and live.run.key == run.run else None
        end = Ending.of(run, known, limit)
        context = live.context if live is not None else None
        self._metrics.ended(run, end.status, context, end.limit, _termination(live))
        if live is not None and known is not None:
            known.ended = True
            _balance(run, end, known, live)

    def to_pause(self, run: RunSummary, live: LiveSpan, limit: Limit | None) -> None:
        """The span a run lived in ends, and the run may go on in another."""
        if live.run is not None:
            _balance(run, Ending.of(run, live.run, limit), live.run, live)

    def to_act(self, signal: LoopSignal, decision: Decision, home: LiveSpan) -> None:
        """A gate of this process did something about a loop of the run that lives in ``home``."""
        if home.run is not None and (span := writable(home)) is not None:
            annotate.mark_agent(span, home.run, signal, decision)

    def to_halt(self, signal: LoopSignal | None, report: StopReport, home: LiveSpan) -> None:
        """A gate of this process halted the run that lives in ``home``."""
        known = home.run
        if known is not None and not known.halted:
            known.report, known.halted_by = report, signal
            self._metrics.halted(signal, home.context)

    def to_decision(self, decision: RunDecision, run: RunSummary, home: LiveSpan) -> None:
        """This holds for the run that lives in ``home``, as was decided elsewhere. Each decision counts once."""
        known = home.run
        if known is None or (known.told is not None and decision.version <= known.told.version):
            return
        known.told = decision
        if decision.action is Action.CONTINUE:
            known.go_on()
        elif decision.halts and not known.halted:
            self._stop(None, report_of(decision, run), home, known, home.context)

    def _to_recovery(self, signal: LoopSignal, place: Place) -> None:
        self._metrics.recovered(signal, place.context)
        if place.run is not None:
            place.run.signal = None

    def _halt(self, signal: LoopSignal, run: RunSummary, place: Place) -> None:
        """Mark the run as halted. The first halt counts; whoever stops the run asks for it."""
        home, known = place.home, place.run
        if home is not None and known is not None and not known.halted:
            self._stop(signal, stop_report(signal, run), home, known, place.context)

    def _stop(
        self,
        signal: LoopSignal | None,
        report: StopReport,
        home: LiveSpan,
        known: LiveRun,
        context: SpanContext | None,
    ) -> None:
        around = run_around(home.span_id)
        told = around.halted
        known.report, known.halted_by = report, signal
        self._metrics.halted(signal, context)
        if not told:
            announce(report, around, self._webhook, self._metrics)


def _mark(signal: LoopSignal, decision: Decision, place: Place) -> None:
    if (span := writable(place.own)) is not None:
        annotate.mark_loop(span, signal, decision)
    if (run := place.run) is not None:
        run.signal = signal
        if (span := writable(place.home)) is not None:
            annotate.mark_agent(span, run, signal, decision)


def _balance(run: RunSummary, end: Ending, known: LiveRun, live: LiveSpan) -> None:
    if known.halted_by is not None:
        known.report = stop_report(known.halted_by, run)
    elif known.report is not None and known.told is not None:
        known.report = report_of(known.told, run)
    if (span := writable(live)) is not None:
        annotate.mark_run(span, run, end.status, known.report, end.limit)


def _termination(live: LiveSpan | None) -> Termination | None:
    """What a guard wrote onto the agent's span."""
    said = live.attributes.get(names.RUN_TERMINATION) if live is not None else None
    return Termination(said) if said in _TERMINATIONS else None


_TERMINATIONS = frozenset(termination.value for termination in Termination)


def writable(live: LiveSpan | None) -> Span | None:
    """The SDK's span, while it takes attributes."""
    span = live.span if live is not None else None
    return span if span is not None and span.is_recording() else None
