from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sources.reading import EPOCH, SECOND, Row, case, check, lines, opened

from otel_loopwatch.sources import SpansFile
from otel_loopwatch.sources.flat import span
from otel_loopwatch.spans import SpanData, SpanEvent

TRACE, OUTER, INNER = "00000000000000000000000000000abc", "0000000000000001", "0000000000000002"
START = EPOCH * SECOND
TOOL = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "weather",
    "gen_ai.tool.call.arguments": '{"city": "Oslo"}',
    "gen_ai.tool.call.result": "rain",
}
SPAN = {
    "trace_id": TRACE,
    "span_id": INNER,
    "parent_span_id": OUTER,
    "name": "execute_tool weather",
    "start_time": START,
    "end_time": START + SECOND,
    "attributes": TOOL,
    "scope": {"name": "lib", "version": "1"},
    "status": {"code": "ERROR", "message": "no answer"},
    "span_events": [{"event_name": "exception", "attributes": {"exception.message": "no"}}],
}
READ = SpanData(
    trace_id=0xABC,
    span_id=2,
    parent_id=1,
    name="execute_tool weather",
    scope="lib",
    attributes=TOOL,
    events=(SpanEvent("exception", {"exception.message": "no"}),),
    failed=True,
    status_message="no answer",
    start_ns=START,
    end_ns=START + SECOND,
)
BARE = READ._replace(scope="", events=())

SPELLINGS: list[tuple[str, dict[str, Any], SpanData]] = [
    ("snake case", SPAN, READ),
    (
        "CloudWatch",
        {
            "resource": {"attributes": {"service.name": "shop"}},
            "scope": {"name": "lib"},
            "traceId": TRACE,
            "spanId": INNER,
            "parentSpanId": OUTER,
            "name": "execute_tool weather",
            "startTimeUnixNano": START,
            "endTimeUnixNano": START + SECOND,
            "attributes": TOOL,
            "status": {"code": "ERROR", "message": "no answer"},
        },
        READ._replace(events=(), service="shop"),
    ),
    (
        "Python's console exporter",
        {
            "name": "execute_tool weather",
            "context": {"trace_id": f"0x{TRACE}", "span_id": f"0x{INNER}", "trace_state": "[]"},
            "parent_id": f"0x{OUTER}",
            "start_time": "2023-11-14T22:13:20.000000Z",
            "end_time": "2023-11-14T22:13:21.000000Z",
            "status": {"status_code": "ERROR", "description": "no answer"},
            "attributes": TOOL,
            "events": [],
            "resource": {"attributes": {"service.name": "shop"}},
        },
        BARE._replace(service="shop"),
    ),
    (
        "JavaScript's spans",
        {
            "traceId": TRACE,
            "spanId": INNER,
            "parentSpanContext": {"spanId": OUTER},
            "instrumentationScope": {"name": "lib"},
            "name": "execute_tool weather",
            "startTime": [EPOCH, 0],
            "endTime": [EPOCH + 1, 0],
            "attributes": TOOL,
            "status": {"code": 2, "message": "no answer"},
        },
        READ._replace(events=()),
    ),
    (
        "OTLP's pairs without their document",
        {
            "traceId": TRACE,
            "spanId": INNER,
            "parentSpanId": OUTER,
            "name": "execute_tool weather",
            "startTimeUnixNano": str(START),
            "endTimeUnixNano": str(START + SECOND),
            "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in TOOL.items()],
            "status": {"code": "STATUS_CODE_ERROR", "message": "no answer"},
        },
        BARE,
    ),
    (
        "a status that is a text",
        {**SPAN, "status": "ERROR", "status_message": "no answer", "scope": None, "span_events": None},
        BARE,
    ),
]


@pytest.mark.parametrize(("record", "expected"), [row[1:] for row in SPELLINGS], ids=[row[0] for row in SPELLINGS])
def test_each_spelling_is_read_alike(record: dict[str, Any], expected: SpanData) -> None:
    """Ids, times, status, scope, attributes and events, whatever they are called."""
    assert span(record) == expected


AGENT = {**SPAN, "span_id": OUTER, "parent_span_id": None, "name": "invoke_agent guide", "attributes": {}, "status": {}}
CALL = {"tool": "weather", "result": "rain", "failed": True}

ROWS = [
    Row("one per line", [SPAN, AGENT], [CALL]),
    Row("a list", [[AGENT, SPAN]], [CALL]),
    Row("a session", [{"session_id": "s", "spans": [AGENT, SPAN]}], [CALL]),
    Row("a page of an answer", [{"data": [SPAN], "next_cursor": None}], [CALL]),
    Row("wrapped", [{"timestamp": "now", "raw_otel_json": SPAN}], [CALL]),
    Row("wrapped as text", [{"@timestamp": "now", "@message": json.dumps(SPAN)}], [CALL]),
    Row("a framework's step", [{**SPAN, "attributes": {"traceloop.span.kind": "task"}, "name": "route.task"}], []),
    Row(
        "log records between spans", [{"resource": {}, "scopeMetrics": []}, SPAN, {"spanId": INNER, "body": ""}], [CALL]
    ),
    Row("what is no span", [{"spans": [SPAN, None, {"trace_id": TRACE}]}], [CALL], skipped=2),
]


@pytest.mark.parametrize("row", ROWS, ids=case)
def test_span_lists_are_read(tmp_path: Path, row: Row) -> None:
    """Alone, in lists, and in what tools wrap around them."""
    check(tmp_path, row, "span list")


def test_indented_spans_of_a_console_are_read(tmp_path: Path) -> None:
    """The console exporter prints one indented object after the other."""
    file = opened(tmp_path, "\n".join(json.dumps(one, indent=4) for one in (SPAN, AGENT)).encode())
    assert isinstance(file, SpansFile)
    assert [one.name for one in file] == ["execute_tool weather", "invoke_agent guide"]


@pytest.mark.parametrize(
    "change",
    [
        {"attributes": "x", "span_events": 5, "status": [], "scope": "lib"},
        {"attributes": "{broken", "span_events": [None, {"attributes": 5}], "status": {"code": {}}},
        {"start_time": {}, "end_time": "later", "parent_span_id": ["x"]},
        {"resource": 5, "context": "x", "trace_id": "not hex", "span_id": 77},
    ],
    ids=["wrong kinds", "wrong items", "no times", "odd ids"],
)
def test_wrong_types_are_survived(tmp_path: Path, change: dict[str, Any]) -> None:
    """What can be read of a span is read."""
    file = opened(tmp_path, lines([{**SPAN, **change}]))
    assert isinstance(file, SpansFile)
    assert [one.name for one in file] == ["execute_tool weather"]
