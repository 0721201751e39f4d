"""Runs made by hand, on a clock made by hand: for tests of hooks, dashboards and of what reads our telemetry."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from types import TracebackType

from opentelemetry.trace import Span, Tracer, use_span

from otel_loopwatch import scripted
from otel_loopwatch.scenarios import Step

NS_PER_S = 1_000_000_000


class Clock:
    """Time that stands still until it is told to move; ns since the epoch. Fits ``clock=`` of the processor."""

    def __init__(self, now_ns: int = scripted.START_NS) -> None:
        self.now_ns = now_ns

    def __call__(self) -> int:
        """The time now."""
        return self.now_ns

    def advance(self, seconds: float) -> int:
        """Move on, and say what the time is then."""
        self.now_ns += int(seconds * NS_PER_S)
        return self.now_ns


class ScriptedAgent:
    """An agent without a model, which makes the calls a test tells it to, as spans of the GenAI conventions.

    ``with ScriptedAgent(tracer) as agent: agent.call("search", {"q": "x"}, "nothing")``. Each call follows a model
    response, ``gap_s`` seconds after the one before.
    """

    def __init__(self, tracer: Tracer, name: str = "agent", *, clock: Clock | None = None, gap_s: float = 2.0) -> None:
        self.clock = clock or Clock()
        self._tracer = tracer
        self._name = name
        self._gap_s = gap_s
        self._calls = 0

    def call(
        self, tool: str, arguments: Mapping[str, object] | None = None, result: str = "", *, error: str | None = None
    ) -> Span:
        """One call and what the tool answers; with ``error`` it fails, and has no result. Gives its ended span."""
        self._calls += 1
        start_ns = self.clock.advance(self._gap_s)
        scripted.think(self._tracer, start_ns - scripted.CALL_NS)
        step = Step(tool, dict(arguments or {}), result, error)
        return scripted.call(self._tracer, step, f"call-{self._calls}", start_ns)

    def __enter__(self) -> ScriptedAgent:
        self._span = self._tracer.start_span(
            f"invoke_agent {self._name}",
            start_time=self.clock(),
            attributes={"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": self._name},
        )
        self._current: AbstractContextManager[Span] = use_span(self._span, record_exception=False)
        self._current.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._current.__exit__(kind, error, traceback)
        self._span.end(self.clock.advance(self._gap_s))
