"""How a run ended, and what a halted one leaves behind for those who resume it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import msgspec

from otel_loopwatch.model import Kind, Level, LoopSignal, RunSummary


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
class StopReport:
    """Why a run was halted and where it stood. Holds no argument and no result."""

    run: str
    status: RunStatus
    """Terminal state of the run."""
    stop_reason: Kind
    """Guard that stopped it."""
    level: Level
    reason: str
    """One sentence for people."""
    tools: tuple[str, ...]
    completed_calls: int
    """Calls that ran to their end, wasted ones included."""
    wasted_calls: int
    last_progress_ns: int
    """When something new came back last, ns since the epoch; 0: never."""
    before_resuming: str
    """What must change first, or the same loop starts again."""

    def to_json(self) -> str:
        """The report as one JSON object, keys as above."""
        return msgspec.json.encode(self).decode()


def stop_report(signal: LoopSignal, run: RunSummary) -> StopReport:
    """The report of a run halted because of ``signal``."""
    return StopReport(
        run=signal.run,
        status=RunStatus.HALTED,
        stop_reason=signal.kind,
        level=signal.level,
        reason=signal.reason,
        tools=signal.tools,
        completed_calls=run.calls,
        wasted_calls=run.wasted_calls,
        last_progress_ns=run.last_progress_ns,
        before_resuming=_BEFORE_RESUMING[signal.kind],
    )


_BEFORE_RESUMING = {
    Kind.IDENTICAL: "Give the run information it does not have yet, or take the repeated tool away from it.",
    Kind.DRIFT: "Accept that the question has no answer in this source, or name another source.",
    Kind.PING_PONG: "Decide between the two steps the run alternates between, or remove what undoes the other.",
    Kind.CYCLE: "Break the cycle: settle the result of one of its steps before the run continues.",
    Kind.NO_PROGRESS: "State the next result that counts as progress, or end the task with what is known.",
    Kind.RETRY_STORM: "Repair the cause of the failure, or tell the run to work without this tool.",
    Kind.DUPLICATE_WRITE: "Check what was written more than once and undo it; the write itself succeeded.",
    Kind.BUDGET: "Raise the limit, or make the task smaller.",
}
