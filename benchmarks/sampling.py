"""What it costs to watch every trace behind a 1 % head sampler, against dropping 99 % of them.

``python benchmarks/sampling.py`` prints microseconds of CPU per tool span: dropped as before, recorded for processors
that do nothing, and recorded and watched. All are measured in turns, and the medians count.
"""

from __future__ import annotations

from functools import partial
from random import Random

from cost.dialects import DIALECTS
from cost.exchanges import distinct
from cost.processing import SPANS
from cost.timing import ROUNDS, Subject, interleaved, pinned
from cost.tracing import agent_runs, tracer_with, written
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.trace import SpanProcessor
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased
from opentelemetry.trace import Tracer

from otel_loopwatch import LoopwatchSampler, LoopwatchSpanProcessor

INNER = ParentBased(TraceIdRatioBased(0.01))
DIALECT = DIALECTS["GenAI"]


def main(spans: int = SPANS, rounds: int = ROUNDS) -> None:
    """Print one line per set-up."""
    watching = LoopwatchSpanProcessor(meter_provider=MeterProvider(shutdown_on_exit=False))
    tracers = {
        "1 % sampled, the rest dropped": tracer_with(SpanProcessor(), INNER),
        "1 % sampled, the rest recorded": tracer_with(SpanProcessor(), LoopwatchSampler(INNER)),
        "1 % sampled, all watched": tracer_with(watching, LoopwatchSampler(INNER)),
    }
    with pinned():
        measured = interleaved({name: _tool_spans(tracer, spans) for name, tracer in tracers.items()}, rounds)
    dropped = next(iter(measured.values()))
    for name, one in measured.items():
        print(f"{name:<32} x{one.over(dropped):5.2f}  ({one.microseconds:6.1f} us per span on this machine)")


def _tool_spans(tracer: Tracer, spans: int) -> Subject:
    random = Random(1)
    return Subject(spans, lambda: partial(agent_runs, tracer, DIALECT, written(DIALECT, distinct, spans, random)))


if __name__ == "__main__":
    main()
