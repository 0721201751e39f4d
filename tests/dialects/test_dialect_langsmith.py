from __future__ import annotations

import json

import pytest
from dialects.reading import ARGUMENTS, TEXT, Row, case

from otel_loopwatch.dialects import Role

TOOL = {"langsmith.span.kind": "tool", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather"}

ROWS = [
    Row(
        "content",
        {
            **TOOL,
            "gen_ai.tool.call.id": "c1",
            "gen_ai.prompt": TEXT,
            "gen_ai.completion": json.dumps({"output": {"content": "rain", "tool_call_id": "c1", "status": "success"}}),
        },
        {"arguments": TEXT, "result": "rain", "call_id": "c1", "dialect": "langsmith"},
        name="weather",
    ),
    Row(
        "hidden content",
        {**TOOL, "gen_ai.prompt": "{}", "gen_ai.completion": "{}"},
        {"arguments": None, "result": None},
    ),
    Row(
        "arguments one level down",
        {**TOOL, "gen_ai.prompt": json.dumps({"input": ARGUMENTS})},
        {"arguments": ARGUMENTS},
    ),
    Row("an argument called input", {**TOOL, "gen_ai.prompt": '{"input": "x"}'}, {"arguments": '{"input": "x"}'}),
    Row(
        "agent and thread",
        {**TOOL, "langsmith.metadata.lc_agent_name": "guide", "langsmith.metadata.thread_id": "t1"},
        {"agent": "guide", "conversation": "t1"},
    ),
    Row("only the span's name", {"langsmith.span.kind": "tool"}, {"tool": "weather"}, name="weather"),
]


@pytest.mark.parametrize("row", ROWS, ids=case)
def test_langsmith_tool_spans_are_read(row: Row) -> None:
    """Prompt and completion are the call; what a hidden one leaves is unknown."""
    assert (row.role_read(), row.read()) == (Role.TOOL, row.expected)
