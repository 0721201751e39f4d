from __future__ import annotations

import json

import pytest
from dialects.reading import ARGUMENTS, TEXT, Row, case

from otel_loopwatch.dialects import Role, role
from otel_loopwatch.spans import SpanData

TOOL = {"traceloop.span.kind": "tool", "traceloop.entity.name": "weather"}


def wrapped(step: int, call_id: str) -> str:
    """Arguments as the LangChain instrumentation writes them: different on every call."""
    return json.dumps(
        {
            "input_str": str(ARGUMENTS),
            "tags": [],
            "metadata": {"langgraph_step": step},
            "inputs": ARGUMENTS,
            "kwargs": {"tool_call_id": call_id},
        }
    )


MESSAGE = {"lc": 1, "type": "constructor", "id": ["x"], "kwargs": {"content": "rain", "tool_call_id": "c1"}}

ROWS = [
    Row(
        "LangChain",
        {
            **TOOL,
            "gen_ai.tool.call.arguments": wrapped(3, "c1"),
            "gen_ai.tool.call.result": json.dumps({"output": MESSAGE, "kwargs": {"color": "green"}}),
        },
        {"arguments": ARGUMENTS, "result": "rain", "call_id": "c1", "dialect": "openllmetry"},
    ),
    Row(
        "LangChain, another step",
        {**TOOL, "gen_ai.tool.call.arguments": wrapped(9, "c2")},
        {"arguments": ARGUMENTS, "call_id": "c2"},
    ),
    Row(
        "LangChain's agent and thread",
        {
            **TOOL,
            "traceloop.association.properties.lc_agent_name": "guide",
            "traceloop.association.properties.thread_id": "t1",
        },
        {"agent": "guide", "conversation": "t1"},
    ),
    Row(
        "a failed task",
        {**TOOL, "gen_ai.task.status": "failure", "error.type": "TimeoutError"},
        {"failed": True, "error": "TimeoutError"},
    ),
    Row(
        "a failure of Agno",
        {**TOOL, "traceloop.entity.output": "status='failure' result=None error='no answer' files=None"},
        {"failed": True},
    ),
    Row("an interrupt", {**TOOL, "gen_ai.task.status": "failure", "error.type": "GraphInterrupt"}, {"failed": False}),
    Row(
        "OpenAI Agents keep the model's blanks",
        {**TOOL, "gen_ai.tool.name": "weather", "gen_ai.tool.call.arguments": '{ "city" : "Oslo" }'},
        {"arguments": '{ "city" : "Oslo" }'},
        name="weather.tool",
    ),
    Row(
        "MCP",
        {
            **TOOL,
            "traceloop.entity.input": json.dumps({"tool_name": "weather", "arguments": ARGUMENTS}),
            "traceloop.entity.output": json.dumps({"result": "no answer", "is_error": True}),
        },
        {"tool": "weather", "arguments": ARGUMENTS, "result": "no answer", "failed": True},
        name="weather.tool",
    ),
    Row("no content", TOOL, {"arguments": None, "result": None}),
    Row(
        "a hand-off",
        {"traceloop.span.kind": "handoff", "gen_ai.operation.name": "handoff", "gen_ai.handoff.to_agent": "pilot"},
        {"tool": "handoff to pilot", "failed": False},
        name="guide → pilot.handoff",
        failed=True,
    ),
    Row(
        "a decorated tool",
        {**TOOL, "traceloop.entity.input": json.dumps({"args": [], "kwargs": ARGUMENTS})},
        {"arguments": ARGUMENTS},
    ),
    Row(
        "a task of LlamaIndex",
        {
            "traceloop.span.kind": "task",
            "traceloop.entity.name": "BaseWorkflowAgent.task",
            "tool.name": "weather",
            "tool.arguments": TEXT,
            "traceloop.entity.output": json.dumps(
                {"tool_name": "weather", "tool_id": "c", "tool_output": {"raw_output": "rain", "is_error": False}}
            ),
        },
        {"tool": "weather", "arguments": TEXT, "result": "rain", "call_id": "c"},
    ),
    Row("plain arguments", {**TOOL, "traceloop.entity.input": TEXT}, {"arguments": TEXT}),
]


@pytest.mark.parametrize("row", ROWS, ids=case)
def test_openllmetry_tool_spans_are_read(row: Row) -> None:
    """The real arguments come out of the wrapper that differs on every call."""
    assert (row.role_read(), row.read()) == (Role.TOOL, row.expected)


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"traceloop.span.kind": "workflow", "gen_ai.operation.name": "invoke_agent"}, Role.OTHER),
        ({"traceloop.span.kind": "task", "gen_ai.operation.name": "execute_task"}, Role.OTHER),
        ({"traceloop.span.kind": "task", "gen_ai.operation.name": "chat"}, Role.MODEL),
        ({"traceloop.span.kind": "agent", "gen_ai.operation.name": "invoke_agent"}, Role.AGENT),
        ({"llm.request.type": "chat"}, Role.MODEL),
        ({"llm.request.type": "embedding"}, Role.OTHER),
        ({"gen_ai.operation.name": "chat"}, Role.MODEL),
    ],
)
def test_workflows_are_not_taken_for_a_second_agent(attributes: dict[str, str], expected: Role) -> None:
    """Only one of the nested spans that say ``invoke_agent`` is the agent."""
    assert role(SpanData(name="x", attributes=attributes)) is expected
