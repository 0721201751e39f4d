"""The run the current span belongs to, for the application's own loop: is it halted, and what should it do?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar
from weakref import WeakSet

from opentelemetry.trace import get_current_span

from otel_loopwatch.control.report import StopReport
from otel_loopwatch.model import Level, LoopSignal

T = TypeVar("T")


class LoopHalted(BaseException):
    """The run was halted, as its owner asked for. No ``Exception``, or frameworks would take it for a tool's error."""

    def __init__(self, signal: LoopSignal, report: StopReport) -> None:
        super().__init__(signal.reason)
        self.signal = signal
        self.report = report

    @property
    def advice(self) -> str:
        """Two or three sentences for the model."""
        return self.signal.advice


@dataclass(slots=True)
class LiveRun:
    """What was decided about a run, kept while the span it lives in is open."""

    key: str
    signal: LoopSignal | None = None
    """Latest signal the run has not recovered from."""
    halted_by: LoopSignal | None = None
    report: StopReport | None = None
    worst: Level | None = None
    """Level of the worst loop so far."""
    events: int = 0
    """Loop events written onto the agent span."""

    def raise_if_halted(self) -> None:
        """Raise :class:`LoopHalted` if the run is halted."""
        if self.halted_by is not None and self.report is not None:
            raise LoopHalted(self.halted_by, self.report)


class Watcher(Protocol):
    """Who knows which run an open span belongs to: a span processor."""

    def run_of(self, span_id: int) -> LiveRun | None:
        """The run an open span belongs to, once its first call was seen."""

    def progressed(self, run: str, version: int) -> None:
        """The application declared progress of a run."""


watchers: WeakSet[Watcher] = WeakSet()
"""The span processors at work in this process."""


class RunView:
    """A run as the application sees it. Where no run is known (yet), nothing is halted and nothing is advised."""

    __slots__ = ("_found", "_span_id")

    def __init__(self, span_id: int) -> None:
        self._span_id = span_id
        self._found: tuple[Watcher, LiveRun] | None = None

    @property
    def halted(self) -> bool:
        """Whether the run was halted."""
        return self._read(lambda run: run.halted_by is not None, False)

    @property
    def advice(self) -> str | None:
        """What to tell the model about the loop the run is in; None where it is in none."""
        return self._read(lambda run: run.signal and run.signal.advice, None)

    def report(self) -> StopReport | None:
        """The stop report of a halted run."""
        return self._read(lambda run: run.report, None)

    def raise_if_halted(self) -> None:
        """Raise :class:`LoopHalted` if the run was halted: for the top of the application's own loop."""
        self._read(LiveRun.raise_if_halted, None)

    def progress(self, version: int) -> None:
        """Declare progress: a version higher than the last one starts the judging of the run afresh.

        Of no effect before the run's first call, when there is nothing to judge yet.
        """
        if (found := self._find()) is not None:
            watcher, run = found
            watcher.progressed(run.key, version)

    def _read(self, read: Callable[[LiveRun], T], default: T) -> T:
        found = self._find()
        return default if found is None else read(found[1])

    def _find(self) -> tuple[Watcher, LiveRun] | None:
        """The run is known from its first call on, so it is looked for until it is found."""
        if self._found is None and self._span_id:
            runs = ((watcher, watcher.run_of(self._span_id)) for watcher in tuple(watchers))
            self._found = next(((watcher, run) for watcher, run in runs if run is not None), None)
        return self._found


def current_run() -> RunView:
    """The run that the current span, or the nearest agent span around it, belongs to."""
    return RunView(get_current_span().get_span_context().span_id)


def progress(version: int) -> None:
    """Declare progress of the current run; see :meth:`RunView.progress`."""
    current_run().progress(version)
