from __future__ import annotations

import pytest
from dialects.reading import TEXT, Row, case

from otel_loopwatch.dialects import Role

TOOL = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "weather",
    "gen_ai.tool.call.id": "c1",
    "agent_framework.function.invocation.duration": 0.1,
}

ROWS = [
    Row(
        "content",
        {**TOOL, "gen_ai.tool.call.arguments": TEXT, "gen_ai.tool.call.result": "rain"},
        {"arguments": TEXT, "result": "rain", "call_id": "c1", "dialect": "agent-framework"},
    ),
    Row("no arguments", {**TOOL, "gen_ai.tool.call.arguments": "None"}, {"arguments": {}}),
    Row("no id", {**TOOL, "gen_ai.tool.call.id": "unknown"}, {"call_id": None}),
]


@pytest.mark.parametrize("row", ROWS, ids=case)
def test_agent_framework_tool_spans_are_read(row: Row) -> None:
    """Words that stand for nothing are not taken for values."""
    assert (row.role_read(), row.read()) == (Role.TOOL, row.expected)
