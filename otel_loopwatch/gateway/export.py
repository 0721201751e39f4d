"""The gateway's own metrics, sent to the downstream as everything else is."""

from __future__ import annotations

from collections.abc import Callable

from opentelemetry.exporter.otlp.proto.common.metrics_encoder import encode_metrics
from opentelemetry.sdk.metrics.export import MetricExporter, MetricExportResult, MetricsData

from otel_loopwatch.gateway.signal import Request, Signal


class OwnMetrics(MetricExporter):
    """Gives each collection to ``put`` as a request: it is kept, tried again and forwarded like those of others."""

    def __init__(self, put: Callable[[Request], object]) -> None:
        super().__init__()
        self._put = put

    def export(self, metrics_data: MetricsData, timeout_millis: float = 10_000, **kwargs: object) -> MetricExportResult:
        """Hand it over."""
        self._put(Request(Signal.METRICS, encode_metrics(metrics_data).SerializeToString()))
        return MetricExportResult.SUCCESS

    def force_flush(self, timeout_millis: float = 10_000) -> bool:
        """Nothing is held back."""
        return True

    def shutdown(self, timeout_millis: float = 30_000, **kwargs: object) -> None:
        """Nothing is open."""
