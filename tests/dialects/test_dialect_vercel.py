from __future__ import annotations

import pytest
from dialects.reading import EXCEPTION, TEXT, Row, case

from otel_loopwatch.dialects import Role, read_turn, role
from otel_loopwatch.spans import SpanData

TOOL = {
    "ai.operationId": "ai.toolCall",
    "ai.toolCall.name": "weather",
    "ai.toolCall.id": "c1",
    "ai.toolCall.args": TEXT,
    "ai.telemetry.functionId": "guide",
}

ROWS = [
    Row(
        "content",
        {**TOOL, "ai.toolCall.result": '"rain"', "ai.telemetry.metadata.sessionId": "s"},
        {
            "tool": "weather",
            "arguments": TEXT,
            "result": "rain",
            "call_id": "c1",
            "agent": "guide",
            "conversation": "s",
        },
        name="ai.toolCall",
    ),
    Row(
        "a failure",
        TOOL,
        {"failed": True, "result": None, "dialect": "vercel-ai"},
        name="ai.toolCall",
        events=[EXCEPTION],
        failed=True,
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=case)
def test_vercel_tool_spans_are_read(row: Row) -> None:
    """Version 5 and the legacy tracer of version 7 are read."""
    assert (row.role_read(), row.read()) == (Role.TOOL, row.expected)


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ("ai.generateText", Role.AGENT),
        ("ai.streamText", Role.AGENT),
        ("ai.generateText.doGenerate", Role.MODEL),
        ("ai.embed", Role.OTHER),
    ],
)
def test_the_operation_id_tells_the_role(operation: str, expected: Role) -> None:
    """The outer span is the agent's run, the inner one the request."""
    assert role(SpanData(name=operation, attributes={"ai.operationId": operation})) is expected


def test_tokens_of_both_generations_are_read_once() -> None:
    """The same tokens under two names are not added up."""
    usage = {"ai.usage.promptTokens": 5, "ai.usage.completionTokens": 2, "gen_ai.usage.input_tokens": 5}
    span = SpanData(attributes={"ai.operationId": "ai.generateText.doGenerate", **usage})
    assert read_turn(span).tokens == 7
