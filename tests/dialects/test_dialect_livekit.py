from __future__ import annotations

import pytest
from dialects.reading import TEXT, Row, case

from otel_loopwatch.dialects import Role

ROWS = [
    Row(
        "content",
        {
            "lk.function_tool.name": "weather",
            "lk.function_tool.id": "c1",
            "lk.function_tool.arguments": TEXT,
            "lk.function_tool.output": "rain",
            "lk.function_tool.is_error": False,
        },
        {
            "tool": "weather",
            "call_id": "c1",
            "arguments": TEXT,
            "result": "rain",
            "failed": False,
            "dialect": "livekit",
        },
        name="function_tool",
    ),
    Row(
        "a failure",
        {"lk.function_tool.name": "weather", "lk.function_tool.output": "no answer", "lk.function_tool.is_error": True},
        {"failed": True, "arguments": None, "result": "no answer"},
        name="function_tool",
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=case)
def test_livekit_tool_spans_are_read(row: Row) -> None:
    """The tool's attributes mark its span, and one of them tells a failure."""
    assert (row.role_read(), row.read()) == (Role.TOOL, row.expected)
