from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from otel_loopwatch.gateway.receive import parts
from otel_loopwatch.gateway.receive.parts import check_json, check_protobuf
from otel_loopwatch.gateway.receive.refusals import Reason, Refused

MOST = 10
SPAN = {"name": "a" * 200, "start_time_unix_nano": 5, "flags": 7, "kind": 3}


def spans(count: int) -> dict[str, Any]:
    """A scope."""
    return {"schema_url": "u", "scope": {"name": "lib", "attributes": [{"key": "k"}] * 50}, "spans": [SPAN] * count}


def refusal(check: Any, body: bytes) -> Reason | None:
    """Why it is refused, if it is."""
    try:
        check(body)
    except Refused as refused:
        return refused.reason
    return None


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer parts are too many."""
    monkeypatch.setattr(parts, "MAX_PARTS", MOST)
    monkeypatch.setattr(parts, "MAX_JSON_PARTS", MOST)


@pytest.mark.parametrize("more", [0, 1], ids=["just as many", "one more"])
@pytest.mark.parametrize(
    "shape",
    [
        lambda more: ExportTraceServiceRequest(resource_spans=[{}] * (MOST + more)),
        lambda more: ExportTraceServiceRequest(resource_spans=[{"scope_spans": [{}] * (MOST - 1 + more)}]),
        lambda more: ExportTraceServiceRequest(resource_spans=[{"scope_spans": [spans(MOST - 2 + more)]}]),
        lambda more: ExportTraceServiceRequest(
            resource_spans=[{"scope_spans": [spans(3)]}, {"scope_spans": [spans(3 + more)]}]
        ),
        lambda more: ExportLogsServiceRequest(
            resource_logs=[{"scope_logs": [{"log_records": [{"event_name": "e"}] * (MOST - 2 + more)}]}]
        ),
        lambda more: ExportMetricsServiceRequest(
            resource_metrics=[{"scope_metrics": [{"metrics": [{"name": "m"}] * (MOST - 2 + more)}]}]
        ),
    ],
    ids=["resources", "scopes", "spans", "spans of two resources", "log records", "metrics"],
)
def test_parts_are_counted_in_protobuf(shape: Any, more: int) -> None:
    """Resources, scopes and what they hold; what these hold is not looked at."""
    body = shape(more).SerializeToString()
    assert refusal(check_protobuf, body) is (Reason.TOO_LARGE if more else None)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", None),
        (b"\x0a", Reason.MALFORMED),
        (b"\x0a\x80", Reason.MALFORMED),
        (b"\x80" * 11, Reason.MALFORMED),
        (b"\x0b\x0c", Reason.MALFORMED),
        (b"\x08\xff\x01" + b"\x09" + bytes(8) + b"\x0d" + bytes(4) + b"\x12\x01\x00", None),
        (b"\x0a\x05\x08\x00", None),
    ],
    ids=[
        "empty",
        "no length",
        "half a length",
        "an endless number",
        "a group",
        "other fields",
        "a length beyond the end",
    ],
)
def test_what_is_no_message_is_refused_here_or_by_protobuf(body: bytes, reason: Reason | None) -> None:
    """A group, which OTLP does not have, would end the count."""
    assert refusal(check_protobuf, body) is reason


@given(st.binary(max_size=60))
def test_bytes_of_any_kind_are_looked_through(body: bytes) -> None:
    """To their end, or to where they are refused."""
    assert refusal(check_protobuf, body) in (None, Reason.MALFORMED, Reason.TOO_LARGE)


@pytest.mark.parametrize(
    ("body", "reason"),
    [(b"{}" * MOST, None), (b"[" * (MOST + 1), Reason.TOO_LARGE), (b"{[" * MOST, Reason.TOO_LARGE)],
    ids=["objects", "lists", "both"],
)
def test_parts_are_counted_in_json(body: bytes, reason: Reason | None) -> None:
    """Whether or not it is any."""
    assert refusal(check_json, body) is reason
