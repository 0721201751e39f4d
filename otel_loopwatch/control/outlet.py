"""What a gate does is told where people look: on spans, in the metrics, in the log.

Where a span processor of ours watches the current span, it judges the same calls from their spans and counts them;
the gate then only adds what it did. Where none does, the gate counts and marks by itself.
"""

from __future__ import annotations

import logging

from opentelemetry.sdk.trace import Span
from opentelemetry.trace import get_current_span

from otel_loopwatch.control.announce import announce
from otel_loopwatch.control.hook import Decision
from otel_loopwatch.control.report import RunStatus, StopReport, Termination
from otel_loopwatch.control.run import current_run
from otel_loopwatch.control.webhook import Webhook
from otel_loopwatch.model import Action, Level, LoopSignal, Observation, RunSummary, ToolCall
from otel_loopwatch.telemetry import annotate, names
from otel_loopwatch.telemetry.metrics import Metrics

log = logging.getLogger(names.SCOPE)

SEVERITY = {Level.WARNING: logging.WARNING, Level.CRITICAL: logging.ERROR}


class Outlet:
    """Called with no lock held, in the context of the call."""

    def __init__(self, metrics: Metrics, webhook: Webhook | None = None) -> None:
        self._metrics = metrics
        self._webhook = webhook

    def ran(self, call: ToolCall, seen: Observation) -> None:
        """A call was executed and judged."""
        if not current_run().watched:
            self._metrics.called(call, seen)
            for signal in seen.recovered:
                self._metrics.recovered(signal, None)

    def signalled(self, signal: LoopSignal, decision: Decision) -> None:
        """A loop was seen."""
        if current_run().watched:
            return
        self._metrics.signalled(signal, None)
        self._metrics.asked(decision, None)
        tell(signal, decision)

    def acted(self, signal: LoopSignal, action: Action, dry_run: bool) -> None:
        """The model was told, a call refused or the run ended; or it would have been."""
        decision = Decision(action, dry_run)
        if not dry_run:
            self._metrics.acted(signal, action)
        if not current_run().acted(signal, decision):
            span = get_current_span()
            if isinstance(span, Span) and span.is_recording():
                annotate.mark_loop(span, signal, decision)
        log.info("%s%s: %s", action.value, " (dry run)" if dry_run else "", signal.reason)

    def halted(self, signal: LoopSignal | None, report: StopReport) -> None:
        """The run was halted, for a loop or because somebody elsewhere decided so."""
        run = current_run()
        told = run.halted
        if not run.halt(signal, report):
            self._metrics.halted(signal, None)
        if not told:
            announce(report, run, self._webhook, self._metrics)

    def ended(self, run: RunSummary, status: RunStatus, termination: Termination | None) -> None:
        """The run came to its end."""
        if not current_run().watched:
            self._metrics.ended(run, status, None, termination=termination)


def tell(signal: LoopSignal, decision: Decision) -> None:
    """One record: the engine signals once per burst and level."""
    dry = " (dry run)" if decision.dry_run else ""
    log.log(
        SEVERITY[signal.level],
        "%s loop, %s, action %s%s: %s",
        signal.kind.value,
        signal.level.value,
        decision.action.value,
        dry,
        signal.reason,
        extra={"loopwatch_run": signal.run, "loopwatch_tools": signal.tools, "loopwatch_count": signal.count},
    )
