from __future__ import annotations

import pytest
from dialects.reading import TEXT, Row, case

from otel_loopwatch.dialects import Role, role
from otel_loopwatch.spans import SpanData

ROWS = [
    Row(
        "content",
        {"lmnr.span.type": "TOOL", "lmnr.span.input": TEXT, "lmnr.span.output": '"rain"'},
        {"tool": "weather", "arguments": TEXT, "result": "rain", "dialect": "laminar"},
        name="weather",
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=case)
def test_laminar_tool_spans_are_read(row: Row) -> None:
    """The span's name is the tool."""
    assert (row.role_read(), row.read()) == (Role.TOOL, row.expected)


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"lmnr.span.type": "LLM"}, Role.MODEL),
        ({"lmnr.span.type": "EXECUTOR"}, Role.AGENT),
        ({"lmnr.span.type": "DEFAULT"}, Role.OTHER),
    ],
)
def test_other_spans_have_their_roles(attributes: dict[str, str], expected: Role) -> None:
    """Agents and model responses are told apart from calls and from the rest."""
    assert role(SpanData(name="step", attributes=attributes)) is expected
