"""How a run ended, and what a halted one leaves behind for those who resume it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import msgspec

from otel_loopwatch.model import Kind, Level, LoopSignal, RunSummary


class TerminalState(str, Enum):
    """Where a run came to rest."""

    COMPLETED = "completed"
    """The task is done, and what had to be shown was shown."""
    STOPPED_LOOP_GUARD = "stopped_loop_guard"
    """Stopped because it went in circles, or over a limit."""
    NEEDS_HUMAN = "needs_human"
    """A person must decide or do something first."""
    FAILED = "failed"
    """A tool failed for good, or the application itself."""
    PARTIAL = "partial"
    """Some of the work is done and stands; the rest is not."""

    @property
    def exit_code(self) -> int:
        """For scripts: 0 only where the task is done; 2 is left to wrong usage, as commands have it."""
        return _EXIT_CODES[self]


_EXIT_CODES = {
    TerminalState.COMPLETED: 0,
    TerminalState.FAILED: 1,
    TerminalState.PARTIAL: 10,
    TerminalState.NEEDS_HUMAN: 11,
    TerminalState.STOPPED_LOOP_GUARD: 12,
}


class Termination(str, Enum):
    """Why a run ended."""

    COMPLETED = "completed"
    """With its answer."""
    NO_PROGRESS = "no_progress"
    """It went in circles."""
    BUDGET_EXHAUSTED = "budget_exhausted"
    """It used up what it was given: turns, calls, retries, time, tokens or cost."""
    TOOL_ERROR = "tool_error"
    """A tool failed in a way that trying again does not mend."""
    MISSING_EVIDENCE = "missing_evidence"
    """It had an answer, and not what has to be shown for it."""
    HANDOFF = "handoff"
    """It was given to a person."""


class RunStatus(str, Enum):
    """How a run ended."""

    CLEAN = "clean"
    """No loop was signalled."""
    LOOPED = "looped"
    """It ended within a loop."""
    RECOVERED = "recovered"
    """A loop was signalled, and the run moved on."""
    HALTED = "halted"
    """It was stopped."""
    LIMIT_REACHED = "limit_reached"
    """A limit of the framework stopped it."""


def status_of(run: RunSummary, halted: bool, limited: bool = False) -> RunStatus:
    """The status of a run that ended as ``run`` says; ``limited``: a limit of its framework ended it."""
    if halted:
        return RunStatus.HALTED
    if limited:
        return RunStatus.LIMIT_REACHED
    if run.looping:
        return RunStatus.LOOPED
    return RunStatus.RECOVERED if run.signals else RunStatus.CLEAN


@dataclass(frozen=True, slots=True)
class CompletedOperation:
    """A side effect that happened: redoing the work must not repeat it."""

    key: str
    tool: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StopReport:
    """Why a run was stopped and where it stood. Holds no argument and no result.

    Published as JSON, whose schema is ``otel_loopwatch/schema/stop_report.json``.
    """

    run: str
    status: RunStatus
    """How loop detection sees its end."""
    state: TerminalState
    termination: Termination
    """What the guard stopped it for."""
    reason: str
    """One sentence for people."""
    resume_condition: str
    """What must change first, or the same happens again."""
    next_action: str
    """What may be done now."""
    stop_reason: Kind | None = None
    """Kind of the loop that stopped it; None where it was no loop."""
    level: Level | None = None
    tools: tuple[str, ...] = ()
    completed_calls: int = 0
    """Calls that ran to their end, wasted ones included."""
    wasted_calls: int = 0
    last_progress_ns: int = 0
    """When something new came back last, ns since the epoch; 0: never."""
    completed_operations: tuple[CompletedOperation, ...] = ()
    checkpoint: str | None = None
    """Last state of the work that is safe to go on from, as the application named it."""
    unmet_precondition: str | None = None
    """Name of what has to be given before the run may go on."""
    unmet_version: str | None = None
    """Version or fingerprint of that when the run was stopped, as the application named it."""

    @property
    def exit_code(self) -> int:
        """For scripts; see :attr:`TerminalState.exit_code`."""
        return self.state.exit_code

    def to_json(self) -> str:
        """The report as one JSON object, keys as above."""
        return msgspec.json.encode(self).decode()


def stop_report(signal: LoopSignal, run: RunSummary) -> StopReport:
    """The report of a run halted because of ``signal``."""
    over_budget = signal.kind is Kind.BUDGET
    return StopReport(
        run=signal.run,
        status=RunStatus.HALTED,
        state=TerminalState.STOPPED_LOOP_GUARD,
        termination=Termination.BUDGET_EXHAUSTED if over_budget else Termination.NO_PROGRESS,
        reason=signal.reason,
        resume_condition=_RESUME_CONDITION[signal.kind],
        next_action=RAISE_LIMIT if over_budget else CHANGE_FIRST,
        stop_reason=signal.kind,
        level=signal.level,
        tools=signal.tools,
        completed_calls=run.calls,
        wasted_calls=run.wasted_calls,
        last_progress_ns=run.last_progress_ns,
    )


CHANGE_FIRST = "Resume once the condition is met, or end the task with what is known."
RAISE_LIMIT = "Resume with a higher limit, or end the task with what is known."

_RESUME_CONDITION = {
    Kind.IDENTICAL: "Give the run information it does not have yet, or take the repeated tool away from it.",
    Kind.DRIFT: "Accept that the question has no answer in this source, or name another source.",
    Kind.PING_PONG: "Decide between the two steps the run alternates between, or remove what undoes the other.",
    Kind.CYCLE: "Break the cycle: settle the result of one of its steps before the run continues.",
    Kind.NO_PROGRESS: "State the next result that counts as progress, or end the task with what is known.",
    Kind.RETRY_STORM: "Repair the cause of the failure, or tell the run to work without this tool.",
    Kind.DUPLICATE_WRITE: "Check what was written more than once and undo it; the write itself succeeded.",
    Kind.BUDGET: "Raise the limit, or make the task smaller.",
}
