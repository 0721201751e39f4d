from __future__ import annotations

import pytest
from dialects.reading import TEXT, Row, case

from otel_loopwatch.dialects import Role, role
from otel_loopwatch.spans import SpanData

ROWS = [
    Row(
        "content",
        {
            "langwatch.span.type": "tool",
            "langwatch.input": TEXT,
            "langwatch.output": "rain",
            "langwatch.thread.id": "t",
        },
        {"tool": "weather", "arguments": TEXT, "result": "rain", "conversation": "t", "dialect": "langwatch"},
        name="weather",
    ),
    Row(
        "the span of another",
        {
            "langwatch.span.type": "tool",
            "ai.operationId": "ai.toolCall",
            "ai.toolCall.name": "weather",
            "ai.toolCall.args": TEXT,
        },
        {"tool": "weather", "arguments": TEXT, "dialect": "vercel-ai"},
        name="ai.toolCall",
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=case)
def test_langwatch_tool_spans_are_read(row: Row) -> None:
    """The span's name is the tool, unless it says otherwise."""
    assert (row.role_read(), row.read()) == (Role.TOOL, row.expected)


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"langwatch.span.type": "llm"}, Role.MODEL),
        ({"langwatch.span.type": "agent"}, Role.AGENT),
        ({"langwatch.span.type": "component"}, Role.OTHER),
    ],
)
def test_other_spans_have_their_roles(attributes: dict[str, str], expected: Role) -> None:
    """Agents and model responses are told apart from calls and from the rest."""
    assert role(SpanData(name="step", attributes=attributes)) is expected
