from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sources.reading import Row, case, check, lines, opened

from otel_loopwatch.sources import SpansFile

TRACE = "00000000000000000000000000000abc"


def span(number: int, name: str, kind: str, attributes: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A span as Phoenix's API gives it."""
    return {
        "id": f"U3Bhbjo{number}",
        "name": name,
        "context": {"trace_id": TRACE, "span_id": f"{number:016x}"},
        "span_kind": kind,
        "parent_id": f"{1:016x}" if number > 1 else None,
        "start_time": f"2023-11-14T22:13:{20 + number}.000000+00:00",
        "end_time": f"2023-11-14T22:13:{21 + number}.000000+00:00",
        "status_code": "OK",
        "status_message": "",
        "attributes": attributes,
        "events": [],
        **fields,
    }


AGENT = span(1, "guide", "AGENT", {}, end_time="2023-11-14T22:14:20+00:00")
DOTTED = span(2, "weather", "TOOL", {"tool.name": "weather", "input.value": '{"city": "Oslo"}', "output.value": "rain"})
NESTED = span(
    3,
    "weather",
    "TOOL",
    {"tool": {"name": "weather"}, "input": {"value": {"city": "Oslo"}}, "output": {"value": "rain"}},
)
FAILED = span(4, "weather", "TOOL", {"tool.name": "weather"}, status_code="ERROR", status_message="no answer")
CALL = {"tool": "weather", "arguments": '{"city": "Oslo"}', "result": "rain", "failed": False}

ROWS = [
    Row("spans of the API", [{"data": [AGENT, DOTTED], "next_cursor": None}], [CALL]),
    Row("spans of the command", [[AGENT, DOTTED]], [CALL]),
    Row(
        "traces of the command",
        [[{"traceId": TRACE, "spans": [AGENT, DOTTED], "rootSpan": AGENT, "status": "OK"}]],
        [CALL],
    ),
    Row("nested attributes", [AGENT, NESTED], [{"tool": "weather", "arguments": {"city": "Oslo"}, "result": "rain"}]),
    Row("a failure", [AGENT, FAILED], [{"failed": True, "error": "no answer", "arguments": None}]),
    Row("no tool", [AGENT], []),
    Row("what is no span", [AGENT, {"data": [5]}, DOTTED], [CALL], skipped=1),
]


@pytest.mark.parametrize("row", ROWS, ids=case)
def test_phoenix_spans_are_read(tmp_path: Path, row: Row) -> None:
    """The kind stands beside the attributes."""
    check(tmp_path, row, "Phoenix JSON")


def test_nested_messages_get_their_dotted_names(tmp_path: Path) -> None:
    """As the instrumentation wrote them, so that its dialect reads them."""
    messages = [{"message": {"role": "assistant", "tool_calls": [{"tool_call": {"function": {"name": "weather"}}}]}}]
    attributes = {"llm": {"output_messages": messages, "tags": ["a", "b"]}, "metadata": {"a": {"b": 1}}}
    file = opened(tmp_path, lines([span(1, "ask", "LLM", attributes)]))
    assert isinstance(file, SpansFile)
    assert next(iter(file)).attributes == {
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "weather",
        "llm.tags": ["a", "b"],
        "metadata": {"a": {"b": 1}},
        "openinference.span.kind": "LLM",
    }


@pytest.mark.parametrize(
    "change", [{"attributes": [5]}, {"span_kind": 5}, {"events": "x"}, {"status_code": {}}], ids=str
)
def test_wrong_types_are_survived(tmp_path: Path, change: dict[str, Any]) -> None:
    """What can be read of a span is read."""
    file = opened(tmp_path, lines([{**DOTTED, **change}]))
    assert isinstance(file, SpansFile)
    assert [one.name for one in file] == ["weather"]
