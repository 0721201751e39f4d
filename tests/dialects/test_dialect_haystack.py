from __future__ import annotations

import pytest
from dialects.reading import TEXT, Row, case

from otel_loopwatch.dialects import Role, role
from otel_loopwatch.spans import SpanData

NAME = "haystack.agent.step.tool"
TOOL = {"haystack.tool.name": "weather"}

ROWS = [
    Row(
        "content",
        {**TOOL, "haystack.agent.step.tool.input": TEXT, "haystack.agent.step.tool.output": "rain"},
        {"tool": "weather", "arguments": TEXT, "result": "rain", "failed": False, "dialect": "haystack"},
        name=NAME,
    ),
    Row("an error without a status", {**TOOL, "haystack.tool.error": True}, {"failed": True}, name=NAME),
    Row("no content", TOOL, {"arguments": None, "result": None}, name=NAME),
]


@pytest.mark.parametrize("row", ROWS, ids=case)
def test_haystack_tool_spans_are_read(row: Row) -> None:
    """A failed tool is told by its own attribute: the status stays unset."""
    assert (row.role_read(), row.read()) == (Role.TOOL, row.expected)


@pytest.mark.parametrize(
    ("name", "expected"), [("haystack.agent.run", Role.AGENT), ("haystack.agent.step.llm", Role.MODEL)]
)
def test_haystack_spans_are_told_by_name(name: str, expected: Role) -> None:
    """Other spans of an agent carry no marker."""
    assert role(SpanData(name=name)) is expected
