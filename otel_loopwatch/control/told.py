"""A halt that was decided elsewhere, in the words of a halt that was decided here."""

from __future__ import annotations

from otel_loopwatch.control.decisions import BY_LOOPWATCH, RunDecision
from otel_loopwatch.control.report import CHANGE_FIRST, RunStatus, StopReport, TerminalState, Termination
from otel_loopwatch.model import RunSummary

RESUME = "Have the run resumed where it was halted."
SETTLE = "Settle the loop where it was seen, and have the run resumed there."
END = "Make no more calls; say what is known so far."


def report_of(decision: RunDecision, run: RunSummary) -> StopReport:
    """The stop report of a run that was halted by ``decision``."""
    by_person = decision.by != BY_LOOPWATCH
    return StopReport(
        run=run.run,
        status=RunStatus.HALTED,
        state=TerminalState.NEEDS_HUMAN if by_person else TerminalState.STOPPED_LOOP_GUARD,
        termination=Termination.HANDOFF if by_person else Termination.NO_PROGRESS,
        reason=_reason(decision),
        resume_condition=RESUME if by_person else SETTLE,
        next_action=CHANGE_FIRST,
        completed_calls=run.calls,
        wasted_calls=run.wasted_calls,
        last_progress_ns=run.last_progress_ns,
    )


def advice_of(decision: RunDecision) -> str:
    """What the model is told."""
    return decision.advice or f"{_reason(decision)} {END}"


def _reason(decision: RunDecision) -> str:
    """One sentence, with who said it."""
    said = decision.reason.strip()
    said += "" if said.endswith((".", "!", "?")) else "."
    if decision.by == BY_LOOPWATCH:
        return said if len(said) > 1 else "The run was halted."
    return f"{decision.by} halted the run: {said}" if len(said) > 1 else f"{decision.by} halted the run."
