"""Instruments made from the catalogue's entries, so that names, units and bucket advice are written nowhere else."""

from __future__ import annotations

from threading import Lock

from opentelemetry.context import Context
from opentelemetry.metrics import CallbackOptions, Counter, Histogram, Meter, Observation
from opentelemetry.trace import INVALID_SPAN, NonRecordingSpan, SpanContext, set_span_in_context

from otel_loopwatch.telemetry.names import Metric

NO_SPAN = set_span_in_context(INVALID_SPAN, Context())
"""Context without a valid span: what is recorded in it leaves no exemplar. (An empty context means the current one.)"""


class Tally:
    """A counter that costs a dictionary increment and is read by an observable instrument at collection."""

    __slots__ = ("_counts", "_keys", "_lock")

    def __init__(self, meter: Meter, metric: Metric) -> None:
        self._keys = metric.attributes
        self.reset()
        meter.create_observable_counter(metric.name, [self.observe], metric.unit, metric.description)

    def reset(self) -> None:
        """Forget all counts, with a fresh lock: a fork may have copied a held one."""
        self._lock = Lock()
        self._counts: dict[tuple[str | None, ...], float] = {}

    def add(self, amount: float, *labels: str | None) -> None:
        """Count under label values, in the order of the catalogue; ``None`` leaves one out, and 0 makes the series."""
        with self._lock:
            self._counts[labels] = self._counts.get(labels, 0) + amount

    def observe(self, _: CallbackOptions) -> list[Observation]:
        """The counts so far, as the SDK collects them."""
        with self._lock:
            counts = list(self._counts.items())
        return [Observation(count, self._attributes(labels)) for labels, count in counts]

    def _attributes(self, labels: tuple[str | None, ...]) -> dict[str, str]:
        return {key: label for key, label in zip(self._keys, labels, strict=True) if label is not None}


class Labelled:
    """A synchronous instrument recorded with label values in the order of the catalogue."""

    __slots__ = ("_keys", "_record")

    def __init__(self, meter: Meter, metric: Metric) -> None:
        self._keys = metric.attributes
        self._record = _counter(meter, metric).add if not metric.buckets else _histogram(meter, metric).record

    def __call__(self, amount: float, *labels: str, span: SpanContext | None = None) -> None:
        """Record an amount; an exemplar points at ``span`` if it is sampled."""
        context = NO_SPAN if span is None else set_span_in_context(NonRecordingSpan(span), NO_SPAN)
        self._record(amount, dict(zip(self._keys, labels, strict=True)), context=context)


def _counter(meter: Meter, metric: Metric) -> Counter:
    return meter.create_counter(metric.name, metric.unit, metric.description)


def _histogram(meter: Meter, metric: Metric) -> Histogram:
    return meter.create_histogram(
        metric.name, metric.unit, metric.description, explicit_bucket_boundaries_advisory=metric.buckets
    )
