from __future__ import annotations

import json

import pytest
from dialects.reading import ARGUMENTS, EXCEPTION, TEXT, Row, case

from otel_loopwatch.dialects import Role, read_agent, role
from otel_loopwatch.spans import SpanData, SpanEvent

TOOL = {"openinference.span.kind": "TOOL", "tool.name": "weather"}
SCHEMA = json.dumps({"type": "object", "properties": {"city": {"type": "string"}}})
MESSAGE = {"content": "rain", "type": "tool", "name": "weather", "tool_call_id": "c1", "status": "success"}

ROWS = [
    Row(
        "LangChain",
        {**TOOL, "input.value": TEXT, "output.value": json.dumps({"type": "tool", "data": MESSAGE})},
        {"arguments": TEXT, "result": "rain", "call_id": "c1", "failed": False},
        name="weather",
    ),
    Row("LangChain's bare single argument", {**TOOL, "input.value": "Oslo"}, {"arguments": "Oslo"}, name="weather"),
    Row(
        "LangChain's error message",
        {**TOOL, "output.value": json.dumps({"type": "tool", "data": {**MESSAGE, "status": "error"}})},
        {"failed": True, "result": "rain"},
    ),
    Row(
        "LangChain's run configuration",
        {**TOOL, "metadata": json.dumps({"lc_agent_name": "guide", "thread_id": "t1"})},
        {"agent": "guide", "conversation": "t1"},
    ),
    Row(
        "OpenAI Agents with GenAI attributes: those hold the schema",
        {**TOOL, "input.value": TEXT, "gen_ai.tool.call.arguments": SCHEMA, "gen_ai.operation.name": "execute_tool"},
        {"arguments": TEXT, "dialect": "openinference"},
    ),
    Row(
        "OpenAI Agents' hand-off, whose status lies",
        {"openinference.span.kind": "TOOL", "input.value": "guide"},
        {"tool": "handoff to pilot", "arguments": "guide", "failed": False},
        name="handoff to pilot",
        failed=True,
    ),
    Row(
        "smolagents",
        {**TOOL, "input.value": json.dumps({"args": [], "sanitize_inputs_outputs": True, "kwargs": ARGUMENTS})},
        {"tool": "weather", "arguments": ARGUMENTS},
        name="SimpleTool",
    ),
    Row(
        "smolagents' parameters are no arguments",
        {**TOOL, "tool.parameters": json.dumps({"city": {"type": "string"}})},
        {"arguments": None},
    ),
    Row(
        "LlamaIndex",
        {
            **TOOL,
            "tool.parameters": SCHEMA,
            "input.value": json.dumps({"kwargs": ARGUMENTS}),
            "output.value": json.dumps({"blocks": [{"text": "rain"}], "raw_output": "rain", "is_error": True}),
        },
        {"arguments": ARGUMENTS, "result": "rain", "failed": True},
        name="FunctionTool.acall",
    ),
    Row(
        "CrewAI's events",
        {**TOOL, "tool.agent_role": "guide", "output.value": "{'rain': 1}"},
        {"agent": "guide", "result": {"rain": 1}},
    ),
    Row(
        "CrewAI's name before the attributes",
        {"openinference.span.kind": "TOOL"},
        {"tool": "weather"},
        name="weather.run",
    ),
    Row(
        "DSPy",
        {"openinference.span.kind": "TOOL", "output.value": '"rain"'},
        {"tool": "weather", "result": "rain"},
        name="weather.__call__",
    ),
    Row("Agno's parameters are the arguments", {**TOOL, "tool.parameters": TEXT}, {"arguments": TEXT}),
    Row(
        "AutoGen: the status is good whatever happened",
        {**TOOL, "output.value": "no answer"},
        {"failed": False, "result": "no answer"},
    ),
    Row(
        "hidden values",
        {**TOOL, "input.value": "__REDACTED__", "output.value": "__REDACTED__", "tool.parameters": TEXT},
        {"arguments": None, "result": None},
    ),
    Row(
        "a failure",
        TOOL,
        {"failed": True, "error": "TimeoutError: no answer", "result": None},
        events=[EXCEPTION],
        failed=True,
    ),
    Row("an interrupt", TOOL, {"failed": False}, events=[SpanEvent("exception", {"exception.type": "GraphInterrupt"})]),
]


@pytest.mark.parametrize("row", ROWS, ids=case)
def test_openinference_tool_spans_are_read(row: Row) -> None:
    """Each framework OpenInference instruments is read with its own habits."""
    assert (row.role_read(), row.read()) == (Role.TOOL, row.expected)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("TOOL", Role.TOOL), ("LLM", Role.MODEL), ("AGENT", Role.AGENT), ("CHAIN", Role.OTHER), (1, Role.OTHER)],
)
def test_the_kind_tells_the_role(kind: object, expected: Role) -> None:
    """The kind wins over GenAI attributes beside it."""
    attributes = {"gen_ai.operation.name": "execute_tool", "openinference.span.kind": kind}
    assert role(SpanData(name="x", attributes=attributes)) is expected


@pytest.mark.parametrize(
    ("attributes", "name", "agent"),
    [
        ({"agent.name": "guide"}, "Agent.run", "guide"),
        ({"graph.node.id": "guide"}, "guide._execute_core", "guide"),
        ({"metadata": '{"lc_agent_name": "guide"}'}, "LangGraph", "guide"),
        ({"metadata": "{"}, "guide", "guide"),
        ({}, "guide.run", "guide"),
    ],
    ids=["OpenAI Agents, Agno", "CrewAI, AutoGen", "LangChain", "broken metadata", "smolagents"],
)
def test_an_agent_is_named_by_attribute_metadata_or_span(attributes: dict[str, str], name: str, agent: str) -> None:
    """Each framework tells its agent's name in a place of its own."""
    assert read_agent(SpanData(name=name, attributes={"openinference.span.kind": "AGENT", **attributes})).name == agent


@pytest.mark.parametrize(
    ("name", "attributes", "expected"),
    [
        ("start", {"metadata.path": "tool.weather.start"}, Role.OTHER),
        ("tool.weather.finish", {"target": "tool.weather.finish", "name": "finish"}, Role.OTHER),
        ("tool.weather.success", {"target": "tool.weather.success", "name": "success"}, Role.TOOL),
        ("weather", {"metadata.class_name": "Weather", "tool.name": "weather"}, Role.TOOL),
        ("start", {"tool.name": "start"}, Role.TOOL),
    ],
    ids=["an event", "an early event", "an early success", "the call", "a tool of that name"],
)
def test_events_of_a_beeai_call_are_no_calls(name: str, attributes: dict[str, str], expected: Role) -> None:
    """BeeAI makes a span of the tool's kind of every event of a call."""
    assert role(SpanData(name=name, attributes={"openinference.span.kind": "TOOL", **attributes})) is expected
