"""Messages."""

from __future__ import annotations

from itertools import islice

import pytest
from fleet.material import Material, Mix
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from otel_loopwatch.otlp import decode, jsons
from otel_loopwatch.worker.messages import Encoding, parse


def requests(web: float = 0.5) -> list[ExportTraceServiceRequest]:
    """Some messages."""
    return [parse(Encoding.PROTO, value) for _, value in islice(Material(3, 500, Mix(web=web)).messages(), 50)]


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
