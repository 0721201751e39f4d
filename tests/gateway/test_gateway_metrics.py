"""What the gateway counts: at /metrics from its first moment on, and sent to the downstream as what others send."""

from __future__ import annotations

from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest
from gateway.agents import codex, tool, traces
from gateway.downstreams import HttpServer
from gateway.storing import DEADLINE_S, until
from gateway.whole import Running, nowhere, running
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

from otel_loopwatch.gateway.export import OwnMetrics
from otel_loopwatch.gateway.receive import http
from otel_loopwatch.gateway.signal import Request, Signal
from otel_loopwatch.telemetry.names import GATEWAY_METRICS


@pytest.fixture
def downstream() -> Iterator[HttpServer]:
    """Takes everything."""
    made = HttpServer()
    yield made
    made.close()


def points(gateway: Running) -> dict[str, float]:
    """What stands at /metrics, by name and labels as they are written, scope left out."""
    connection = HTTPConnection("127.0.0.1", gateway.gateway.http_port, timeout=DEADLINE_S)
    try:
        connection.request("GET", "/metrics")
        response = connection.getresponse()
        text = response.read().decode()
        assert response.headers["content-type"].startswith("text/plain; version=0.0.4")
    finally:
        connection.close()
    lines = [line.rpartition(" ") for line in text.splitlines() if line.startswith("loopwatch_")]
    return {before.partition("otel_scope")[0].rstrip("{,"): float(value) for before, _, value in lines}


def test_every_metric_of_the_gateway_is_there_from_the_start(tmp_path: Path) -> None:
    """An alert misses a counter's first event otherwise."""
    with running(tmp_path, nowhere()) as gateway:
        at_start = points(gateway)
    for metric in GATEWAY_METRICS:
        name = metric.name.replace(".", "_")
        found = [value for point, value in at_start.items() if point.startswith(name)]
        assert found
        assert set(found) == {0.0}
    assert at_start['loopwatch_processor_skipped_total{loopwatch_reason="unreadable"'] == 0
    assert at_start['loopwatch_processor_skipped_total{loopwatch_reason="late"'] == 0


def test_what_comes_and_goes_is_counted(tmp_path: Path, downstream: HttpServer) -> None:
    """By the signals of OTLP; what is refused by its reason; calls and loops as everywhere."""
    with running(tmp_path, downstream.url) as gateway:
        for request in (*(traces(tool(number)) for number in range(3)), codex(1), Request(Signal.METRICS, b"\x0a\x00")):
            assert gateway.post(request) == 200
        assert gateway.post(Request(Signal.TRACES, b"\xff")) == 400
        until(lambda: points(gateway)["loopwatch_gateway_forwarded_total"] == 5)
        until(lambda: points(gateway)["loopwatch_gateway_waiting"] == 0)
        found = points(gateway)
    assert found['loopwatch_gateway_kept_total{loopwatch_gateway_signal="traces"'] == 3
    assert found['loopwatch_gateway_kept_total{loopwatch_gateway_signal="logs"'] == 1
    assert found['loopwatch_gateway_kept_total{loopwatch_gateway_signal="metrics"'] == 1
    assert found['loopwatch_gateway_refused_total{error_type="malformed"'] == 1
    assert found['loopwatch_tool_calls_total{gen_ai_tool_name="search",loopwatch_call_outcome="success"'] == 3
    assert found["loopwatch_run_active"] == 2
    assert found["loopwatch_run_capacity"] == 10_000
    assert found["loopwatch_gateway_stored_bytes"] > 0


def test_its_own_metrics_go_to_the_downstream(tmp_path: Path, downstream: HttpServer) -> None:
    """Under the name of the gateway; the last of them at its end."""
    with running(tmp_path, downstream.url, metrics_s=3600):
        assert downstream.script.received.empty()
    received = downstream.script.received.get(timeout=DEADLINE_S)
    (of_resource,) = ExportMetricsServiceRequest.FromString(received.body).resource_metrics
    assert received.path == "/v1/metrics"
    assert {"service.name": "otel-loopwatch"}.items() <= {
        pair.key: pair.value.string_value for pair in of_resource.resource.attributes
    }.items()
    told = {metric.name for scope in of_resource.scope_metrics for metric in scope.metrics}
    assert {metric.name for metric in GATEWAY_METRICS} <= told


def test_nobody_is_sent_metrics_who_wants_none(tmp_path: Path, downstream: HttpServer) -> None:
    """They are at /metrics only."""
    with running(tmp_path, downstream.url) as gateway:
        assert gateway.post(traces(tool(1))) == 200
    assert [downstream.script.received.get().path for _ in range(downstream.script.received.qsize())] == ["/v1/traces"]


def test_the_exporter_holds_nothing_back() -> None:
    """There is nothing to flush, and nothing to close."""
    exporter = OwnMetrics(lambda request: None)
    assert exporter.force_flush()
    exporter.shutdown()


def test_who_waits_does_not_hold_up_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream of events ends when the gateway is told to stop; the server would wait for it for long."""
    monkeypatch.setattr(http, "GRACE_S", 1000)
    with running(tmp_path, nowhere()) as gateway, gateway.client.events() as events:
        gateway.gateway.stop()
        while events.response.readline():
            pass
    assert gateway.delivered
