"""A whole gateway on free ports of loopback, and what sends to it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from threading import Event, Thread
from typing import Any

from gateway.serving import Client
from gateway.storing import DEADLINE_S
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcSpans
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpSpans
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace.export import SpanExporter

from otel_loopwatch.config import load
from otel_loopwatch.gateway.forward.endpoint import Endpoint
from otel_loopwatch.gateway.forward.services import path
from otel_loopwatch.gateway.service import Gateway
from otel_loopwatch.gateway.settings import GatewaySettings
from otel_loopwatch.gateway.signal import Request
from otel_loopwatch.otlp.values import attributes
from otel_loopwatch.settings import Options

WINDOW_S = 0.02
"""Spans of a trace wait so long for each other."""


@dataclass(slots=True)
class Running:
    """A gateway at work in a thread."""

    gateway: Gateway
    delivered: bool | None = None
    """What it said at its end."""

    @property
    def client(self) -> Client:
        """For its API."""
        return Client(self.gateway.http_port)

    @property
    def url(self) -> str:
        """Of OTLP/HTTP."""
        return f"http://127.0.0.1:{self.gateway.http_port}"

    def post(self, request: Request) -> int:
        """Send a request; the status of the answer."""
        return post(self.gateway.http_port, request)

    def over_http(self) -> SpanExporter:
        """An exporter of the SDK."""
        return HttpSpans(endpoint=f"{self.url}/v1/traces", timeout=DEADLINE_S)

    def over_grpc(self) -> SpanExporter:
        """An exporter of the SDK."""
        return GrpcSpans(endpoint=f"127.0.0.1:{self.gateway.grpc_port}", insecure=True, timeout=int(DEADLINE_S))


@contextmanager
def running(
    folder: Path, downstream: str | None = None, options: Options | None = None, **more: Any
) -> Iterator[Running]:
    """A gateway with its files in a folder, while the block lasts; then it drains."""
    made: list[Running] = []
    to = None if downstream is None else Endpoint(url=downstream)
    usual = {"http_port": 0, "grpc_port": 0, "window_s": WINDOW_S, "metrics_s": 0, "drain_s": DEADLINE_S}
    settings = GatewaySettings(folder=folder, downstream=to, **{**usual, **more})
    started = Event()
    thread = Thread(target=lambda: asyncio.run(_serve(settings, options or load(), made, started)), daemon=True)
    thread.start()
    assert started.wait(DEADLINE_S)
    try:
        yield made[0]
    finally:
        made[0].gateway.stop()
        thread.join(2 * DEADLINE_S)
        assert not thread.is_alive()


async def _serve(settings: GatewaySettings, options: Options, made: list[Running], started: Event) -> None:
    gateway = Gateway(settings, options)
    it = Running(gateway)
    made.append(it)
    serving = asyncio.create_task(gateway.serve())
    while not gateway._http.started and not serving.done():
        await asyncio.sleep(0.001)
    started.set()
    it.delivered = await serving


def post(port: int, request: Request) -> int:
    """Send a request to a port of this machine; the status of the answer."""
    connection = HTTPConnection("127.0.0.1", port, timeout=DEADLINE_S)
    try:
        connection.request("POST", path(request.signal), request.body, {"Content-Type": "application/x-protobuf"})
        return connection.getresponse().status
    finally:
        connection.close()


def nowhere() -> str:
    """Where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return f"http://127.0.0.1:{taken.getsockname()[1]}"


def spans_of(*bodies: bytes) -> dict[int, Any]:
    """The spans in requests, by their id."""
    requests = map(ExportTraceServiceRequest.FromString, bodies)
    return {
        int.from_bytes(span.span_id, "big"): span
        for request in requests
        for of_resource in request.resource_spans
        for of_scope in of_resource.scope_spans
        for span in of_scope.spans
    }


def marks_on(span: Any, *prefixes: str) -> dict[str, Any]:
    """Loopwatch's attributes of a span of protobuf, those that begin like this."""
    return {key: value for key, value in attributes(span.attributes).items() if key.startswith(prefixes)}
