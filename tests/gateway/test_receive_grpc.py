from __future__ import annotations

from collections.abc import Iterator, Sequence
from threading import Event
from typing import Any

import grpc
import pytest
from gateway.receiving import SPANS, TOKEN, Receivers, receivers, traces
from gateway.storing import DEADLINE_S
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2_grpc import LogsServiceStub
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2_grpc import MetricsServiceStub
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import TraceServiceStub

from otel_loopwatch.gateway.receive.access import Access
from otel_loopwatch.gateway.receive.limits import Limits
from otel_loopwatch.gateway.signal import Request, Signal
from otel_loopwatch.gateway.store import StoreFull

EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
LIMITS = Limits(body_bytes=1 << 20)
UNLIMITED = (("grpc.max_send_message_length", -1), ("grpc.max_metadata_size", 1 << 20))


@pytest.fixture(scope="module")
def running() -> Iterator[Receivers]:
    """Servers for all tests of this file that need no others."""
    with receivers(LIMITS) as made:
        yield made


@pytest.fixture
def gateway(running: Receivers) -> Receivers:
    """The servers, with nothing kept and nothing counted."""
    running.store.requests.clear()
    running.store.failure = None
    running.intake.counts.update({reason: -times for reason, times in running.intake.counts.items()})
    return running


@pytest.fixture
def channel(running: Receivers) -> Iterator[grpc.Channel]:
    """A connection."""
    with grpc.insecure_channel(f"127.0.0.1:{running.grpc.port}", options=UNLIMITED) as made:
        yield made


def refused(channel: grpc.Channel, body: bytes, metadata: Sequence[tuple[str, str]] = (), **more: Any) -> grpc.RpcError:
    """The error of a call with these bytes."""
    with pytest.raises(grpc.RpcError) as told:
        channel.unary_unary(EXPORT)(body, metadata=metadata, timeout=DEADLINE_S, **more)
    return told.value


@pytest.mark.parametrize("compression", [grpc.Compression.NoCompression, grpc.Compression.Gzip])
@pytest.mark.parametrize(
    ("signal", "stub", "body"),
    [
        (Signal.TRACES, TraceServiceStub, traces()),
        (Signal.LOGS, LogsServiceStub, ExportLogsServiceRequest(resource_logs=[{"schema_url": "x"}])),
        (Signal.METRICS, MetricsServiceStub, ExportMetricsServiceRequest(resource_metrics=[{"schema_url": "x"}])),
    ],
    ids=lambda given: given.value if isinstance(given, Signal) else "",
)
def test_each_service_keeps_and_acknowledges(
    gateway: Receivers, channel: grpc.Channel, signal: Signal, stub: Any, body: Any, compression: grpc.Compression
) -> None:
    """Packed or not; the answer says nothing but success."""
    assert stub(channel).Export(body, compression=compression, timeout=DEADLINE_S).ByteSize() == 0
    assert gateway.store.requests == [Request(signal, body.SerializeToString())]


def test_spans_with_invalid_ids_are_rejected(gateway: Receivers, channel: grpc.Channel) -> None:
    """The answer says how many."""
    answer = TraceServiceStub(channel).Export(traces("a", "b", span_id=b"\1"), timeout=DEADLINE_S)
    assert answer.partial_success.rejected_spans == 2
    assert gateway.counts() == {"invalid_id": 2}
    assert gateway.bodies() == []


def test_bytes_that_are_no_request_are_refused(gateway: Receivers, channel: grpc.Channel) -> None:
    """With the status that exporters do not try again."""
    error = refused(channel, b"\xff" * 9)
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert gateway.counts() == {"malformed": 1}


@pytest.mark.parametrize(("failure", "reason", "after"), [(StoreFull(7), "full", 7), (OSError(), "failed", 5)], ids=str)
def test_what_cannot_be_kept_is_to_be_sent_again(
    gateway: Receivers, channel: grpc.Channel, failure: Exception, reason: str, after: int
) -> None:
    """UNAVAILABLE is tried again by exporters; the time is in the details and where Python's exporter looks."""
    gateway.store.failure = failure
    error = refused(channel, SPANS)
    metadata = dict(error.trailing_metadata())
    inner = RetryInfo()
    status = Status.FromString(metadata["grpc-status-details-bin"])
    assert error.code() is grpc.StatusCode.UNAVAILABLE
    assert status.message == error.details()
    assert status.details[0].Unpack(inner)
    assert inner == RetryInfo.FromString(metadata["google.rpc.retryinfo-bin"])
    assert inner.retry_delay.seconds == after
    assert gateway.counts() == {reason: 1}


@pytest.mark.parametrize("compression", [grpc.Compression.NoCompression, grpc.Compression.Gzip])
def test_a_message_beyond_the_limit_is_refused(
    gateway: Receivers, channel: grpc.Channel, compression: grpc.Compression
) -> None:
    """Also one that is small when packed. gRPC refuses it by itself."""
    error = refused(channel, bytes(LIMITS.body_bytes + 1), compression=compression)
    assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert gateway.bodies() == []


def test_metadata_beyond_the_limit_are_refused(gateway: Receivers, channel: grpc.Channel) -> None:
    """gRPC refuses them by itself."""
    error = refused(channel, SPANS, [("x", "y" * (LIMITS.header_bytes + 1))])
    assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert gateway.bodies() == []


@pytest.mark.parametrize(
    ("shown", "taken"),
    [(f"Bearer {TOKEN}", True), (TOKEN, False), ("Bearer another-of-many-letters", False), (None, False)],
)
def test_a_token_is_asked_for_where_one_is_set(shown: str | None, taken: bool) -> None:
    """In the metadata ``authorization``, also on loopback."""
    with receivers(access=Access(tokens=(TOKEN,))) as gateway:
        target = f"127.0.0.1:{gateway.grpc.port}"
        metadata = [] if shown is None else [("authorization", shown)]
        with grpc.insecure_channel(target) as channel:
            if taken:
                assert channel.unary_unary(EXPORT)(SPANS, metadata=metadata, timeout=DEADLINE_S) == b""
            else:
                assert refused(channel, SPANS, metadata).code() is grpc.StatusCode.UNAUTHENTICATED
        assert gateway.bodies() == [SPANS] * taken
        assert gateway.counts() == ({} if taken else {"unauthenticated": 1})


def test_a_call_without_a_token_is_refused_before_its_message() -> None:
    """The client need not have sent it."""
    over = Event()
    with receivers(access=Access(tokens=(TOKEN,))) as gateway:
        channel = grpc.insecure_channel(f"127.0.0.1:{gateway.grpc.port}")
        with channel, pytest.raises(grpc.RpcError) as told:
            channel.stream_unary(EXPORT)(iter(over.wait, True), timeout=DEADLINE_S)
        over.set()
    assert told.value.code() is grpc.StatusCode.UNAUTHENTICATED


def test_other_services_are_not_there(channel: grpc.Channel) -> None:
    """Of OTLP, the three signals are taken."""
    with pytest.raises(grpc.RpcError) as told:
        channel.unary_unary("/opentelemetry.proto.collector.profiles.v1.ProfilesService/Export")(
            b"", timeout=DEADLINE_S
        )
    assert told.value.code() is grpc.StatusCode.UNIMPLEMENTED
