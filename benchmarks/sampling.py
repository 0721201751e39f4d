"""What it costs to watch every trace behind a 1 % head sampler, against dropping 99 % of them.

``python benchmarks/sampling.py`` prints microseconds of CPU per tool span: dropped as before, recorded for processors
that do nothing, and recorded and watched. All are measured in turns and the fastest round counts.
"""

from __future__ import annotations

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.sampling import ParentBased, Sampler, TraceIdRatioBased
from opentelemetry.trace import Tracer
from overhead import ROUNDS, SPANS, seconds, tool_calls

from otel_loopwatch import LoopwatchSampler, LoopwatchSpanProcessor

INNER = ParentBased(TraceIdRatioBased(0.01))


def tracer_with(sampler: Sampler, processor: SpanProcessor) -> Tracer:
    """A tracer of a provider with this sampler and one processor."""
    provider = TracerProvider(sampler=sampler, shutdown_on_exit=False)
    provider.add_span_processor(processor)
    return provider.get_tracer("benchmark")


def main(spans: int = SPANS, rounds: int = ROUNDS) -> None:
    """Print one line per set-up."""
    watching = LoopwatchSpanProcessor(meter_provider=MeterProvider(shutdown_on_exit=False))
    tracers = {
        "1 % sampled, the rest dropped": tracer_with(INNER, SpanProcessor()),
        "1 % sampled, the rest recorded": tracer_with(LoopwatchSampler(INNER), SpanProcessor()),
        "1 % sampled, all watched": tracer_with(LoopwatchSampler(INNER), watching),
    }
    for tracer in tracers.values():
        tool_calls(tracer, spans // 4)
    measured = [[seconds(tool_calls, tracer, spans) for tracer in tracers.values()] for _ in range(rounds)]
    best = [min(times) / spans * 1e6 for times in zip(*measured, strict=True)]
    for name, microseconds in zip(tracers, best, strict=True):
        print(f"{name:<32} x{microseconds / best[0]:5.2f}  ({microseconds:6.1f} us per span on this machine)")


if __name__ == "__main__":
    main()
