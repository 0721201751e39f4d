from __future__ import annotations

import json

import pytest
from dialects.reading import ARGUMENTS, Row, case

from otel_loopwatch.dialects import AgentInfo, Role, read_agent, read_turn, role
from otel_loopwatch.spans import SpanData

TOOL = {"langfuse.observation.type": "tool"}

ROWS = [
    Row(
        "content",
        {
            **TOOL,
            "session.id": "s",
            "langfuse.observation.input": json.dumps({"args": [], "kwargs": ARGUMENTS}),
            "langfuse.observation.output": "rain",
        },
        {"tool": "weather", "arguments": ARGUMENTS, "result": "rain", "conversation": "s", "dialect": "langfuse"},
        name="weather",
    ),
    Row(
        "positional arguments stay",
        {**TOOL, "langfuse.observation.input": '{"args": ["x"], "kwargs": {}}'},
        {"arguments": '{"args": ["x"], "kwargs": {}}'},
    ),
    Row(
        "a failure",
        {**TOOL, "langfuse.observation.level": "ERROR"},
        {"failed": True, "error": "no answer"},
        status="no answer",
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=case)
def test_langfuse_tool_spans_are_read(row: Row) -> None:
    """The span's name is the tool; its keyword arguments are the call's."""
    assert (row.role_read(), row.read()) == (Role.TOOL, row.expected)


def test_an_agent_observation_is_named_by_its_span() -> None:
    """Langfuse has no attribute for an agent's name."""
    span = SpanData(name="guide", attributes={"langfuse.observation.type": "agent", "user.id": "u"})
    assert (role(span), read_agent(span)) == (Role.AGENT, AgentInfo(name="guide", user="u"))


def test_a_generation_tells_its_tokens() -> None:
    """Usage is JSON text of its own."""
    usage = json.dumps({"input": 4, "output": 3, "total": 7})
    attributes = {"langfuse.observation.type": "generation", "langfuse.observation.usage_details": usage}
    span = SpanData(name="llm", attributes=attributes)
    assert (role(span), read_turn(span).tokens) == (Role.MODEL, 7)
