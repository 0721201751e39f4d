"""Messages, and which of them can matter."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from worker.material import Material, Mix

from otel_loopwatch.dialects import Role, role
from otel_loopwatch.otlp import decode, jsons
from otel_loopwatch.settings import Options
from otel_loopwatch.stream.watch import StreamWatch
from otel_loopwatch.worker.messages import Encoding, matters, parse

NOBODY: Callable[[int], bool] = frozenset[int]().__contains__


def requests(web: float = 0.5) -> list[ExportTraceServiceRequest]:
    """Some messages."""
    return [parse(Encoding.PROTO, value) for _, value in islice(Material(3, 500, Mix(web=web)).messages(), 50)]


def web() -> ExportTraceServiceRequest:
    """A message with a web request in it, whole."""
    return next(request for request in requests(1) if not matters(request, NOBODY))


def test_both_encodings_say_the_same() -> None:
    """As the exporter writes otlp_proto and otlp_json, and as TracesData."""
    for request in requests():
        assert parse(Encoding.JSON, jsons.line(request)) == request
        traces = TracesData(resource_spans=request.resource_spans).SerializeToString()
        assert parse(Encoding.PROTO, traces) == request


@pytest.mark.parametrize("encoding", Encoding)
@pytest.mark.parametrize("body", [b"\xff\xff\xff", b"[1]", b'{"resourceSpans": 1}'])
def test_what_is_no_request_is_said_to_be_none(encoding: Encoding, body: bytes) -> None:
    """On one line."""
    with pytest.raises(ValueError, match=r"^.+$"):
        parse(encoding, body)


def test_a_message_without_a_body_holds_nothing() -> None:
    """A tombstone on the topic of spans; in JSON it is no document."""
    assert list(decode.spans(parse(Encoding.PROTO, None))) == []
    with pytest.raises(ValueError, match="truncated"):
        parse(Encoding.JSON, None)


def test_messages_that_cannot_matter_leave_nothing_behind() -> None:
    """What is left unread has the tracker where it was; every span of an agent is read."""
    seen = []
    for request in requests():
        spans = list(decode.spans(request))
        seen.append(matters(request, NOBODY))
        assert seen[-1] or all(role(span) is Role.OTHER for span in spans)
        if not seen[-1]:
            watch = StreamWatch(Options())
            assert list(watch.take(spans)) == []
            assert not any(watch.follows(span.trace_id) or watch.save(span.trace_id) for span in spans)
    assert True in seen
    assert False in seen


def test_ordinary_spans_matter_where_an_agent_works() -> None:
    """They may lie between an agent and its tools."""
    request = web()
    trace_id = int.from_bytes(request.resource_spans[0].scope_spans[0].spans[0].trace_id, "big")
    assert matters(request, {trace_id}.__contains__)


@pytest.mark.parametrize("name", ["execute_tool search", "invoke_agent"])
def test_a_name_tells_as_well(name: str) -> None:
    """As that of a span whose attributes were left out by a sampler or a filter."""
    request = web()
    request.resource_spans[0].scope_spans[0].spans[0].name = name
    assert matters(request, NOBODY)


def test_a_span_without_attributes_may_be_anything() -> None:
    """An agent's step, which tells nothing of itself."""
    request = web()
    del request.resource_spans[0].scope_spans[0].spans[0].attributes[:]
    assert matters(request, NOBODY)
