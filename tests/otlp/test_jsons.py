from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.metrics.v1.metrics_pb2 import Exemplar, HistogramDataPoint
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from otel_loopwatch.otlp import fields, jsons

TRACE_ID, SPAN_ID = bytes(range(1, 17)), bytes(range(1, 9))
SPAN = {"traceId": TRACE_ID.hex(), "spanId": SPAN_ID.hex(), "name": "a"}


def read(**of_span: Any) -> Span:
    """A span from JSON."""
    return jsons.parse(Span, json.dumps({**SPAN, **of_span}).encode())


def value(given: Any) -> AnyValue:
    """An AnyValue from JSON."""
    return jsons.parse(AnyValue, json.dumps(given).encode())


def test_a_request_is_read() -> None:
    """Objects within lists within objects, ids from hexadecimal digits."""
    body = json.dumps({"resourceSpans": [{"scopeSpans": [{"scope": {"name": "lib"}, "spans": [SPAN]}]}]}).encode()
    (span,) = jsons.parse(ExportTraceServiceRequest, body).resource_spans[0].scope_spans[0].spans
    assert (span.trace_id, span.span_id, span.name) == (TRACE_ID, SPAN_ID, "a")


@pytest.mark.parametrize("number", [1700000000000000001, "1700000000000000001"], ids=["number", "text"])
def test_wide_integers_come_as_numbers_or_text(number: object) -> None:
    """JavaScript writes text, others numbers, and both are exact."""
    assert read(startTimeUnixNano=number).start_time_unix_nano == 1700000000000000001


def test_a_whole_number_may_be_written_with_a_fraction() -> None:
    """As some writers of JSON do."""
    assert read(flags=256.0, startTimeUnixNano=1e18).start_time_unix_nano == 10**18


@pytest.mark.parametrize(
    ("given", "field", "expected"),
    [
        ({"stringValue": ""}, "string_value", ""),
        ({"boolValue": False}, "bool_value", False),
        ({"intValue": "-7"}, "int_value", -7),
        ({"doubleValue": 1}, "double_value", 1.0),
        ({"doubleValue": "Infinity"}, "double_value", math.inf),
        ({"doubleValue": "-Infinity"}, "double_value", -math.inf),
        ({"doubleValue": "0.5"}, "double_value", 0.5),
        ({"bytesValue": "_-8"}, "bytes_value", b"\xff\xef"),
        ({"bytesValue": "/+8="}, "bytes_value", b"\xff\xef"),
    ],
    ids=str,
)
def test_values_are_read_and_present(given: Any, field: str, expected: object) -> None:
    """Also those that equal their default; bytes are base64 of either alphabet."""
    found = value(given)
    assert found.WhichOneof("value") == field
    assert getattr(found, field) == expected


@pytest.mark.parametrize("given", [{"arrayValue": {}}, {"kvlistValue": {"values": []}}])
def test_empty_lists_are_present(given: Any) -> None:
    """They are values, not missing ones."""
    assert value(given).WhichOneof("value") is not None


def test_not_a_number_is_read() -> None:
    """By the name that protobuf has for it."""
    assert math.isnan(value({"doubleValue": "NaN"}).double_value)


def test_what_is_not_known_is_ignored() -> None:
    """Unknown keys, whatever they hold, names in snake_case, and null."""
    found = read(unknown=[{"a": [1]}], parent_span_id="zz", name=None, kind=3, links=None)
    assert (found.name, found.kind, found.parent_span_id) == ("", 3, b"")


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"traceId": "zz"}, "traceId: it must be hexadecimal"),
    ({"traceId": 5}, "traceId: it must be hexadecimal"),
    ({"name": 5}, "name: it must be text"),
    ({"kind": "SPAN_KIND_CLIENT"}, "kind: it must be an integer"),
    ({"kind": True}, "kind: it must be an integer"),
    ({"kind": 1 << 40}, "out of range"),
    ({"startTimeUnixNano": "soon"}, "startTimeUnixNano: it must be an integer"),
    ({"startTimeUnixNano": 1.5}, "startTimeUnixNano: it must be an integer"),
    ({"startTimeUnixNano": "1" * 30}, "startTimeUnixNano: it must be an integer"),
    ({"startTimeUnixNano": "²"}, "startTimeUnixNano: it must be an integer"),
    ({"startTimeUnixNano": True}, "startTimeUnixNano: it must be an integer"),
    ({"startTimeUnixNano": -1}, "out of range"),
    ({"events": {}}, "events: it must be a list"),
    ({"events": [None]}, "events: it must be an object"),
    ({"status": []}, "status: it must be an object"),
    ({"attributes": [{"value": {"bytesValue": "?"}}]}, "attributes: value: bytesValue: it must be base64"),
    ({"attributes": [{"value": {"bytesValue": "ö"}}]}, "attributes: value: bytesValue: it must be base64"),
    ({"attributes": [{"value": {"boolValue": 1}}]}, "attributes: value: boolValue: it must be true or false"),
    ({"attributes": [{"value": {"doubleValue": "much"}}]}, "attributes: value: doubleValue: it must be a number"),
    ({"attributes": [{"value": {"doubleValue": True}}]}, "attributes: value: doubleValue: it must be a number"),
    ({"attributes": [{"value": {"doubleValue": []}}]}, "attributes: value: doubleValue: it must be a number"),
]


