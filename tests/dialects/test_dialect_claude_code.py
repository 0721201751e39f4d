from __future__ import annotations

import pytest
from dialects.reading import TEXT, Row, case

from otel_loopwatch.dialects import Role, role
from otel_loopwatch.spans import SpanData

NAME = "claude_code.tool"
TOOL = {
    "gen_ai.operation.name": "execute_tool",
    "tool_name": "Bash",
    "tool_use_id": "c1",
    "gen_ai.conversation.id": "s",
}

ROWS = [
    Row(
        "content",
        {**TOOL, "tool_input": f"[TOOL INPUT: Bash] {TEXT}", "new_context": "[TOOL RESULT: Bash] rain"},
        {"tool": "Bash", "call_id": "c1", "arguments": TEXT, "result": "rain", "dialect": "claude-code"},
        name=NAME,
    ),
    Row("no content", TOOL, {"arguments": None, "result": None, "truncated": False}, name=NAME),
    Row(
        "cut arguments",
        {**TOOL, "tool_input": "[TOOL INPUT: Bash] {", "tool_input_truncated": True},
        {"truncated": True},
        name=NAME,
    ),
    Row("a failure", {**TOOL, "success": False}, {"failed": True}, name=NAME),
]


@pytest.mark.parametrize("row", ROWS, ids=case)
def test_claude_code_tool_spans_are_read(row: Row) -> None:
    """Labels before arguments and results are taken off."""
    assert (row.role_read(), row.read()) == (Role.TOOL, row.expected)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("claude_code.interaction", Role.AGENT),
        ("claude_code.llm_request", Role.MODEL),
        ("claude_code.tool.execution", Role.OTHER),
    ],
)
def test_claude_code_spans_are_told_by_name(name: str, expected: Role) -> None:
    """One call has several spans inside; only the outer one is the call."""
    assert role(SpanData(name=name)) is expected
