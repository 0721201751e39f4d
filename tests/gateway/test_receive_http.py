from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import anyio
import pytest
from gateway.receiving import JSON, PROTOBUF, SPANS, SPANS_JSON, Receivers, packed, receivers, traces
from gateway.storing import DEADLINE_S
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from otel_loopwatch.gateway.receive.access import Access
from otel_loopwatch.gateway.receive.counts import Counts
from otel_loopwatch.gateway.receive.guard import Guard
from otel_loopwatch.gateway.receive.limits import Limits
from otel_loopwatch.gateway.receive.refusals import Reason
from otel_loopwatch.gateway.signal import Request, Signal
from otel_loopwatch.gateway.store import StoreFull

LIMITS = Limits(body_bytes=100_000, header_bytes=4096, headers=20)


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


@pytest.mark.parametrize("content_encoding", ["", "identity", "gzip", "GZIP"])
@pytest.mark.parametrize(("content_type", "body"), [(PROTOBUF, SPANS), (JSON, SPANS_JSON)], ids=["protobuf", "JSON"])
def test_spans_are_kept_and_acknowledged(
    gateway: Receivers, content_type: str, body: bytes, content_encoding: str
) -> None:
    """As protobuf, however they came; the answer says nothing but success, in the encoding of the request."""
    sent = packed(body) if content_encoding.lower() == "gzip" else body
    named = {"content_encoding": content_encoding} if content_encoding else {}
    answer = gateway.post(sent, content_type=content_type, **named)
    assert (answer.status, answer.media_type) == (200, content_type)
    assert answer.body == (b"{}" if content_type == JSON else b"")
    assert gateway.store.requests == [Request(Signal.TRACES, SPANS)]
    assert gateway.counts() == {}


@pytest.mark.parametrize(
    ("signal", "body"),
    [
        (Signal.LOGS, ExportLogsServiceRequest(resource_logs=[{"schema_url": "x"}])),
        (Signal.METRICS, ExportMetricsServiceRequest(resource_metrics=[{"schema_url": "x"}])),
    ],
)
def test_other_signals_are_kept_as_they_came(gateway: Receivers, signal: Signal, body: Any) -> None:
    """Each at its own path."""
    assert gateway.post(body.SerializeToString(), f"/v1/{signal.value}").status == 200
    assert gateway.store.requests == [Request(signal, body.SerializeToString())]


@pytest.mark.parametrize("content_type", ["application/JSON; charset=utf-8", "application/json ;x"])
def test_media_types_may_have_parameters(gateway: Receivers, content_type: str) -> None:
    """And be in any case."""
    assert gateway.post(SPANS_JSON, content_type=content_type).status == 200


@pytest.mark.parametrize(("content_type", "body"), [(PROTOBUF, b""), (JSON, b"{}"), (JSON, b'{"resourceSpans": []}')])
def test_an_empty_request_succeeds(gateway: Receivers, content_type: str, body: bytes) -> None:
    """There is nothing to keep."""
    assert gateway.post(body, content_type=content_type).status == 200
    assert gateway.bodies() == []


def test_what_is_not_known_is_kept(gateway: Receivers) -> None:
    """Fields of a newer protocol go on with the request."""
    body = SPANS + b"\xfa\x7f\x03new"
    assert gateway.post(body).status == 200
    assert gateway.bodies() == [body]


def test_spans_with_invalid_ids_are_rejected_and_counted(gateway: Receivers) -> None:
    """The answer says how many; the others are kept, and nothing of them is changed."""
    body = traces("good", "bad")
    body.resource_spans[0].scope_spans[0].spans[1].trace_id = bytes(16)
    answer = gateway.post(body.SerializeToString())
    partial = ExportTraceServiceResponse.FromString(answer.body).partial_success
    assert answer.status == 200
    assert (partial.rejected_spans, partial.error_message) == (1, "spans without a valid trace id and span id")
    assert gateway.bodies() == [traces("good").SerializeToString()]
    assert gateway.counts() == {"invalid_id": 1}


