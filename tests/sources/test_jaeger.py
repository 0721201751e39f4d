from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sources.reading import EPOCH, SECOND, Row, case, check, lines, opened

from otel_loopwatch.sources import SpansFile
from otel_loopwatch.spans import SpanData, SpanEvent

TRACE = "00000000000000000000000000000abc"


def tag(key: str, value: Any, kind: str = "string") -> dict[str, Any]:
    """A tag as Jaeger types it."""
    return {"key": key, "type": kind, "value": value}


def span(number: int, name: str, *tags: dict[str, Any], parent: int = 1, **fields: Any) -> dict[str, Any]:
    """A span of half a second, ``number`` seconds after the start."""
    reference = {"refType": "CHILD_OF", "traceID": TRACE, "spanID": f"{parent:016x}"}
    return {
        "traceID": TRACE,
        "spanID": f"{number:016x}",
        "operationName": name,
        "references": [reference] if number > 1 else [],
        "startTime": (EPOCH + number) * 1_000_000,
        "duration": 500_000,
        "tags": list(tags),
        "logs": [],
        "processID": "p1",
        **fields,
    }


def trace(*spans: Any) -> dict[str, Any]:
    """A trace without anything around it."""
    return {"traceID": TRACE, "spans": list(spans), "processes": {"p1": {"serviceName": "shop", "tags": []}}}


AGENT = span(1, "invoke_agent guide", duration=9_000_000)
NAMED = span(
    2,
    "execute_tool weather",
    tag("gen_ai.operation.name", "execute_tool"),
    tag("gen_ai.tool.name", "weather"),
    tag("gen_ai.tool.call.id", "same"),
    tag("gen_ai.tool.call.arguments", '{"city": "Oslo"}'),
    tag("gen_ai.tool.call.result", "rain"),
)
AGAIN = {**NAMED, "spanID": f"{3:016x}", "startTime": (EPOCH + 3) * 1_000_000}
UNNAMED = span(
    4,
    "execute_tool paint",
    tag("gen_ai.operation.name", "execute_tool"),
    tag("error", True, "bool"),
    tag("otel.status_code", "ERROR"),
    tag("otel.status_description", "no brush"),
)
WEATHER = {"tool": "weather", "arguments": '{"city": "Oslo"}', "result": "rain", "failed": False}
PAINT = {"tool": "paint", "failed": True, "error": "no brush"}

ROWS = [
    Row("a trace by itself", [trace(AGENT, NAMED, AGAIN)], [WEATHER, WEATHER]),
    Row("an answer of the API", [{"data": [trace(AGENT, NAMED)], "total": 0, "errors": None}], [WEATHER]),
    Row("a name only in the span's name", [trace(AGENT, UNNAMED)], [PAINT]),
    Row("no order", [trace(UNNAMED, NAMED, AGENT)], [WEATHER, PAINT]),
    Row("no tool", [trace(AGENT)], []),
    Row("what is no span", [trace(AGENT, None, 5, NAMED)], [WEATHER], skipped=2),
]


@pytest.mark.parametrize("row", ROWS, ids=case)
def test_jaeger_traces_are_read(tmp_path: Path, row: Row) -> None:
    """Calls that share an id are two; a name may stand in the span's name alone."""
    check(tmp_path, row, "Jaeger JSON")


def test_a_span_is_read_with_all_it_has(tmp_path: Path) -> None:
    """Typed tags, microseconds, logs, scope and service."""
    full = span(
        2,
        "look",
        tag("n", "7", "int64"),
        tag("x", "0.5", "float64"),
        tag("yes", "true", "bool"),
        tag("no number", "many", "int64"),
        tag("otel.scope.name", "lib"),
        logs=[{"timestamp": 1, "fields": [tag("event", "exception"), tag("exception.message", "no")]}],
    )
    file = opened(tmp_path, lines([trace(full)]))
    assert isinstance(file, SpansFile)
    assert list(file) == [
        SpanData(
            trace_id=0xABC,
            span_id=2,
            parent_id=1,
            name="look",
            scope="lib",
            attributes={"n": 7, "x": 0.5, "yes": True, "no number": "many", "otel.scope.name": "lib"},
            events=(SpanEvent("exception", {"exception.message": "no"}),),
            start_ns=(EPOCH + 2) * SECOND,
            end_ns=(EPOCH + 2) * SECOND + SECOND // 2,
            service="shop",
        )
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"tags": "x", "logs": 5, "references": {"a": 1}},
        {"tags": [None, {"key": 5}], "logs": [None, {"fields": [5]}], "references": [None, {"refType": []}]},
        {"startTime": "soon", "duration": -1, "processID": ["p1"], "operationName": None},
        {"spanID": {}, "traceID": None},
    ],
    ids=["wrong kinds", "wrong items", "no times", "no ids"],
)
def test_wrong_types_are_survived(tmp_path: Path, change: dict[str, Any]) -> None:
    """What can be read of a span is read."""
    file = opened(tmp_path, lines([trace({**NAMED, **change})]))
    assert isinstance(file, SpansFile)
    assert len(list(file)) == 1
