"""What the guard decides before and after a call, what a result may be, and what became of a call."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import reduce

from otel_loopwatch import notes
from otel_loopwatch.canonical import text_of
from otel_loopwatch.control.report import StopReport


class Before(str, Enum):
    """Decided before a call."""

    EXECUTE = "execute"
    """The tool runs."""
    RETURN_CACHED_SUCCESS = "return_cached_success"
    """The operation happened before: its stored result is given, and the tool does not run."""
    STOP_PARTIAL = "stop_partial"
    """The tool does not run; what is done so far stands."""


class After(str, Enum):
    """What may be done after a call, or instead of a refused one."""

    COMPLETE = "complete"
    """The operation happened, and never runs again under its key."""
    CONTINUE = "continue"
    """Go on with the result."""
    RETRY_AFTER_BACKOFF = "retry_after_backoff"
    """The same call may be tried again from ``not_before_ns`` on."""
    NEEDS_CHANGED_PRECONDITION = "needs_changed_precondition"
    """The same call may be tried again once the precondition is shown to have changed."""
    WAIT_BOUNDED = "wait_bounded"
    """The answer is not there yet: ask again from ``not_before_ns`` on."""
    STOP_PARTIAL = "stop_partial"
    """The same call must not be made again; what is done so far stands."""


class ResultKind(str, Enum):
    """What a result is. Each kind has a branch of its own: none is retried as another one is."""

    SUCCESS = "success"
    """The call did what it should, even where it found nothing."""
    RETRYABLE = "retryable"
    """A failure that may pass by itself."""
    PRECONDITION = "precondition"
    """A failure until something is changed: a permission, a missing input."""
    FATAL = "fatal"
    """A failure that the same call will always give."""
    PENDING = "pending"
    """The work was taken on, and its answer is not there yet."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool returns that knows more than its text says.

    A failure declared in this way also says that a side effect did not happen, so that its operation is released.
    """

    kind: ResultKind
    value: object = None
    """For the model; of a failure, its message."""
    precondition: str | None = None
    """Name of what has to change; else that of the tool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What became of a call. ``kind`` is None where the tool did not run."""

    tool: str
    before: Before
    after: After
    kind: ResultKind | None = None
    value: object = None
    """The tool's result, or the one that was stored."""
    message: str = ""
    """Why it did not succeed."""
    not_before_ns: int | None = None
    """When the same call may be made again, ns since the epoch."""
    precondition: str | None = None
    """Name of what has to change first."""
    note: str | None = None
    """Advice about a loop, for the model."""
    error: BaseException | None = None
    """What the tool raised."""
    report: StopReport | None = None
    """How the run would stand if it were stopped here; None after a success."""

    @property
    def ok(self) -> bool:
        """Whether there is a result to go on with."""
        return self.after in (After.COMPLETE, After.CONTINUE)

    @property
    def text(self) -> str:
        """What the model is to see: the result or the error with our note at its end, or our note alone."""
        if self.before is Before.STOP_PARTIAL:
            return self.message if notes.BEGIN in self.message else notes.refusal(self.message)
        said = f"{type(self.error).__name__}: {self.error}" if self.error is not None else text_of(self.value)
        told = (self.note, notes.nudge(self.message) if self.message else None)
        return reduce(notes.added, filter(None, told), said)


class Stopped(Exception):
    """``call`` has no result to give. ``attempt`` says what may be done, ``report`` how the run stands."""

    def __init__(self, attempt: Attempt, report: StopReport) -> None:
        super().__init__(attempt.message)
        self.attempt = attempt
        self.report = report
