from __future__ import annotations

import json

import pytest
from dialects.reading import ARGUMENTS, TEXT, Row, case

from otel_loopwatch.dialects import Role
from otel_loopwatch.spans import SpanEvent

TOOL = {"gen_ai.event.start_time": "2026-01-01", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather"}
BLOCKS = json.dumps([{"text": json.dumps(ARGUMENTS)}])
EVENTS = [
    SpanEvent("gen_ai.tool.message", {"role": "tool", "content": TEXT, "id": "c1"}),
    SpanEvent("gen_ai.choice", {"message": BLOCKS, "id": "c1"}),
]

ROWS = [
    Row("events", TOOL, {"arguments": TEXT, "result": TEXT, "dialect": "strands"}, events=EVENTS),
    Row(
        "attributes",
        {**TOOL, "gen_ai.tool.call.arguments": TEXT, "gen_ai.tool.call.result": '[{"text": "rain"}]'},
        {"arguments": TEXT, "result": "rain"},
    ),
    Row("a JSON block", {**TOOL, "gen_ai.tool.call.result": '[{"json": {"rain": 1}}]'}, {"result": {"rain": 1}}),
    Row("a failed tool", {**TOOL, "gen_ai.tool.status": "error"}, {"failed": True, "arguments": None}),
]


@pytest.mark.parametrize("row", ROWS, ids=case)
def test_strands_tool_spans_are_read(row: Row) -> None:
    """Content is read from span events by default, from attributes if opted in."""
    assert (row.role_read(), row.read()) == (Role.TOOL, row.expected)
