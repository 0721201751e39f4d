"""The run the current span belongs to, for the application's own loop: is it halted, and what should it do?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol
from weakref import WeakSet

from opentelemetry.trace import get_current_span

from otel_loopwatch.control.decisions import RunDecision
from otel_loopwatch.control.hook import Decision
from otel_loopwatch.control.report import StopReport
from otel_loopwatch.control.told import advice_of
from otel_loopwatch.control.webhook import Webhook
from otel_loopwatch.model import Level, LoopSignal


class LoopHalted(BaseException):
    """The run was halted, as its owner asked for. No ``Exception``, or frameworks would take it for a tool's error.

    Raised into a starting tool span it ends the runs of LangChain, OpenAI Agents, Pydantic AI, Google ADK, Microsoft
    Agent Framework, smolagents, CrewAI, Agno, DSPy and Anthropic's tool runner. Where a framework catches it the tool
    runs on (LlamaIndex); spans that are made after the fact (LangSmith) stop nothing.
    """

    def __init__(self, signal: LoopSignal | None, report: StopReport, advice: str = "") -> None:
        super().__init__(report.reason)
        self.signal = signal
        """The loop it was halted for; None where that was decided elsewhere, by a person perhaps."""
        self.report = report
        self.advice = advice or (signal.advice if signal is not None else "")
        """Two or three sentences for the model."""


@dataclass(slots=True)
class LiveRun:
    """What was decided about a run, kept while the span it lives in is open."""

    key: str
    signal: LoopSignal | None = None
    """Latest signal the run has not recovered from."""
    halted_by: LoopSignal | None = None
    """The loop it was halted for."""
    told: RunDecision | None = None
    """What was heard last of what is decided about it elsewhere."""
    report: StopReport | None = None
    """Of a halted run, by whomever."""
    ended: bool = False
    worst: Level | None = None
    """Level of the worst loop so far."""
    events: int = 0
    """Loop events written onto the agent span."""

    @property
    def halted(self) -> bool:
        """Whether it is to end."""
        return self.report is not None

    def go_on(self) -> None:
        """The halt is lifted."""
        self.halted_by = self.report = None

    def raise_if_halted(self) -> None:
        """Raise :class:`LoopHalted` if the run is halted."""
        if self.report is not None:
            told = self.told if self.halted_by is None else None
            raise LoopHalted(self.halted_by, self.report, advice_of(told) if told is not None else "")


class Home(Protocol):
    """An open span in which a run may live."""

    run: LiveRun | None


class Watcher(Protocol):
    """Who knows the open spans: a span processor."""

    webhook: Webhook | None
    """Where it has stop reports delivered."""

    def around(self, span_id: int) -> Sequence[Home]:
        """The open span of this id and those around it, from the inside out."""

    def progressed(self, run: str, version: int) -> None:
        """The application declared progress of a run."""

    def acted(self, signal: LoopSignal, decision: Decision, homes: Sequence[Home]) -> None:
        """A gate did something about the run in the nearest of these spans that one lives in."""

    def halted(self, signal: LoopSignal | None, report: StopReport, homes: Sequence[Home]) -> None:
        """A gate halted that run, for a loop or because it was told to."""


watchers: WeakSet[Watcher] = WeakSet()
"""The span processors at work in this process."""


class RunView:
    """A run as the application sees it, also after its end.

    It is known from its first call on; before that nothing is halted and nothing advised. So it is where no processor
    watches, and in code that runs outside every recorded span. Where several processors watch, one that halts is
    enough, and progress is told to all.
    """

    __slots__ = ("_seen",)

    def __init__(self, seen: Sequence[tuple[Watcher, Sequence[Home]]]) -> None:
        self._seen = seen

    @property
    def watched(self) -> bool:
        """Whether a span processor of ours knows the current span."""
        return any(homes for _, homes in self._seen)

    @property
    def halted(self) -> bool:
        """Whether the run was halted."""
        return any(run.halted for _, run in self._runs())

    @property
    def keys(self) -> tuple[str, ...]:
        """What the run is known by, to each processor."""
        return tuple(run.key for _, run in self._runs())

    @property
    def advice(self) -> str | None:
        """What to tell the model about the loop the run is in; None where it is in none."""
        return next((run.signal.advice for _, run in self._runs() if run.signal is not None), None)

    def report(self) -> StopReport | None:
        """The stop report of a halted run."""
        return next((run.report for _, run in self._runs() if run.report is not None), None)

    @property
    def exit_code(self) -> int:
        """For scripts: 0 where the run was not halted, else that of the report."""
        report = self.report()
        return 0 if report is None else report.exit_code

    def raise_if_halted(self) -> None:
        """Raise :class:`LoopHalted` if the run was halted: for the top of the application's own loop."""
        for _, run in self._runs():
            run.raise_if_halted()

    def progress(self, version: int) -> None:
        """Declare progress: a version higher than the last one starts the judging of the run afresh.

        Of no effect before the run's first call, when there is nothing to judge yet.
        """
        for watcher, run in self._runs():
            watcher.progressed(run.key, version)

    def go_on(self) -> None:
        """Lift the halt, as a person decided; a loop that goes on is halted again."""
        for _, run in self._runs():
            run.go_on()

    def acted(self, signal: LoopSignal, decision: Decision) -> bool:
        """Have the processors write down what a gate did; False where no span takes it."""
        return self._tell(lambda watcher, homes: watcher.acted(signal, decision, homes))

    def halt(self, signal: LoopSignal | None, report: StopReport) -> bool:
        """Have the processors take the run for halted; False where none knows it."""
        return self._tell(lambda watcher, homes: watcher.halted(signal, report, homes))

    def webhooks(self) -> frozenset[Webhook]:
        """Where the processors that know the run have stop reports delivered."""
        return frozenset(watcher.webhook for watcher, _ in self._runs() if watcher.webhook is not None)

    def _tell(self, what: Callable[[Watcher, Sequence[Home]], None]) -> bool:
        told = False
        for watcher, homes in self._seen:
            if any(home.run is not None for home in homes):
                what(watcher, homes)
                told = True
        return told

    def _runs(self) -> Iterator[tuple[Watcher, LiveRun]]:
        """The nearest run that each processor knows."""
        for watcher, homes in self._seen:
            run = next((home.run for home in homes if home.run is not None), None)
            if run is not None:
                yield watcher, run


def current_run() -> RunView:
    """The run that the current span belongs to, or the nearest span around it that a run lives in."""
    return run_around(get_current_span().get_span_context().span_id)


def run_around(span_id: int) -> RunView:
    """The run that an open span belongs to; none for 0."""
    return RunView([(watcher, watcher.around(span_id)) for watcher in tuple(watchers) if span_id])


def progress(version: int) -> None:
    """Declare progress of the current run; see :meth:`RunView.progress`."""
    current_run().progress(version)
