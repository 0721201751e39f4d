from __future__ import annotations

import pytest
from dialects.reading import TEXT, Row, case

from otel_loopwatch.dialects import Role

TOOL = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather", "gen_ai.agent.name": "guide"}

ROWS = [
    Row(
        "schema 1",
        {**TOOL, "gcp.vertex.agent.tool_call_args": TEXT, "gcp.vertex.agent.tool_response": '{"result": "rain"}'},
        {"arguments": TEXT, "result": "rain", "agent": "guide", "dialect": "google-adk"},
    ),
    Row(
        "schema 2",
        {**TOOL, "gen_ai.tool.call.arguments": TEXT, "gen_ai.tool.call.result": '{"result": "rain"}'},
        {"arguments": TEXT, "result": "rain"},
    ),
    Row(
        "a result that is an object",
        {**TOOL, "gcp.vertex.agent.tool_response": '{"sky": 1}', "gcp.vertex.agent.event_id": "e"},
        {"result": '{"sky": 1}'},
    ),
    Row(
        "a failure",
        {**TOOL, "error.type": "TOOL_ERROR"},
        {"failed": True, "error": "TOOL_ERROR"},
        failed=True,
        status="TOOL_ERROR",
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=case)
def test_google_adk_tool_spans_are_read(row: Row) -> None:
    """Both telemetry schemas are read."""
    assert (row.role_read(), row.read()) == (Role.TOOL, row.expected)


def test_the_span_that_sums_up_parallel_calls_is_no_call() -> None:
    """Each of the calls has a span of its own."""
    merged = {**TOOL, "gen_ai.tool.name": "(merged tools)", "gcp.vertex.agent.event_id": "e"}
    assert Row("merged", merged, {}).role_read() is Role.OTHER
