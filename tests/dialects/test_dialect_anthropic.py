from __future__ import annotations

import pytest
from dialects.reading import TEXT, Row, case

from otel_loopwatch.dialects import Role

NAME = "anthropic.custom_tool_use weather"
TOOL = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather", "gen_ai.tool.call.id": "c1"}

ROWS = [
    Row(
        "content",
        {
            **TOOL,
            "gen_ai.tool.call.arguments": TEXT,
            "anthropic.tool_result.content": '[{"type": "text", "text": "rain"}]',
        },
        {"arguments": TEXT, "result": "rain", "call_id": "c1", "dialect": "anthropic"},
        name=NAME,
    ),
    Row(
        "no content",
        {**TOOL, "error.type": "tool_error"},
        {"failed": True, "error": "tool_error", "dialect": "anthropic"},
        name=NAME,
    ),
    Row("only the span's name", {}, {"tool": "weather"}, name=NAME),
]


@pytest.mark.parametrize("row", ROWS, ids=case)
def test_anthropic_tool_spans_are_read(row: Row) -> None:
    """The SDK's own spans are read with their own result attribute."""
    assert (row.role_read(), row.read()) == (Role.TOOL, row.expected)
