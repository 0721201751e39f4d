"""What the processor costs per span, as a ratio to a processor that does nothing, measured in one run.

Both are measured in turns and the fastest round counts, so that a busy machine disturbs both alike.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.trace import Tracer, set_span_in_context

from otel_loopwatch import LoopwatchSpanProcessor

ROUNDS = 7
SPANS = 4000
CALLS_PER_RUN = 100
RESULT = "The policy of this shop says: " + "x" * 1000


def tool_calls(tracer: Tracer, spans: int) -> None:
    """Runs of an agent, each with ``CALLS_PER_RUN`` calls of about 200 bytes of arguments and 1 kB of result."""
    for number in range(spans):
        if number % CALLS_PER_RUN == 0:
            agent = tracer.start_span("invoke_agent", attributes={"gen_ai.operation.name": "invoke_agent"})
            inside = set_span_in_context(agent)
        span = tracer.start_span(
            "execute_tool search",
            context=inside,
            attributes={
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": "search",
                "gen_ai.tool.call.id": str(number),
                "gen_ai.tool.call.arguments": json.dumps({"query": f"topic {number % 97}", "note": "y" * 150}),
            },
        )
        span.set_attribute("gen_ai.tool.call.result", f"{RESULT}{number % 89}")
        span.end()
        if number % CALLS_PER_RUN == CALLS_PER_RUN - 1:
            agent.end()


def plain_spans(tracer: Tracer, spans: int) -> None:
    """Spans that are no agent's business."""
    for _ in range(spans):
        tracer.start_span("GET /", attributes={"http.request.method": "GET", "url.path": "/"}).end()


def tracer_with(processor: SpanProcessor) -> Tracer:
    """A tracer whose provider has this processor only."""
    provider = TracerProvider(sampler=ALWAYS_ON, shutdown_on_exit=False)
    provider.add_span_processor(processor)
    return provider.get_tracer("benchmark")


def seconds(work: Callable[[Tracer, int], None], tracer: Tracer, spans: int) -> float:
    """CPU time of the work."""
    started = time.process_time()
    work(tracer, spans)
    return time.process_time() - started


def compare(work: Callable[[Tracer, int], None], spans: int = SPANS, rounds: int = ROUNDS) -> tuple[float, float]:
    """Microseconds per span with a no-op processor, and with Loopwatch."""
    meters = MeterProvider(metric_readers=[InMemoryMetricReader()], shutdown_on_exit=False)
    tracers = (tracer_with(SpanProcessor()), tracer_with(LoopwatchSpanProcessor(meter_provider=meters)))
    for tracer in tracers:
        work(tracer, spans // 4)
    measured = [[seconds(work, tracer, spans) for tracer in tracers] for _ in range(rounds)]
    without, watched = (min(times) / spans * 1e6 for times in zip(*measured, strict=True))
    return without, watched


def main() -> None:
    """Print one line per kind of span."""
    for name, work in (("tool spans", tool_calls), ("other spans", plain_spans)):
        without, watched = compare(work)
        print(f"{name:<12} x{watched / without:.2f}  ({without:.1f} -> {watched:.1f} us per span on this machine)")


if __name__ == "__main__":
    main()
