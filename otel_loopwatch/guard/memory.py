"""How the latest try of each request ended, and so whether and when it may be made again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from otel_loopwatch.guard.causes import Cause
from otel_loopwatch.guard.kinds import After, ResultKind
from otel_loopwatch.guard.limits import SECOND, Limits, Used

REMEMBERED = 4096
"""Requests that did not succeed, per run; the one that was tried least recently goes."""


@dataclass(frozen=True, slots=True)
class Step:
    """What may be done next about a request that did not succeed."""

    after: After
    cause: Cause
    why: str
    not_before_ns: int | None = None
    precondition: str | None = None


@dataclass(slots=True)
class Standing:
    """A request that did not succeed."""

    tool: str
    kind: ResultKind
    tries: int = 0
    since_ns: int = 0
    """When it was first tried."""
    not_before_ns: int = 0
    precondition: str = ""
    version: str | None = None
    """Of the precondition, when the request failed for want of it."""


class Memory:
    """The requests of one run. ``preconditions`` holds their present versions, as the application states them."""

    def __init__(self, limits: Limits, used: Used, preconditions: Mapping[str, str]) -> None:
        self._limits = limits
        self._used = used
        self._preconditions = preconditions
        self._standing: OrderedDict[Hashable, Standing] = OrderedDict()

    def refusal(self, request: Hashable, now_ns: int) -> Step | None:
        """Why a request must not be made now; None: it may be."""
        standing = self._standing.get(request)
        if standing is None:
            return None
        step = self._step(standing, now_ns)
        if standing.kind is ResultKind.PRECONDITION and self._changed(standing):
            return None
        return None if step.not_before_ns is not None and now_ns >= step.not_before_ns else step

    def trying(self, request: Hashable) -> None:
        """A request is made: after a failure that might pass it is a retry."""
        standing = self._standing.get(request)
        if standing is not None and standing.kind is ResultKind.RETRYABLE:
            self._used.retries[standing.tool] += 1

    def ended(self, request: Hashable, tool: str, kind: ResultKind, precondition: str, now_ns: int) -> Step | None:
        """What may be done next; None after a success."""
        before = self._standing.pop(request, None)
        if kind is ResultKind.SUCCESS:
            self._used.retries.pop(tool, None)
            return None
        standing = before if before is not None and before.kind is kind else Standing(tool, kind, since_ns=now_ns)
        standing.tries += 1
        standing.not_before_ns = now_ns + self._delay_ns(standing)
        standing.precondition, standing.version = precondition, self._preconditions.get(precondition)
        self._standing[request] = standing
        if len(self._standing) > REMEMBERED:
            self._standing.popitem(last=False)
        return self._in_time(self._step(standing, now_ns))

    def forget(self, request: Hashable) -> None:
        """The request came out well by another way."""
        self._standing.pop(request, None)

    def _in_time(self, step: Step) -> Step:
        """What could be done only after the run's deadline is not to be done."""
        if self._limits.seconds is None or step.not_before_ns is None:
            return step
        if step.not_before_ns - self._used.started_ns < self._limits.seconds * SECOND:
            return step
        why = f"{step.why} The limit of seconds is {self._limits.seconds:g}, and that is too late."
        return Step(After.STOP_PARTIAL, Cause.LIMIT, why)

    def moved_on(self, now_ns: int) -> None:
        """Progress was made: waits begin anew."""
        for standing in self._standing.values():
            standing.since_ns = now_ns

    def _delay_ns(self, standing: Standing) -> int:
        backoff = self._limits.wait if standing.kind is ResultKind.PENDING else self._limits.retry
        return backoff.delay_ns(standing.tries)

    def _changed(self, standing: Standing) -> bool:
        return self._preconditions.get(standing.precondition) not in (None, standing.version)

    def _step(self, standing: Standing, now_ns: int) -> Step:
        match standing.kind:
            case ResultKind.RETRYABLE:
                return self._retry(standing)
            case ResultKind.PRECONDITION:
                name = standing.precondition
                why = f"{standing.tool} needs {name}, and that has not changed."
                return Step(After.NEEDS_CHANGED_PRECONDITION, Cause.PRECONDITION, why, precondition=name)
            case ResultKind.PENDING:
                return self._wait(standing, now_ns)
            case _:
                why = f"{standing.tool} failed for good: the same call always fails."
                return Step(After.STOP_PARTIAL, Cause.FATAL, why)

    def _retry(self, standing: Standing) -> Step:
        limit = self._limits.retries
        if limit is not None and self._used.retries[standing.tool] >= limit:
            why = f"The {limit} retries of {standing.tool} are used up."
            return Step(After.STOP_PARTIAL, Cause.RETRIES, why)
        why = f"{standing.tool} failed in a way that may pass; it is to be tried later."
        return Step(After.RETRY_AFTER_BACKOFF, Cause.RETRYABLE, why, standing.not_before_ns)

    def _wait(self, standing: Standing, now_ns: int) -> Step:
        if now_ns - standing.since_ns >= self._limits.wait_s * SECOND:
            why = f"The answer of {standing.tool} was waited for {self._limits.wait_s:g} s."
            return Step(After.STOP_PARTIAL, Cause.WAITED, why)
        why = f"The answer of {standing.tool} is not there yet; it is to be asked for later."
        return Step(After.WAIT_BOUNDED, Cause.PENDING, why, standing.not_before_ns)
