from __future__ import annotations

import pytest
from dialects.reading import Row, case

from otel_loopwatch.dialects import Role, role
from otel_loopwatch.spans import SpanData

CALL = {"mcp.method.name": "tools/call"}
TOOL = {**CALL, "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather"}

ROWS = [
    Row(
        "a server or FastMCP's client",
        TOOL,
        {"tool": "weather", "arguments": None, "dialect": "mcp"},
        name="tools/call weather",
    ),
    Row("the SDK's client", CALL, {"tool": "weather"}, name="MCP send tools/call weather"),
    Row("a failure", {**TOOL, "error.type": "tool_error"}, {"failed": True}, name="tools/call weather"),
]


@pytest.mark.parametrize("row", ROWS, ids=case)
def test_mcp_tool_spans_are_read(row: Row) -> None:
    """Name and failure are all that MCP spans hold."""
    assert (row.role_read(), row.read()) == (Role.TOOL, row.expected)


def test_other_mcp_methods_are_no_calls() -> None:
    """Listing tools calls none."""
    assert role(SpanData(name="tools/list", attributes={"mcp.method.name": "tools/list"})) is Role.OTHER
