from __future__ import annotations

import pytest
from dialects.reading import TEXT, Row, case

from otel_loopwatch.dialects import Role, role
from otel_loopwatch.spans import SpanData

ROWS = [
    Row(
        "content",
        {
            "fi.span.kind": "TOOL",
            "tool.name": "weather",
            "input.value": TEXT,
            "input.mime_type": "application/json",
            "output.value": "rain",
        },
        {"tool": "weather", "arguments": TEXT, "result": "rain", "dialect": "future-agi"},
        name="weather",
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=case)
def test_future_agi_tool_spans_are_read(row: Row) -> None:
    """As OpenInference, under another marker."""
    assert (row.role_read(), row.read()) == (Role.TOOL, row.expected)


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"fi.span.kind": "AGENT"}, Role.AGENT),
        ({"fi.span.kind": "LLM"}, Role.MODEL),
        ({"fi.span.kind": "CHAIN"}, Role.OTHER),
    ],
)
def test_other_spans_have_their_roles(attributes: dict[str, str], expected: Role) -> None:
    """Agents and model responses are told apart from calls and from the rest."""
    assert role(SpanData(name="step", attributes=attributes)) is expected
