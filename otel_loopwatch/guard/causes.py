"""Why a run is stopped, or would be, and what its stop report says for it."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from otel_loopwatch.control.report import CHANGE_FIRST, RAISE_LIMIT, TerminalState, Termination


class Cause(Enum):
    """What stands in the way of going on."""

    NONE = "none"
    """Nothing: the run has its answer."""
    LIMIT = "limit"
    """A limit of the run is used up."""
    LOOP = "loop"
    """The call is one round more of a loop."""
    RETRYABLE = "retryable"
    """A failure that may pass has not passed yet."""
    RETRIES = "retries"
    """Such failures have used up the retries of their tool."""
    PRECONDITION = "precondition"
    """Something has to change first."""
    FATAL = "fatal"
    """The call always fails."""
    PENDING = "pending"
    """An answer is not there yet."""
    WAITED = "waited"
    """It was waited for long enough."""
    OPERATION = "operation"
    """A side effect must not be executed: what became of it is not known, or its key stands for another one."""
    BUSY = "busy"
    """Somebody else is at the operation."""
    EVIDENCE = "evidence"
    """What has to be shown for the answer is missing."""
    BLOCKED = "blocked"
    """The model said what it lacks."""
    ERROR = "error"
    """The application failed."""
    UNFINISHED = "unfinished"
    """The run was left without an answer."""


class Ending(NamedTuple):
    """The part of a stop report that the cause alone decides."""

    state: TerminalState
    termination: Termination
    resume_condition: str
    next_action: str


_RESUME_NOW = "Resume from the checkpoint, or end the task with what is known."
_ASK = "Have a person look at the operation and resolve it in the ledger."

ENDINGS = {
    Cause.NONE: Ending(TerminalState.COMPLETED, Termination.COMPLETED, "Nothing is left to do.", "Use the answer."),
    Cause.LIMIT: Ending(
        TerminalState.STOPPED_LOOP_GUARD,
        Termination.BUDGET_EXHAUSTED,
        "Raise the limit, or make the task smaller.",
        RAISE_LIMIT,
    ),
    Cause.LOOP: Ending(
        TerminalState.STOPPED_LOOP_GUARD,
        Termination.NO_PROGRESS,
        "Give the run information it does not have yet.",
        CHANGE_FIRST,
    ),
    Cause.RETRYABLE: Ending(
        TerminalState.PARTIAL, Termination.TOOL_ERROR, "Wait until the failure has passed.", _RESUME_NOW
    ),
    Cause.RETRIES: Ending(
        TerminalState.STOPPED_LOOP_GUARD,
        Termination.BUDGET_EXHAUSTED,
        "Repair the cause of the failure, or raise the limit of retries.",
        RAISE_LIMIT,
    ),
    Cause.PRECONDITION: Ending(
        TerminalState.NEEDS_HUMAN,
        Termination.TOOL_ERROR,
        "Change the precondition, and give its new version.",
        CHANGE_FIRST,
    ),
    Cause.FATAL: Ending(
        TerminalState.FAILED,
        Termination.TOOL_ERROR,
        "Make another call: this one always fails.",
        "End the task with what is known, or start it anew in another way.",
    ),
    Cause.PENDING: Ending(TerminalState.PARTIAL, Termination.HANDOFF, "Wait until the answer is there.", _RESUME_NOW),
    Cause.WAITED: Ending(
        TerminalState.STOPPED_LOOP_GUARD,
        Termination.BUDGET_EXHAUSTED,
        "See why the answer does not come, or raise the limit of waiting.",
        RAISE_LIMIT,
    ),
    Cause.OPERATION: Ending(
        TerminalState.NEEDS_HUMAN, Termination.HANDOFF, "Find out whether the operation happened.", _ASK
    ),
    Cause.BUSY: Ending(
        TerminalState.NEEDS_HUMAN, Termination.HANDOFF, "Wait until the other claimant has ended.", _RESUME_NOW
    ),
    Cause.EVIDENCE: Ending(
        TerminalState.NEEDS_HUMAN,
        Termination.MISSING_EVIDENCE,
        "Give the evidence that is missing.",
        "Have a person check the answer, or resume to gather the evidence.",
    ),
    Cause.BLOCKED: Ending(
        TerminalState.NEEDS_HUMAN, Termination.HANDOFF, "Give the run what it said it needs.", CHANGE_FIRST
    ),
    Cause.ERROR: Ending(
        TerminalState.FAILED, Termination.TOOL_ERROR, "Repair what failed in the application.", _RESUME_NOW
    ),
    Cause.UNFINISHED: Ending(TerminalState.PARTIAL, Termination.HANDOFF, "Nothing has to change first.", _RESUME_NOW),
}