def test_a_request_of_nothing_but_invalid_spans_is_not_kept(gateway: Receivers) -> None:
    """In JSON the number of rejected spans is text, as 64-bit integers are."""
    body = SPANS_JSON.replace(b"0102030405060708090a0b0c0d0e0f10", b"01")
    answer = gateway.post(body, content_type=JSON)
    assert json.loads(answer.body)["partialSuccess"]["rejectedSpans"] == "1"
    assert gateway.bodies() == []


LARGE = SPANS + traces("a" * LIMITS.body_bytes).SerializeToString()
REFUSED: list[tuple[str, dict[str, Any], int, int, Reason]] = [
    ("no protobuf", {"body": b"\xff" * 9}, 400, 3, Reason.MALFORMED),
    ("cut protobuf", {"body": SPANS[:-1]}, 400, 3, Reason.MALFORMED),
    ("no JSON", {"body": b"{", "content_type": JSON}, 400, 3, Reason.MALFORMED),
    ("JSON of another kind", {"body": b"[]", "content_type": JSON}, 400, 3, Reason.MALFORMED),
    ("no gzip", {"content_encoding": "gzip"}, 400, 3, Reason.MALFORMED),
    ("cut at the head of gzip", {"body": packed(SPANS)[:5], "content_encoding": "gzip"}, 400, 3, Reason.MALFORMED),
    ("cut gzip", {"body": packed(SPANS)[:-1], "content_encoding": "gzip"}, 400, 3, Reason.MALFORMED),
    ("gzip with more", {"body": packed(SPANS) + b"more", "content_encoding": "gzip"}, 400, 3, Reason.MALFORMED),
    ("plain text", {"content_type": "text/plain"}, 415, 3, Reason.MEDIA_TYPE),
    ("no type", {"content_type": ""}, 415, 3, Reason.MEDIA_TYPE),
    ("zstd", {"content_encoding": "zstd"}, 415, 3, Reason.CONTENT_ENCODING),
    ("gzip twice", {"content_encoding": "gzip, gzip"}, 415, 3, Reason.CONTENT_ENCODING),
    ("too large", {"body": LARGE}, 413, 3, Reason.TOO_LARGE),
    ("too large, in chunks", {"body": iter([LARGE])}, 413, 3, Reason.TOO_LARGE),
    ("too large, packed", {"body": packed(LARGE), "content_encoding": "gzip"}, 413, 3, Reason.TOO_LARGE),
    ("too large, in parts", {"body": packed(SPANS, LARGE), "content_encoding": "gzip"}, 413, 3, Reason.TOO_LARGE),
    ("a header too many", {f"x{number}": "" for number in range(21)}, 431, 3, Reason.HEADERS),
    ("too large a header", {"x": "y" * 4096}, 431, 3, Reason.HEADERS),
    ("another host", {"host": "evil.example"}, 421, 7, Reason.OTHER_HOST),
]


