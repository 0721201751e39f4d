"""The meter provider of the gateway: at ``/metrics`` for Prometheus, and on its way to the downstream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from otel_loopwatch.gateway.export import OwnMetrics
from otel_loopwatch.otlp.loops import SERVICE

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

TEXT = "text/plain; version=0.0.4; charset=utf-8"
"""The text format of Prometheus."""


class Counting:
    """Collects what the gateway counts. ``exporter`` is told each ``every_s`` seconds; 0: never."""

    def __init__(self, exporter: OwnMetrics, every_s: float) -> None:
        from opentelemetry.exporter.prometheus import PrometheusMetricReader
        from prometheus_client import CollectorRegistry

        self._registry: CollectorRegistry = CollectorRegistry()
        readers: list[MetricReader] = [PrometheusMetricReader(registry=self._registry)]
        if every_s:
            readers.append(PeriodicExportingMetricReader(exporter, export_interval_millis=every_s * 1000))
        self.provider = MeterProvider(readers, Resource.create({"service.name": SERVICE}), shutdown_on_exit=False)

    def route(self) -> Route:
        """``GET /metrics``."""
        return Route("/metrics", self._answer, methods=["GET"])

    def close(self) -> None:
        """Export what was counted last."""
        self.provider.shutdown()

    def _answer(self, request: Request) -> Response:
        from prometheus_client import generate_latest

        return Response(generate_latest(self._registry), media_type=TEXT)