@pytest.mark.parametrize(("change", "reason"), WRONG, ids=[str(change) for change, _ in WRONG])
def test_a_wrong_value_is_told_with_its_place(change: dict[str, Any], reason: str) -> None:
    """On one line, for whoever sent it; the value itself is not shown."""
    with pytest.raises(ValueError, match=reason) as told:
        read(**change)
    assert "\n" not in str(told.value)


def test_a_number_beyond_what_floats_hold_is_no_number() -> None:
    """A float is not given where there is none."""
    with pytest.raises(ValueError, match="doubleValue: it must be a number"):
        value({"doubleValue": 10**400})


@pytest.mark.parametrize("body", [b"", b"[]", b"5", b'{"name"', b'{"name": "\xff"}', b'{"name": "\\ud800"}', b"{} {}"])
def test_what_is_no_object_of_json_is_refused(body: bytes) -> None:
    """Cut, of another type, or no Unicode."""
    with pytest.raises(ValueError, match=r"\w"):
        jsons.parse(Span, body)


def nested(depth: int) -> dict[str, Any]:
    """A text within so many lists."""
    return {"arrayValue": {"values": [nested(depth - 1)]}} if depth else {"stringValue": "x"}


def test_no_more_is_nested_than_protobuf_reads() -> None:
    """What is read can be sent on: the receiver reads it too."""
    deepest = next(depth for depth in range(100) if not readable(nested(depth + 1)))
    assert deepest > 40
    sent = value(nested(deepest)).SerializeToString()
    assert AnyValue.FromString(sent) == value(nested(deepest))
    with pytest.raises(ValueError, match="nested too deep"):
        value(nested(deepest + 1))


def readable(given: Any) -> bool:
    """Whether it is read as an AnyValue."""
    try:
        value(given)
    except ValueError:
        return False
    return True


def test_json_nested_beyond_all_measure_is_refused() -> None:
    """Before the interpreter's stack is used up."""
    with pytest.raises(ValueError, match="nested too deep"):
        jsons.parse(AnyValue, b'{"arrayValue": ' + b"[" * 1_000_000)


def test_a_message_is_written_on_one_line() -> None:
    """Hexadecimal ids, enums as integers, wide integers as text, and nothing that is not set."""
    span = Span(trace_id=TRACE_ID, span_id=SPAN_ID, name="a\nb", kind=Span.SPAN_KIND_CLIENT, start_time_unix_nano=5)
    span.attributes.add(key="k").value.bytes_value = b"\xff"
    assert jsons.line(span) == (
        b'{"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0102030405060708","name":"a\\nb","kind":3,'
        b'"startTimeUnixNano":"5","attributes":[{"key":"k","value":{"bytesValue":"/w=="}}]}'
    )


@pytest.mark.parametrize(("number", "written"), [(math.nan, "NaN"), (math.inf, "Infinity"), (-math.inf, "-Infinity")])
def test_numbers_that_json_lacks_are_written_by_name(number: float, written: str) -> None:
    """As protobuf's mapping to JSON says."""
    assert json.loads(jsons.line(AnyValue(double_value=number))) == {"doubleValue": written}


def test_metrics_are_written_and_read() -> None:
    """Lists of wide integers and of floats, optional numbers, and the ids of exemplars."""
    point = HistogramDataPoint(bucket_counts=[1, 1 << 60], explicit_bounds=[0.5], sum=0.0, count=2)
    point.exemplars.append(Exemplar(trace_id=TRACE_ID, span_id=SPAN_ID, as_double=0.5))
    request = ExportMetricsServiceRequest()
    metric = request.resource_metrics.add().scope_metrics.add().metrics.add(name="m")
    metric.histogram.data_points.append(point)
    body = jsons.line(request)
    assert b'"bucketCounts":["1","1152921504606846976"]' in body
    assert f'"traceId":"{TRACE_ID.hex()}"'.encode() in body
    assert jsons.parse(ExportMetricsServiceRequest, body) == request


@given(st.binary(max_size=200))
def test_bytes_of_any_kind_are_refused_or_read(body: bytes) -> None:
    """Nothing but ValueError comes out, and what was read can be written."""
    try:
        found = jsons.parse(ExportLogsServiceRequest, body)
    except ValueError:
        return
    assert jsons.parse(ExportLogsServiceRequest, jsons.line(found)) == found


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text()
            | st.sampled_from(
                [
                    "resourceSpans",
                    "scopeSpans",
                    "spans",
                    "attributes",
                    "value",
                    "key",
                    "stringValue",
                    "traceId",
                    "arrayValue",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(ANY_JSON)
def test_json_of_any_shape_is_refused_or_read(shape: Any) -> None:
    """Wrong types at any place included; what is read survives the way to bytes and back."""
    try:
        found = jsons.parse(ExportTraceServiceRequest, json.dumps({"resourceSpans": shape}).encode())
    except ValueError:
        return
    assert ExportTraceServiceRequest.FromString(found.SerializeToString()) == found


def test_a_list_is_known_by_either_name_for_it() -> None:
    """Protobuf 5 labels fields, protobuf 7 asks them."""

    class Labelled:
        label = 3

    assert fields._is_repeated(Labelled())  # type: ignore[arg-type]
    assert fields._is_repeated(Span.DESCRIPTOR.fields_by_name["events"])
    assert not fields._is_repeated(Span.DESCRIPTOR.fields_by_name["name"])
