"""A small agent that writes GenAI spans, on a provider with exporters before and after our processor."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import count
from typing import Any

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, Span, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_ON, Sampler

from otel_loopwatch.model import Evidence, Kind, Level, LoopSignal
from otel_loopwatch.processor import LoopwatchSpanProcessor

AGENT = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "support"}
SECRET = "warranty of the blue lamp"
ARGUMENTS = f'{{"query": "{SECRET}"}}'
RESULT = "The lamp was delivered on Monday by the north depot"
SIGNAL = LoopSignal(
    kind=Kind.IDENTICAL,
    level=Level.CRITICAL,
    run="run",
    tools=("search_docs",),
    count=8,
    period=1,
    wasted_calls=7,
    evidence=Evidence.STRONG,
    reason="search_docs was called 8 times.",
    advice="Answer with what is known.",
    call=8,
)
SECOND = 10**9


def ticks() -> Iterator[int]:
    """Times a second apart, from now on: what a run's tests see does not depend on how fast they run."""
    return count(time.time_ns(), SECOND)


CLOCK: ContextVar[Iterator[int]] = ContextVar("CLOCK", default=ticks())  # noqa: B039 - one for all calls outside agents


@dataclass
class Rig:
    """A provider, our processor in it, and what comes out on every side."""

    provider: TracerProvider
    processor: LoopwatchSpanProcessor
    before: InMemorySpanExporter
    after: InMemorySpanExporter
    reader: InMemoryMetricReader

    @contextmanager
    def agent(self, name: str = "support", **attributes: Any) -> Iterator[Span]:
        """An agent at work, as its instrumentation tells it."""
        attributes = {**AGENT, "gen_ai.agent.name": name, **attributes}
        tracer = self.provider.get_tracer("agents")
        token = CLOCK.set(ticks())
        try:
            with tracer.start_as_current_span(f"invoke_agent {name}", attributes=attributes) as span:
                yield span
        finally:
            CLOCK.reset(token)

    def start_call(self, tool: str = "search_docs", arguments: str = ARGUMENTS) -> Span:
        """A tool span as it starts."""
        attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool}
        attributes["gen_ai.tool.call.arguments"] = arguments
        tracer = self.provider.get_tracer("agents")
        return tracer.start_span(f"execute_tool {tool}", attributes=attributes, start_time=next(CLOCK.get()))

    def call(self, tool: str = "search_docs", arguments: str = ARGUMENTS, result: str = RESULT) -> Span:
        """One whole tool call. The result is set late, as instrumentations do."""
        span = self.start_call(tool, arguments)
        span.set_attribute("gen_ai.tool.call.result", result)
        span.end(next(CLOCK.get()))
        return span

    def spans(self, prefix: str = "") -> list[ReadableSpan]:
        """Finished spans, as the exporter registered before us got them."""
        return [span for span in self.before.get_finished_spans() if span.name.startswith(prefix)]

    def points(self, metric: str) -> dict[tuple[str, ...], Any]:
        """Data points of a metric, by the values of their labels in the order of the keys."""
        data = self.reader.get_metrics_data()
        metrics = [m for r in data.resource_metrics for s in r.scope_metrics for m in s.metrics] if data else []
        points = [point for m in metrics if m.name == metric for point in m.data.data_points]
        return {tuple(str(v) for _, v in sorted(point.attributes.items())): point for point in points}

    def counts(self, metric: str) -> dict[tuple[str, ...], float]:
        """Values of a counter, zeros left out."""
        return {labels: point.value for labels, point in self.points(metric).items() if point.value}


def rig(sampler: Sampler = ALWAYS_ON, **arguments: Any) -> Rig:
    """A fresh provider with everything in it."""
    reader = InMemoryMetricReader()
    arguments.setdefault("meter_provider", MeterProvider([reader], shutdown_on_exit=False))
    processor = LoopwatchSpanProcessor(**arguments)
    provider = TracerProvider(sampler=sampler, shutdown_on_exit=False)
    before, after = InMemorySpanExporter(), InMemorySpanExporter()
    for each in (SimpleSpanProcessor(before), processor, SimpleSpanProcessor(after)):
        provider.add_span_processor(each)
    return Rig(provider, processor, before, after, reader)
