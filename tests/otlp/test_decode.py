from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from otel_loopwatch.otlp import decode, jsons
from otel_loopwatch.sources import SpansFile, read
from otel_loopwatch.sources.otlp_logs import Requests
from otel_loopwatch.spans import SpanData, SpanEvent

SHARED = Path(__file__).parents[3] / "shared" / "spans"
TRACES = sorted(path for path in SHARED.glob("*.json") if not path.name.endswith((".live.json", ".logs.json")))
LOGS = sorted(SHARED.glob("*.logs.json"))
TRACE_ID, SPAN_ID, PARENT_ID = bytes(range(1, 17)), bytes(7) + b"\x0a", bytes(7) + b"\x0b"


def request(*spans: Span) -> ExportTraceServiceRequest:
    """A request of one resource and scope."""
    made = ExportTraceServiceRequest()
    of_resource = made.resource_spans.add()
    of_resource.resource.attributes.add(key="service.name").value.string_value = "shop"
    of_scope = of_resource.scope_spans.add()
    of_scope.scope.name = "lib"
    of_scope.spans.extend(spans)
    return made


def span(**fields: Any) -> Span:
    """A span with valid ids."""
    return Span(**{"trace_id": TRACE_ID, "span_id": SPAN_ID, "parent_span_id": PARENT_ID, **fields})


def test_a_span_is_read_with_all_that_dialects_may_ask() -> None:
    """Ids as integers, attributes as plain values, events, status, scope and service."""
    given = span(name="execute_tool", start_time_unix_nano=1, end_time_unix_nano=2)
    given.status.code, given.status.message = 2, "no"
    given.attributes.add(key="n").value.int_value = 7
    event = given.events.add(name="exception")
    event.attributes.add(key="m").value.string_value = "no"
    assert list(decode.spans(request(given))) == [
        SpanData(
            trace_id=int.from_bytes(TRACE_ID, "big"),
            span_id=10,
            parent_id=11,
            name="execute_tool",
            scope="lib",
            attributes={"n": 7},
            events=(SpanEvent("exception", {"m": "no"}),),
            failed=True,
            status_message="no",
            start_ns=1,
            end_ns=2,
            service="shop",
        )
    ]


VALUES: list[tuple[dict[str, Any], Any]] = [
    ({"string_value": "a"}, "a"),
    ({"string_value": ""}, ""),
    ({"bool_value": False}, False),
    ({"int_value": -7}, -7),
    ({"int_value": 0}, 0),
    ({"double_value": 0.5}, 0.5),
    ({"bytes_value": b"\0"}, "AA=="),
    ({"array_value": {"values": [{"string_value": "a"}, {}]}}, ["a", None]),
    ({"array_value": {}}, []),
    ({"kvlist_value": {"values": [{"key": "a", "value": {"bool_value": True}}]}}, {"a": True}),
    ({}, None),
]


@pytest.mark.parametrize(("value", "expected"), VALUES, ids=[str(expected) for _, expected in VALUES])
def test_values_of_any_kind_are_decoded(value: dict[str, Any], expected: object) -> None:
    """An AnyValue becomes the Python value it stands for, the one that OTLP/JSON becomes too."""
    (found,) = decode.spans(request(span(attributes=[{"key": "k", "value": value}])))
    assert found.attributes == {"k": expected}


def test_a_span_without_attributes_has_none() -> None:
    """Nor events, nor a status, nor a parent; the service and the scope need not be named."""
    made = ExportTraceServiceRequest()
    made.resource_spans.add().scope_spans.add().spans.add(trace_id=TRACE_ID, span_id=SPAN_ID)
    assert list(decode.spans(made)) == [SpanData(trace_id=int.from_bytes(TRACE_ID, "big"), span_id=10)]


@pytest.mark.parametrize(
    "ids",
    [
        {"trace_id": b""},
        {"trace_id": bytes(16)},
        {"trace_id": TRACE_ID + b"\1"},
        {"span_id": b""},
        {"span_id": bytes(8)},
        {"span_id": b"\1"},
    ],
    ids=str,
)
def test_spans_with_invalid_ids_are_counted_and_left_out(ids: dict[str, bytes]) -> None:
    """The others of the request are read, whether or not somebody counts."""
    made, skipped = request(span(**ids), span(name="good")), Counter[str]()
    assert [found.name for found in decode.spans(made, skipped)] == ["good"]
    assert skipped == {decode.INVALID_ID: 1}
    assert [found.name for found in decode.spans(made)] == ["good"]


