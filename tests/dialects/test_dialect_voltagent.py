from __future__ import annotations

import pytest
from dialects.reading import TEXT, Row, case

from otel_loopwatch.dialects import Role, role
from otel_loopwatch.spans import SpanData

ROWS = [
    Row(
        "content",
        {
            "voltagent.operation_id": "o",
            "span.type": "tool",
            "entity.type": "agent",
            "entity.name": "guide",
            "tool.name": "weather",
            "input": TEXT,
            "output": "rain",
        },
        {"tool": "weather", "arguments": TEXT, "result": "rain", "agent": "guide", "dialect": "voltagent"},
        name="tool.execution:weather",
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=case)
def test_voltagent_tool_spans_are_read(row: Row) -> None:
    """A child span's own type wins over its agent's."""
    assert (row.role_read(), row.read()) == (Role.TOOL, row.expected)


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"voltagent.operation_id": "o", "entity.type": "agent"}, Role.AGENT),
        ({"voltagent.operation_id": "o", "span.type": "llm", "entity.type": "agent"}, Role.MODEL),
        ({"voltagent.operation_id": "o", "entity.type": "workflow"}, Role.OTHER),
    ],
)
def test_other_spans_have_their_roles(attributes: dict[str, str], expected: Role) -> None:
    """Agents and model responses are told apart from calls and from the rest."""
    assert role(SpanData(name="step", attributes=attributes)) is expected
