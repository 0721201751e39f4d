"""Spans of agents, of their tools and of others, made under a processor that does nothing and under ours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from opentelemetry.context import Context
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_ON, Sampler
from opentelemetry.trace import Span, Tracer, set_span_in_context

from otel_loopwatch import LoopwatchSpanProcessor

from .dialects import ORDINARY, Dialect, Written
from .exchanges import Workload, runs

SCOPE = "benchmark"


def tracer_with(processor: SpanProcessor, sampler: Sampler = ALWAYS_ON) -> Tracer:
    """A tracer whose provider has this processor only."""
    provider = TracerProvider(sampler=sampler, shutdown_on_exit=False)
    provider.add_span_processor(processor)
    return provider.get_tracer(SCOPE)


def unwatched() -> Tracer:
    """Under a processor that does nothing."""
    return tracer_with(SpanProcessor())


def watched() -> Tracer:
    """Under ours, with metrics that are collected."""
    meters = MeterProvider(metric_readers=[InMemoryMetricReader()], shutdown_on_exit=False)
    return tracer_with(LoopwatchSpanProcessor(meter_provider=meters))


def written(
    dialect: Dialect, workload: Workload, calls: int, random: Random, content: bool = True
) -> list[list[Written]]:
    """Calls as spans of this dialect, by run."""
    return [
        [dialect.written(one, number, content) for number, one in enumerate(run)]
        for run in runs(workload, calls, random)
    ]


def agent(tracer: Tracer, dialect: Dialect) -> tuple[Span, Context]:
    """An agent's span in a trace of its own, and the context of what is below it."""
    span = tracer.start_span("invoke_agent agent", context=Context(), attributes=dialect.agent)
    return span, set_span_in_context(span, Context())


def tool_spans(tracer: Tracer, inside: Context, spans: Iterable[Written]) -> None:
    """One after the other, below an agent's."""
    for one in spans:
        span = tracer.start_span(one.name, context=inside, attributes=one.begun)
        if one.ended:
            span.set_attributes(one.ended)
        span.end()


def agent_runs(tracer: Tracer, dialect: Dialect, by_run: Sequence[Sequence[Written]]) -> None:
    """Runs from the start of the agent's span to its end."""
    for spans in by_run:
        span, inside = agent(tracer, dialect)
        tool_spans(tracer, inside, spans)
        span.end()


def ordinary_spans(tracer: Tracer, number: int) -> None:
    """Requests."""
    for _ in range(number):
        tracer.start_span("GET /", attributes=ORDINARY).end()