def test_a_parent_id_of_another_length_is_none() -> None:
    """The span is read as a root."""
    (found,) = decode.spans(request(span(parent_span_id=b"\1\2")))
    assert found.parent_id == 0


def as_spans(path: Path) -> list[SpanData]:
    """What the reader of files makes of a file."""
    file = read(path)
    assert isinstance(file, SpansFile)
    return list(file)


@pytest.mark.skipif(not TRACES, reason=f"no collection of spans at {SHARED}")
@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.name)
def test_a_span_is_the_same_from_protobuf_as_from_a_file(path: Path) -> None:
    """Encoded as protobuf, real spans of real frameworks are what the reader of OTLP/JSON makes of them."""
    made = jsons.parse(ExportTraceServiceRequest, path.read_bytes())
    sent = ExportTraceServiceRequest.FromString(made.SerializeToString())
    assert list(decode.spans(sent)) == as_spans(path)


@pytest.mark.skipif(not LOGS, reason=f"no collection of log records at {SHARED}")
@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_log_records_are_the_same_from_protobuf_as_from_a_file(path: Path) -> None:
    """Real records of real instrumentations stand for the spans that the reader of files makes of them."""
    made = jsons.parse(ExportLogsServiceRequest, path.read_bytes())
    sent = ExportLogsServiceRequest.FromString(made.SerializeToString())
    assert list(decode.log_spans(sent, Requests())) == as_spans(path)


def tool_result(time_ns: int, **attributes: str) -> ExportLogsServiceRequest:
    """A request with one event of Codex outside of any trace."""
    made = ExportLogsServiceRequest()
    record = made.resource_logs.add().scope_logs.add().log_records.add(time_unix_nano=time_ns)
    given = {"event.name": "codex.tool_result", "conversation.id": "talk", "tool_name": "shell", **attributes}
    for key, value in given.items():
        record.attributes.add(key=key).value.string_value = value
    return made


def one(made: ExportLogsServiceRequest, requests: Requests) -> SpanData:
    """The one span that a request stands for."""
    (found,) = decode.log_spans(made, requests)
    return found


def test_an_event_that_comes_twice_is_the_same_span() -> None:
    """Also for another process: delivered again, it can be known."""
    first = one(tool_result(5), Requests())
    assert first == one(tool_result(5), Requests())
    assert first.span_id != one(tool_result(6), Requests()).span_id
    assert first.trace_id == one(tool_result(6), Requests()).trace_id


def test_events_without_a_time_are_told_apart() -> None:
    """Nothing says that two of them are one."""
    requests = Requests()
    assert one(tool_result(0), requests).span_id != one(tool_result(0), requests).span_id


def test_messages_are_joined_over_requests() -> None:
    """The answer to a request comes in a later export than its messages."""
    requests = Requests()
    asked = document("gen_ai.user.message", {"content": "?"})
    answered = document("gen_ai.choice", {"message": {"content": "It rains."}})
    assert list(decode.log_spans(asked, requests)) == []
    (found,) = decode.log_spans(answered, requests)
    assert [message["role"] for message in found.attributes["gen_ai.input.messages"]] == ["user"]


def document(name: str, body: dict[str, Any]) -> ExportLogsServiceRequest:
    """A log record in a span, written as JSON."""
    record = {"eventName": name, "spanId": SPAN_ID.hex(), "timeUnixNano": "5", "body": any_value(body)}
    whole = {"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}
    return jsons.parse(ExportLogsServiceRequest, msgspec.json.encode(whole))


def any_value(found: Any) -> dict[str, Any]:
    """An AnyValue."""
    if isinstance(found, dict):
        return {"kvlistValue": {"values": [{"key": key, "value": any_value(item)} for key, item in found.items()]}}
    return {"stringValue": found}
