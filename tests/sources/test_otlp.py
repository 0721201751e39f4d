from __future__ import annotations

from typing import Any

import pytest

from otel_loopwatch.sources.otlp import any_value, is_trace, spans
from otel_loopwatch.spans import SpanData, SpanEvent

TRACE_ID, SPAN_ID, PARENT_ID = "0102030405060708090a0b0c0d0e0f10", "0000000000000abc", "0000000000000def"
SPAN = {
    "traceId": TRACE_ID,
    "spanId": SPAN_ID,
    "parentSpanId": PARENT_ID,
    "name": "execute_tool weather",
    "startTimeUnixNano": "1000",
    "endTimeUnixNano": 2000,
    "attributes": [{"key": "n", "value": {"intValue": "7"}}],
    "events": [{"name": "exception", "attributes": [{"key": "m", "value": {"stringValue": "no"}}]}],
    "status": {"code": 2, "message": "no answer"},
}
READ = SpanData(
    trace_id=0x0102030405060708090A0B0C0D0E0F10,
    span_id=0xABC,
    parent_id=0xDEF,
    name="execute_tool weather",
    scope="lib",
    attributes={"n": 7},
    events=(SpanEvent("exception", {"m": "no"}),),
    failed=True,
    status_message="no answer",
    start_ns=1000,
    end_ns=2000,
    service="shop",
)
RESOURCE = {"attributes": [{"key": "service.name", "value": {"stringValue": "shop"}}]}


def document(*of_spans: Any) -> dict[str, Any]:
    """A trace document of one resource and scope."""
    return {"resourceSpans": [{"resource": RESOURCE, "scopeSpans": [{"scope": {"name": "lib"}, "spans": [*of_spans]}]}]}


OLD = {
    "batches": [
        {
            "resource": RESOURCE,
            "instrumentationLibrarySpans": [
                {
                    "instrumentationLibrary": {"name": "lib"},
                    "spans": [
                        {
                            **SPAN,
                            "traceId": "AQIDBAUGBwgJCgsMDQ4PEA==",
                            "spanId": "AAAAAAAACrw=",
                            "parentSpanId": "AAAAAAAADe8=",
                            "status": {"code": "STATUS_CODE_ERROR", "message": "no answer"},
                        }
                    ],
                }
            ],
        }
    ]
}


@pytest.mark.parametrize(
    "record",
    [document(SPAN), {"trace": document(SPAN)}, {"result": document(SPAN)}, OLD],
    ids=["OTLP/JSON", "Tempo's answer", "Jaeger's answer", "Grafana's download"],
)
def test_each_writer_of_otlp_is_read_alike(record: dict[str, Any]) -> None:
    """Old keys, base64 ids and status names mean the same span."""
    assert is_trace(record)
    assert list(spans(record)) == [READ]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"stringValue": "a"}, "a"),
        ({"boolValue": True}, True),
        ({"intValue": "-7"}, -7),
        ({"intValue": 7}, 7),
        ({"intValue": "x"}, 0),
        ({"doubleValue": 0.5}, 0.5),
        ({"bytesValue": "AA=="}, "AA=="),
        ({"arrayValue": {"values": [{"stringValue": "a"}, {}]}}, ["a", None]),
        ({"arrayValue": {}}, []),
        ({"kvlistValue": {"values": [{"key": "a", "value": {"boolValue": False}}]}}, {"a": False}),
        ({}, None),
        (None, None),
        ("a", None),
    ],
)
def test_values_of_any_kind_are_decoded(value: object, expected: object) -> None:
    """An AnyValue becomes the Python value it stands for."""
    assert any_value(value) == expected


@pytest.mark.parametrize(
    "span",
    [None, 5, [], {**SPAN, "traceId": "zz"}, {**SPAN, "spanId": "g" * 16}, {**SPAN, "traceId": "ö" * 32}],
    ids=["null", "number", "list", "short id", "no hex", "no ASCII"],
)
def test_what_is_no_span_is_told_apart(span: Any) -> None:
    """A broken span gives nothing, and the next one is read."""
    assert list(spans(document(span, SPAN))) == [None, READ]


@pytest.mark.parametrize(
    "change",
    [
        {"attributes": [None, {"key": 5}, {"value": {}}]},
        {"attributes": "x", "events": {"a": 1}, "status": []},
        {"events": [None, {"name": 5}]},
        {"startTimeUnixNano": "soon", "endTimeUnixNano": [1]},
        {"name": None, "parentSpanId": None},
    ],
)
def test_wrong_types_within_a_span_are_survived(change: dict[str, Any]) -> None:
    """What can be read of a span is read."""
    (span,) = spans(document({**SPAN, **change}))
    assert span is not None
    assert span.trace_id == READ.trace_id


@pytest.mark.parametrize("record", [{}, {"resourceSpans": 5}, {"spans": []}, {"trace": 5}])
def test_other_objects_are_no_trace(record: dict[str, Any]) -> None:
    """Only the keys of a trace document make one."""
    assert not is_trace(record)
    assert list(spans(record)) == []
