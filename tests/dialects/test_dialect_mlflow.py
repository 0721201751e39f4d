from __future__ import annotations

import pytest
from dialects.reading import EXCEPTION, TEXT, Row, case

from otel_loopwatch.dialects import AgentInfo, Role, read_agent, read_turn, role
from otel_loopwatch.spans import SpanData

TOOL = {"mlflow.spanType": '"TOOL"'}

ROWS = [
    Row(
        "content",
        {**TOOL, "mlflow.spanInputs": TEXT, "mlflow.spanOutputs": '"rain"'},
        {"tool": "weather", "arguments": TEXT, "result": "rain", "dialect": "mlflow"},
        name="weather",
    ),
    Row("unquoted type", {"mlflow.spanType": "TOOL"}, {"tool": "weather"}, name="weather"),
    Row("a failure", TOOL, {"failed": True, "error": "TimeoutError: no answer"}, events=[EXCEPTION], failed=True),
]


@pytest.mark.parametrize("row", ROWS, ids=case)
def test_mlflow_tool_spans_are_read(row: Row) -> None:
    """Values encoded once more as JSON are decoded."""
    assert (row.role_read(), row.read()) == (Role.TOOL, row.expected)


def test_agent_and_tokens_are_read() -> None:
    """An agent is named by its span; usage is JSON text."""
    agent = SpanData(name="guide", attributes={"mlflow.spanType": '"AGENT"'})
    usage = {"mlflow.spanType": '"CHAT_MODEL"', "mlflow.chat.tokenUsage": '{"input_tokens": 2, "output_tokens": 1}'}
    model = SpanData(name="llm", attributes=usage)
    assert (role(agent), read_agent(agent)) == (Role.AGENT, AgentInfo(name="guide"))
    assert (role(model), read_turn(model).tokens) == (Role.MODEL, 3)
