"""The stop reports of one run: what the cause alone decides, and where the work stood."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from otel_loopwatch.control.report import StopReport, TerminalState, status_of
from otel_loopwatch.engine import Engine
from otel_loopwatch.guard.causes import ENDINGS, Cause
from otel_loopwatch.guard.operations import Operations
from otel_loopwatch.model import RunSummary


@dataclass(slots=True)
class Reports:
    """Makes them, as the run stands when it is asked."""

    run: str
    engine: Engine
    operations: Operations
    preconditions: Mapping[str, str]
    """Present versions by name."""
    checkpoint: str | None = None

    def of(self, cause: Cause, reason: str, precondition: str | None = None) -> StopReport:
        """The report of a run stopped for ``cause``; ``precondition`` is what it lacks."""
        ending = ENDINGS[cause]
        summary = self.engine.summary(self.run) or RunSummary(run=self.run)
        return self.located(
            StopReport(
                run=self.run,
                status=status_of(summary, ending.state is TerminalState.STOPPED_LOOP_GUARD),
                state=ending.state,
                termination=ending.termination,
                reason=reason,
                resume_condition=ending.resume_condition,
                next_action=ending.next_action,
                completed_calls=summary.calls,
                wasted_calls=summary.wasted_calls,
                last_progress_ns=summary.last_progress_ns,
                unmet_precondition=precondition,
                unmet_version=None if precondition is None else self.preconditions.get(precondition),
            )
        )

    def located(self, report: StopReport) -> StopReport:
        """A report, also one of the gate's, with what only the guard knows: where the work stood."""
        return replace(report, completed_operations=self.operations.completed, checkpoint=self.checkpoint)
