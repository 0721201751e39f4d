from __future__ import annotations

import pytest
from dialects.reading import ARGUMENTS, EXCEPTION, TEXT, Row, case

from otel_loopwatch.dialects import Role, role
from otel_loopwatch.model import Outcome
from otel_loopwatch.spans import SpanData, SpanEvent

TOOL = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather"}
CALLED = {**TOOL, "gen_ai.tool.call.id": "c1", "gen_ai.tool.call.arguments": TEXT}

ROWS = [
    Row("texts", {**CALLED, "gen_ai.tool.call.result": "rain"}, {"arguments": TEXT, "result": "rain", "call_id": "c1"}),
    Row("maps", {**TOOL, "gen_ai.tool.call.arguments": ARGUMENTS}, {"arguments": ARGUMENTS, "result": None}),
    Row("an empty object is known", {**TOOL, "gen_ai.tool.call.arguments": "{}"}, {"arguments": "{}"}),
    Row("a quoted result", {**TOOL, "gen_ai.tool.call.result": '"rain"'}, {"result": "rain"}),
    Row("no content", TOOL, {"tool": "weather", "arguments": None, "result": None, "dialect": "genai"}),
    Row("only the span's name", {}, {"tool": "weather"}),
    Row("an error type alone", {**CALLED, "error.type": "TimeoutError"}, {"failed": True, "error": "TimeoutError"}),
    Row("an exception", CALLED, {"failed": True, "error": "TimeoutError: no answer"}, events=[EXCEPTION], failed=True),
    Row("a status text", CALLED, {"failed": True, "error": "no answer"}, failed=True, status="no answer"),
    Row(
        "a stack trace in the status",
        CALLED,
        {"error": "TimeoutError('no answer')"},
        failed=True,
        status="TimeoutError('no answer')Traceback (most recent call last):\n  File ...",
    ),
    Row(
        "LangGraph's interrupt is no failure",
        {**CALLED, "error.type": "langgraph.errors.GraphInterrupt"},
        {"failed": False, "error": None},
        failed=True,
    ),
    Row(
        "a handled exception under a good status",
        CALLED,
        {"failed": False},
        events=[SpanEvent("exception", {"exception.type": "GraphInterrupt"})],
    ),
    Row("an outcome of the application", {**CALLED, "loopwatch.call.outcome": "pending"}, {"outcome": Outcome.PENDING}),
    Row("an outcome that is none", {**CALLED, "loopwatch.call.outcome": "great"}, {"outcome": None}),
    Row(
        "declared progress and state",
        {**CALLED, "loopwatch.progress.version": 7, "loopwatch.state.fingerprint": "ab"},
        {"progress_version": 7, "state": "ab"},
    ),
    Row(
        "agent and session",
        {**CALLED, "gen_ai.agent.name": "guide", "session.id": "s"},
        {"agent": "guide", "conversation": "s"},
    ),
    Row(
        "a value cut by its writer",
        {**TOOL, "gen_ai.tool.call.result": "rain...[TRUNCATED: 9 more]"},
        {"truncated": True},
    ),
    Row("broken JSON stays text", {**TOOL, "gen_ai.tool.call.arguments": '{"kwargs": '}, {"arguments": '{"kwargs": '}),
]


@pytest.mark.parametrize("row", ROWS, ids=case)
def test_genai_tool_spans_are_read(row: Row) -> None:
    """The semantic conventions are read, whatever of them is there."""
    assert (row.role_read(), row.read()) == (Role.TOOL, row.expected)


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ("execute_tool", Role.TOOL),
        ("chat", Role.MODEL),
        ("generate_content", Role.MODEL),
        ("invoke_agent", Role.AGENT),
        ("invoke_workflow", Role.OTHER),
        ("create_agent", Role.OTHER),
        ("embeddings", Role.OTHER),
        (["chat"], Role.OTHER),
    ],
)
def test_the_operation_tells_the_role(operation: object, expected: Role) -> None:
    """A span's role follows from its operation; an unknown one is none of ours."""
    assert role(SpanData(name="x", attributes={"gen_ai.operation.name": operation})) is expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("execute_tool weather", Role.TOOL),
        ("invoke_agent guide", Role.AGENT),
        ("ai.toolCall", Role.TOOL),
        ("anthropic.custom_tool_use weather", Role.TOOL),
        ("haystack.agent.step.tool", Role.TOOL),
        ("claude_code.tool", Role.TOOL),
        ("weather", Role.OTHER),
        ("chat with a friend", Role.OTHER),
        ("GET /execute_tool", Role.OTHER),
        ("", Role.OTHER),
    ],
)
def test_at_the_start_only_an_unmistakable_name_tells_the_role(name: str, expected: Role) -> None:
    """Without attributes a span is of an agent's only if its name says so beyond doubt."""
    assert role(SpanData(name=name)) is expected
