from __future__ import annotations

import json
from typing import Any

import pytest
from dialects.reading import ARGUMENTS, Row, case

from otel_loopwatch.dialects import Role

TOOL = {"gen_ai.tool.name": "weather", "gen_ai.tool.call_id": "c1", "gen_ai.conversation.id": "s"}
REQUEST = {"callId": "c1", "name": "weather", "args": ARGUMENTS}


def completed(status: str, answer: dict[str, Any]) -> str:
    """A completed call as the CLI writes it."""
    return json.dumps(
        {"status": status, "response": {"responseParts": [{"functionResponse": {"response": answer}}]}},
    )


ROWS = [
    Row(
        "content",
        {
            **TOOL,
            "gen_ai.operation.name": "tool_call",
            "gen_ai.input.messages": json.dumps(REQUEST),
            "gen_ai.output.messages": completed("success", {"output": "rain"}),
        },
        {
            "tool": "weather",
            "call_id": "c1",
            "arguments": ARGUMENTS,
            "result": "rain",
            "conversation": "s",
            "failed": False,
        },
        name="tool_call",
    ),
    Row(
        "an error under a good status",
        {**TOOL, "gen_ai.output.messages": completed("error", {"error": "no answer"})},
        {"failed": True, "result": "no answer", "dialect": "gemini-cli"},
        name="tool_call",
    ),
    Row(
        "at the start", TOOL, {"tool": "weather", "arguments": None, "result": None, "failed": False}, name="tool_call"
    ),
    Row(
        "a cut request stays text",
        {**TOOL, "gen_ai.input.messages": '{"args": ...[TRUNCATED: original length 9]'},
        {
            "arguments": '{"args": ...[TRUNCATED: original length 9]',
            "truncated": True,
        },
        name="tool_call",
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=case)
def test_gemini_cli_tool_spans_are_read(row: Row) -> None:
    """Request and completed call are taken out of the message attributes."""
    assert (row.role_read(), row.read()) == (Role.TOOL, row.expected)
