"""A process with agents in it: providers of its own, our processor, and the page that Prometheus scrapes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any

from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.id_generator import IdGenerator
from prometheus_client import CollectorRegistry, start_http_server

from otel_loopwatch.control.gate import Gate
from otel_loopwatch.control.hook import ControlHook
from otel_loopwatch.processor import LoopwatchSpanProcessor
from otel_loopwatch.telemetry import names

OPERATION_BUCKETS = tuple(0.01 * 2**power for power in range(14))
"""Seconds; as the semantic conventions advise for ``gen_ai.client.operation.duration``."""
DELIVERY_S = 10.0
"""Longest wait for a stop report to reach the stand-in of its receiver."""


class Job:
    """A job as Prometheus calls it. ``options`` are those of our processor, and of the gate in front of its tools.

    ``reader`` reads the metrics as well as the exporter for Prometheus, which always does. ``own_clock``: the
    processor's, where it is to be another.
    """

    def __init__(
        self,
        name: str,
        clock: Callable[[], int],
        hook: ControlHook | str = "observe",
        gate: ControlHook | None = None,
        reader: MetricReader | None = None,
        own_clock: Callable[[], int] | None = None,
        **options: Any,
    ) -> None:
        self.name = name
        self.instance = f"{name}-0:9464"
        self.clock = clock
        self.loops = LoopSpans()
        resource = Resource({"service.name": name, "service.instance.id": self.instance})
        self.registry = CollectorRegistry()
        readers = [PrometheusMetricReader(registry=self.registry), *([] if reader is None else [reader])]
        self.meters = MeterProvider(readers, resource, shutdown_on_exit=False)
        self.processor = LoopwatchSpanProcessor(
            control_hook=hook, meter_provider=self.meters, clock=own_clock or clock, **options
        )
        self.gate = None if gate is None else Gate(gate, meter_provider=self.meters, clock=clock, **options)
        self.tracers = TracerProvider(resource=resource, shutdown_on_exit=False, id_generator=Ids(name))
        self.tracers.add_span_processor(self.processor)
        self.tracers.add_span_processor(SimpleSpanProcessor(self.loops))
        self.tracer = self.tracers.get_tracer("agents")
        self.model_seconds = self.meters.get_meter("instrumentation").create_histogram(
            "gen_ai.client.operation.duration",
            "s",
            "GenAI operation duration.",
            explicit_bucket_boundaries_advisory=OPERATION_BUCKETS,
        )

    def samples(self) -> Iterator[tuple[str, str, float]]:
        """What a scrape would find now: name, labels as text, value. The page of :meth:`endpoint` says the same."""
        if self.processor.webhook is not None:
            self.processor.webhook.flush(DELIVERY_S)
        for family in self.registry.collect():
            for sample in family.samples:
                yield (
                    sample.name,
                    ",".join([f'{name}="{value}"' for name, value in sample.labels.items()]),
                    sample.value,
                )

    @contextmanager
    def endpoint(self) -> Iterator[str]:
        """Host and port where the page is, while it is."""
        server, thread = start_http_server(0, "127.0.0.1", self.registry)
        try:
            yield f"127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

    def close(self) -> None:
        """Nothing of it runs on."""
        self.tracers.shutdown()
        self.meters.shutdown()


class Ids(IdGenerator):
    """Ids that look like ids, and are the same for the same name."""

    def __init__(self, name: str) -> None:
        self._random = Random(name)  # noqa: S311 - a script, not a secret

    def generate_span_id(self) -> int:
        """64 bits, never 0."""
        return self._random.getrandbits(64) or 1

    def generate_trace_id(self) -> int:
        """128 bits, never 0."""
        return self._random.getrandbits(128) or 1


class LoopSpans(SpanExporter):
    """Keeps the spans on which a loop is marked."""

    def __init__(self) -> None:
        self.spans: list[ReadableSpan] = []

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Take in what has ended."""
        self.spans += (span for span in spans if names.LOOP_DETECTED in (span.attributes or {}))
        return SpanExportResult.SUCCESS
