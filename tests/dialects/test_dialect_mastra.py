from __future__ import annotations

import pytest
from dialects.reading import TEXT, Row, case

from otel_loopwatch.dialects import Role, role
from otel_loopwatch.spans import SpanData

ROWS = [
    Row(
        "content",
        {
            "mastra.span.type": "tool_call",
            "gen_ai.tool.name": "weather",
            "gen_ai.tool.call.arguments": TEXT,
            "gen_ai.tool.call.result": "rain",
            "mastra.tool_call.input": "of an older version",
        },
        {"tool": "weather", "arguments": TEXT, "result": "rain", "dialect": "mastra"},
    ),
    Row(
        "an older version",
        {
            "mastra.span.type": "mcp_tool_call",
            "mastra.span.entityId": "weather",
            "mastra.mcp_tool_call.input": TEXT,
            "mastra.mcp_tool_call.output": "rain",
        },
        {"tool": "weather", "arguments": TEXT, "result": "rain"},
        name="mcp tool",
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=case)
def test_mastra_tool_spans_are_read(row: Row) -> None:
    """GenAI attributes come first; without them, Mastra's own serve."""
    assert (row.role_read(), row.read()) == (Role.TOOL, row.expected)


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"mastra.span.type": "agent_run"}, Role.AGENT),
        ({"mastra.span.type": "model_generation"}, Role.MODEL),
        ({"mastra.span.type": "workflow_run"}, Role.OTHER),
    ],
)
def test_other_spans_have_their_roles(attributes: dict[str, str], expected: Role) -> None:
    """Agents and model responses are told apart from calls and from the rest."""
    assert role(SpanData(name="step", attributes=attributes)) is expected
