from __future__ import annotations

import pytest
from dialects.reading import TEXT, Row, case

from otel_loopwatch.dialects import Role, role
from otel_loopwatch.spans import SpanData

ROWS = [
    Row(
        "content",
        {
            "spring.ai.kind": "tool_call",
            "gen_ai.operation.name": "framework",
            "spring.ai.tool.definition.name": "weather",
            "spring.ai.tool.call.arguments": TEXT,
            "spring.ai.tool.call.result": '"rain"',
        },
        {"tool": "weather", "arguments": TEXT, "result": "rain", "dialect": "spring-ai"},
        name="tool_call weather",
    ),
    Row(
        "content is off by default",
        {"spring.ai.kind": "mcp_server_tool_call", "spring.ai.tool.definition.name": "weather"},
        {"tool": "weather", "arguments": None, "result": None},
        name="spring.ai.tool",
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=case)
def test_spring_ai_tool_spans_are_read(row: Row) -> None:
    """Its own attributes come before the GenAI ones."""
    assert (row.role_read(), row.read()) == (Role.TOOL, row.expected)


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"spring.ai.kind": "chat_client"}, Role.AGENT),
        ({"spring.ai.kind": "advisor"}, Role.OTHER),
        ({"gen_ai.operation.name": "chat"}, Role.MODEL),
    ],
)
def test_other_spans_have_their_roles(attributes: dict[str, str], expected: Role) -> None:
    """Agents and model responses are told apart from calls and from the rest."""
    assert role(SpanData(name="step", attributes=attributes)) is expected
