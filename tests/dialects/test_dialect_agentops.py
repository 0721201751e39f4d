from __future__ import annotations

import pytest
from dialects.reading import ARGUMENTS, TEXT, Row, case

from otel_loopwatch.dialects import Role, role
from otel_loopwatch.spans import SpanData

ROWS = [
    Row(
        "content",
        {"agentops.span.kind": "tool", "tool.name": "weather", "tool.parameters": TEXT, "tool.result": "rain"},
        {"tool": "weather", "arguments": TEXT, "result": "rain", "dialect": "agentops"},
        name="weather.tool",
    ),
    Row(
        "a decorated function",
        {
            "agentops.span.kind": "tool",
            "agentops.entity.input": '{"args": [], "kwargs": ' + TEXT + "}",
            "agentops.entity.output": '"rain"',
        },
        {"tool": "weather", "arguments": ARGUMENTS, "result": "rain"},
        name="weather.tool",
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=case)
def test_agentops_tool_spans_are_read(row: Row) -> None:
    """The tool is named by an attribute or by the span."""
    assert (row.role_read(), row.read()) == (Role.TOOL, row.expected)


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"agentops.span.kind": "agent"}, Role.AGENT),
        ({"agentops.span.kind": "llm"}, Role.MODEL),
        ({"agentops.span.kind": "session"}, Role.OTHER),
    ],
)
def test_other_spans_have_their_roles(attributes: dict[str, str], expected: Role) -> None:
    """Agents and model responses are told apart from calls and from the rest."""
    assert role(SpanData(name="step", attributes=attributes)) is expected
