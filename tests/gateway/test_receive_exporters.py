from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pytest
from gateway.receiving import TOKEN, Receivers, receivers
from gateway.storing import DEADLINE_S
from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter as GrpcLogs
from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import OTLPMetricExporter as GrpcMetrics
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcSpans
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter as HttpLogs
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter as HttpMetrics
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpSpans
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExportResult

from otel_loopwatch.gateway.receive.access import Access
from otel_loopwatch.gateway.signal import Signal
from otel_loopwatch.gateway.store import StoreFull
from otel_loopwatch.otlp import decode

RESOURCE = Resource({"service.name": "shop"})
TIMEOUT_S = int(DEADLINE_S)
Make = Callable[..., Any]


@pytest.fixture(scope="module")
def running() -> Iterator[Receivers]:
    """Servers that ask for a token."""
    with receivers(access=Access(tokens=(TOKEN,))) as made:
        yield made


@pytest.fixture
def gateway(running: Receivers) -> Receivers:
    """The servers, with nothing kept."""
    running.store.requests.clear()
    running.store.failure = None
    return running


def over_http(gateway: Receivers, exporter: Make, signal: Signal, gzip: bool, token: str = TOKEN) -> Any:
    """An exporter of OTLP/HTTP in protobuf."""
    return exporter(
        endpoint=f"http://127.0.0.1:{gateway.http.port}/v1/{signal.value}",
        headers={"Authorization": f"Bearer {token}"},
        compression=Compression.Gzip if gzip else Compression.NoCompression,
        timeout=TIMEOUT_S,
    )


def over_grpc(gateway: Receivers, exporter: Make, signal: Signal, gzip: bool, token: str = TOKEN) -> Any:
    """An exporter of OTLP/gRPC."""
    return exporter(
        endpoint=f"127.0.0.1:{gateway.grpc.port}",
        insecure=True,
        headers=(("authorization", f"Bearer {token}"),),
        compression=grpc.Compression.Gzip if gzip else grpc.Compression.NoCompression,
        timeout=TIMEOUT_S,
    )


WAYS = pytest.mark.parametrize(
    ("way", "spans", "logs", "metrics"),
    [(over_http, HttpSpans, HttpLogs, HttpMetrics), (over_grpc, GrpcSpans, GrpcLogs, GrpcMetrics)],
    ids=["HTTP", "gRPC"],
)
PACKED = pytest.mark.parametrize("gzip", [False, True], ids=["plain", "gzip"])


def export_span(exporter: Any) -> None:
    """One span of the SDK."""
    provider = TracerProvider(resource=RESOURCE)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with provider.get_tracer("lib").start_as_current_span("execute_tool search", attributes={"n": 7, "s": ["a", "b"]}):
        pass
    provider.shutdown()


@WAYS
@PACKED
def test_spans_of_the_sdk_arrive(
    gateway: Receivers, way: Make, spans: Make, logs: Make, metrics: Make, gzip: bool
) -> None:
    """And are read as they were written."""
    export_span(way(gateway, spans, Signal.TRACES, gzip))
    (kept,) = gateway.store.requests
    (span,) = decode.spans(ExportTraceServiceRequest.FromString(kept.body))
    assert (span.name, span.scope, span.service) == ("execute_tool search", "lib", "shop")
    assert span.attributes == {"n": 7, "s": ["a", "b"]}
    assert kept.signal is Signal.TRACES


@WAYS
@PACKED
def test_log_records_of_the_sdk_arrive(
    gateway: Receivers, way: Make, spans: Make, logs: Make, metrics: Make, gzip: bool
) -> None:
    """At their own place."""
    provider = LoggerProvider(resource=RESOURCE)
    provider.add_log_record_processor(SimpleLogRecordProcessor(way(gateway, logs, Signal.LOGS, gzip)))
    provider.get_logger("lib").emit(body="told")
    provider.shutdown()
    (kept,) = gateway.store.requests
    (record,) = ExportLogsServiceRequest.FromString(kept.body).resource_logs[0].scope_logs[0].log_records
    assert record.body.string_value == "told"


@WAYS
@PACKED
def test_metrics_of_the_sdk_arrive(
    gateway: Receivers, way: Make, spans: Make, logs: Make, metrics: Make, gzip: bool
) -> None:
    """At their own place."""
    reader = PeriodicExportingMetricReader(way(gateway, metrics, Signal.METRICS, gzip))
    provider = MeterProvider([reader], RESOURCE)
    provider.get_meter("lib").create_counter("calls").add(3)
    provider.shutdown()
    (kept,) = gateway.store.requests
    (metric,) = ExportMetricsServiceRequest.FromString(kept.body).resource_metrics[0].scope_metrics[0].metrics
    assert metric.sum.data_points[0].as_int == 3


@WAYS
def test_an_exporter_without_the_token_fails_at_once(
    gateway: Receivers, way: Make, spans: Make, logs: Make, metrics: Make
) -> None:
    """It is not told to try again."""
    exporter = way(gateway, spans, Signal.TRACES, False, token="of-another-gateway")
    provider = TracerProvider()
    with provider.get_tracer("lib").start_as_current_span("a") as span:
        pass
    assert exporter.export([span]) is SpanExportResult.FAILURE
    assert gateway.bodies() == []


@WAYS
def test_an_exporter_sends_again_what_could_not_be_kept(
    gateway: Receivers, way: Make, spans: Make, logs: Make, metrics: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the time it is told; by then there is room."""
    kept = gateway.store.append

    def full_once(request: Any) -> int:
        monkeypatch.setattr(gateway.store, "append", kept)
        raise StoreFull(0)

    monkeypatch.setattr(gateway.store, "append", full_once)
    export_span(way(gateway, spans, Signal.TRACES, False))
    assert len(gateway.bodies()) == 1
