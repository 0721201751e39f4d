"""The real receivers, HTTP and gRPC, on free ports of loopback, and what they kept."""

from __future__ import annotations

import asyncio
import gzip
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPSConnection
from threading import Event, Thread
from typing import Any

from gateway.storing import DEADLINE_S, until
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from otel_loopwatch.gateway.receive.access import Access
from otel_loopwatch.gateway.receive.asgi import otlp_app
from otel_loopwatch.gateway.receive.grpcs import GrpcServer
from otel_loopwatch.gateway.receive.http import HttpServer
from otel_loopwatch.gateway.receive.intake import Intake
from otel_loopwatch.gateway.receive.limits import Limits
from otel_loopwatch.gateway.signal import Request

PROTOBUF, JSON = "application/x-protobuf", "application/json"
TRACE_ID, SPAN_ID = bytes(range(1, 17)), bytes(range(1, 9))
TOKEN = "a-token-of-many-letters"


def traces(*names: str, **ids: bytes) -> ExportTraceServiceRequest:
    """Spans of one resource and scope, by their names."""
    made = ExportTraceServiceRequest()
    of_scope = made.resource_spans.add().scope_spans.add()
    for name in names or ("a",):
        of_scope.spans.add(**{"trace_id": TRACE_ID, "span_id": SPAN_ID, "name": name, **ids})
    return made


SPANS = traces().SerializeToString()
"""A request with one span."""
SPANS_JSON = (
    b'{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0102030405060708090a0b0c0d0e0f10",'
    b'"spanId":"0102030405060708","name":"a"}]}]}]}'
)
"""The same as JSON."""


class Kept:
    """A store that keeps, or fails as a test wants it to."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.failure: Exception | None = None

    def append(self, request: Request) -> int:
        if self.failure is not None:
            raise self.failure
        self.requests.append(request)
        return len(self.requests)


@dataclass(frozen=True, slots=True)
class Answered:
    """What a client got."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def media_type(self) -> str:
        return self.headers["content-type"]

    def error(self) -> Status:
        """The body as the status that it must be."""
        return Status.FromString(self.body)


@dataclass(slots=True)
class Receivers:
    """Both servers, as they run."""

    intake: Intake
    store: Kept
    http: HttpServer
    grpc: GrpcServer
    tls: ssl.SSLContext | None = None
    stopped: Event = field(default_factory=Event)

    def counts(self) -> dict[str, int]:
        """What was refused, by reason."""
        return {reason: times for reason, times in self.intake.counts.items() if times}

    def bodies(self) -> list[bytes]:
        """What was kept."""
        return [request.body for request in self.store.requests]

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answered:
        """Over a new connection; header names with ``_`` for ``-``."""
        connection = self._connection()
        try:
            connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
            response = connection.getresponse()
            return Answered(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        finally:
            connection.close()

    def post(self, body: Any = SPANS, path: str = "/v1/traces", content_type: str = PROTOBUF, **more: str) -> Answered:
        return self.ask("POST", path, body, content_type=content_type, **more)

    def _connection(self) -> HTTPConnection:
        if self.tls is not None:
            return HTTPSConnection("127.0.0.1", self.http.port, timeout=DEADLINE_S, context=self.tls)
        return HTTPConnection("127.0.0.1", self.http.port, timeout=DEADLINE_S)


@contextmanager
def receivers(limits: Limits | None = None, access: Access | None = None) -> Iterator[Receivers]:
    """Both servers on one event loop in a thread, while the block lasts."""
    store = Kept()
    intake = Intake(store, limits=limits)  # type: ignore[arg-type]
    made: list[Receivers] = []
    thread = Thread(target=lambda: asyncio.run(_serve(intake, store, access or Access(), made)), daemon=True)
    thread.start()
    until(lambda: made and made[0].http.started)
    try:
        yield made[0]
    finally:
        made[0].http.stop()
        thread.join(DEADLINE_S)
        assert not thread.is_alive()


async def _serve(intake: Intake, store: Kept, access: Access, made: list[Receivers]) -> None:
    grpc = GrpcServer(intake, access, 0)
    await grpc.start()
    http = HttpServer(otlp_app(intake), access, 0, intake.limits, intake.counts)
    made.append(Receivers(intake, store, http, grpc))
    await http.serve()
    await grpc.stop(0)


def packed(body: bytes, *more: bytes) -> bytes:
    """As gzip, each part a member."""
    return b"".join(gzip.compress(part, mtime=0) for part in (body, *more))