@pytest.mark.parametrize(
    ("request_", "status", "code", "reason"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_a_refusal_has_a_status_a_body_and_a_count(
    gateway: Receivers, request_: dict[str, Any], status: int, code: int, reason: Reason
) -> None:
    """The body is a ``google.rpc.Status`` in the encoding of the request, or JSON where that was neither."""
    answer = gateway.post(**request_)
    assert answer.status == status
    if answer.media_type == JSON:
        assert json.loads(answer.body)["code"] == code
    else:
        assert (answer.media_type, answer.error().code) == (PROTOBUF, code)
        assert answer.error().message
    assert gateway.bodies() == []
    assert gateway.counts() == {reason.value: 1}


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_other_methods_are_told_which_one_works(gateway: Receivers, method: str) -> None:
    """By status 405 and ``Allow``."""
    answer = gateway.ask(method, "/v1/traces")
    assert (answer.status, answer.headers["allow"]) == (405, "POST")
    assert gateway.counts() == {"method": 1}


def test_other_paths_are_not_found(gateway: Receivers) -> None:
    """This is no place for them."""
    assert gateway.post(path="/v1/profiles").status == 404


@pytest.mark.parametrize("content_type", [PROTOBUF, JSON])
@pytest.mark.parametrize(
    ("failure", "reason", "after"), [(StoreFull(7), Reason.FULL, 7), (OSError("disk"), Reason.FAILED, 5)], ids=str
)
def test_what_cannot_be_kept_is_to_be_sent_again(
    gateway: Receivers, failure: Exception, reason: Reason, after: int, content_type: str
) -> None:
    """503 is tried again by exporters, after the time in ``Retry-After``; what went wrong here is not shown to them."""
    gateway.store.failure = failure
    answer = gateway.post(SPANS_JSON if content_type == JSON else SPANS, content_type=content_type)
    assert (answer.status, answer.headers["retry-after"]) == (503, str(after))
    assert (b"retryDelay" in answer.body) == (content_type == JSON)
    assert b"disk" not in answer.body
    assert gateway.counts() == {reason.value: 1}


def test_a_failure_to_keep_is_told_once(gateway: Receivers, caplog: pytest.LogCaptureFixture) -> None:
    """Per kind, with where it came from: it may happen with every request."""
    for failure in (PermissionError("folder"), PermissionError("folder"), TimeoutError("disk")):
        gateway.store.failure = failure
        gateway.post()
    told = [str(record.exc_info[1]) for record in caplog.records if record.exc_info]
    assert told == ["folder", "disk"]


def test_a_connection_goes_on_after_a_refusal(gateway: Receivers) -> None:
    """The rest of the body is let pass."""
    connection = gateway._connection()
    try:
        for body, status in ((LARGE, 413), (SPANS, 200)):
            connection.request("POST", "/v1/traces", body, {"Content-Type": PROTOBUF})
            response = connection.getresponse()
            assert (response.status, bool(response.read())) == (status, status != 200)
    finally:
        connection.close()


def test_who_judges_is_told_before_the_client_is(gateway: Receivers) -> None:
    """Of each request, with its position."""
    told: list[tuple[int, Request]] = []
    gateway.intake._kept = lambda position, request: told.append((position, request))
    assert gateway.post().status == 200
    assert told == [(1, Request(Signal.TRACES, SPANS))]


def test_too_much_at_a_time_is_to_be_sent_again() -> None:
    """Bodies that are being read have a limit together; they count until they are dealt with."""
    with receivers(Limits(buffered_bytes=len(SPANS) - 1)) as gateway:
        answer = gateway.post()
        assert (answer.status, answer.headers["retry-after"]) == (503, "1")
        assert gateway.counts() == {"busy": 1}
        assert gateway.post(b"").status == 200


def test_a_slow_disk_holds_up_nobody_else(gateway: Receivers, monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests are kept by threads: the server answers others meanwhile, and the client once its own is kept."""
    begun, written = Event(), Event()

    def slowly(request: Request) -> int:
        begun.set()
        assert written.wait(DEADLINE_S)
        return 1

    monkeypatch.setattr(gateway.store, "append", slowly)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(gateway.post)
        assert begun.wait(DEADLINE_S)
        assert gateway.ask("GET", "/v1/traces").status == 405
        assert not waiting.done()
        written.set()
        assert waiting.result(DEADLINE_S).status == 200


def test_what_is_no_request_passes_the_guard() -> None:
    """Such as the start and the end of an application."""
    passed: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        passed.append(scope["type"])

    async def nothing(message: Any = None) -> Any:
        raise AssertionError

    anyio.run(Guard(app, Access(), LIMITS, Counts()), {"type": "lifespan"}, nothing, nothing)
    assert passed == ["lifespan"]
