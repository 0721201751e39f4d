from __future__ import annotations

import pytest
from dialects.reading import TEXT, Row, case

from otel_loopwatch.dialects import Role
from otel_loopwatch.spans import SpanEvent

TOOL = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "weather",
    "gen_ai.tool.call.id": "c1",
    "logfire.msg": "running tool: weather",
}
EARLY = {"logfire.msg": "running tool: weather", "gen_ai.tool.name": "weather", "tool_arguments": TEXT}
RETRY = SpanEvent("exception", {"exception.type": "ToolRetryError", "exception.message": "try later"})
PAUSE = SpanEvent("exception", {"exception.type": "pydantic_ai.exceptions.ApprovalRequired"})
SCRUBBED = '{"session": "[Scrubbed due to \'session\']"}'

ROWS = [
    Row(
        "version 2",
        {**TOOL, "tool_arguments": TEXT, "tool_response": "rain"},
        {"arguments": TEXT, "result": "rain"},
        name="running tool",
    ),
    Row(
        "version 3 and later",
        {**TOOL, "gen_ai.tool.call.arguments": TEXT, "gen_ai.tool.call.result": "rain"},
        {"arguments": TEXT, "result": "rain", "call_id": "c1", "dialect": "pydantic-ai"},
    ),
    Row("before there were operations", EARLY, {"tool": "weather", "arguments": TEXT}, name="running tool"),
    Row("Logfire's scrubbed arguments", {**TOOL, "gen_ai.tool.call.arguments": SCRUBBED}, {"arguments": None}),
    Row(
        "Logfire's scrubbed result", {**TOOL, "gen_ai.tool.call.result": "[Scrubbed due to 'token']"}, {"result": None}
    ),
    Row(
        "a retry the tool asked for",
        {**TOOL, "gen_ai.tool.call.result": "try later"},
        {"failed": True, "error": "ToolRetryError: try later", "result": "try later"},
        events=[RETRY],
        failed=True,
    ),
    Row("waiting for approval", TOOL, {"failed": False}, events=[PAUSE], failed=True),
]


@pytest.mark.parametrize("row", ROWS, ids=case)
def test_pydantic_ai_tool_spans_are_read(row: Row) -> None:
    """All versions are read; a value scrubbed anywhere is unknown as a whole."""
    assert (row.role_read(), row.read()) == (Role.TOOL, row.expected)
