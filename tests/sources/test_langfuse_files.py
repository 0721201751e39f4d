from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sources.reading import Row, case, check

TRACE = "00000000000000000000000000000abc"


def observation(number: int, kind: str, name: str, **fields: Any) -> dict[str, Any]:
    """An observation as the page downloads it, ``number`` seconds after the start."""
    return {
        "id": f"{number:016x}",
        "traceId": TRACE,
        "parentObservationId": f"{1:016x}" if number > 1 else None,
        "type": kind,
        "name": name,
        "startTime": f"2023-11-14T22:13:{20 + number}.000Z",
        "endTime": f"2023-11-14T22:13:{21 + number}.000Z" if number > 1 else "2023-11-14T22:20:00.000Z",
        "level": "DEFAULT",
        "statusMessage": None,
        "metadata": None,
        "input": None,
        "output": None,
        **fields,
    }


def download(*observations: Any, **trace: Any) -> dict[str, Any]:
    """A trace as the page downloads it: its observations stand in it once more, without content."""
    bare = [{**one, "input": None, "output": None} for one in observations if isinstance(one, dict)]
    return {"trace": {"id": TRACE, "observations": bare, **trace}, "observations": list(observations)}


def captured(attributes: dict[str, Any]) -> str:
    """Metadata with the attributes of the span that the observation was made from."""
    return json.dumps({"attributes": attributes, "scope": {"name": "lib"}})


def snake(found: dict[str, Any]) -> dict[str, Any]:
    """An observation as the storage export writes it."""
    names = {"traceId": "trace_id", "parentObservationId": "parent_observation_id", "statusMessage": "status_message"}
    kept = {names.get(key, key): value for key, value in found.items() if key not in ("startTime", "endTime")}
    return {**kept, "start_time": "2023-11-14 22:13:20.000000", "end_time": "2023-11-14 22:13:21.000000"}


ROOT = observation(1, "SPAN", "guide")
CONTENT = {"input": '{"city": "Oslo"}', "output": "rain"}
TOOL = observation(2, "TOOL", "weather", **CONTENT)
CALL = {"tool": "weather", "arguments": '{"city": "Oslo"}', "result": "rain", "failed": False, "dialect": "langfuse"}
NODE = observation(2, "SPAN", "tools", parentObservationId=f"{1:016x}", input={"messages": []})
IN_NODE = observation(3, "SPAN", "web-search", parentObservationId=NODE["id"], input="{'q': 'x'}", output="found")
LANGCHAIN = json.dumps({"langgraph_node": "tools", "langgraph_step": 2})
ASKED = {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "weather", "arguments": "{}"}}]}

ROWS = [
    Row("a trace", [download(ROOT, TOOL)], [CALL]),
    Row("a trace without the repetition", [{"trace": {"id": TRACE}, "observations": [ROOT, TOOL]}], [CALL]),
    Row("only the trace has them", [{"trace": {"id": TRACE, "observations": [TOOL]}, "observations": []}], [CALL]),
    Row("a session", [{"id": "s", "traces": [download(ROOT, TOOL)]}], [CALL]),
    Row("one trace of the API", [{"id": TRACE, "sessionId": "s", "observations": [ROOT, TOOL]}], [CALL]),
    Row("rows of the API", [{"data": [ROOT, TOOL], "meta": {"cursor": None}}], [CALL]),
    Row("one row per line", [ROOT, TOOL], [CALL]),
    Row("the storage export", [snake(ROOT), snake(TOOL)], [CALL]),
    Row("text in quotes", [download(observation(2, "TOOL", "weather", output='"rain"'))], [{"result": "rain"}]),
    Row(
        "structures",
        [download(observation(2, "TOOL", "weather", input={"city": "Oslo"}, output=["rain"]))],
        [{"arguments": {"city": "Oslo"}, "result": ["rain"]}],
    ),
    Row(
        "a wrapped input and a batch",
        [
            download(
                observation(2, "TOOL", "weather", input='{"args": [], "kwargs": {"city": "Oslo"}}'),
                observation(3, "SPAN", "running 2 tools", metadata=captured({"logfire.msg": "running 2 tools"})),
            )
        ],
        [{"tool": "weather", "arguments": {"city": "Oslo"}}],
    ),
    Row("a failure", [download({**TOOL, "level": "ERROR", "statusMessage": "no answer"})], [{"error": "no answer"}]),
    Row(
        "a kind that only the attributes tell",
        [
            download(
                observation(2, "SPAN", "tool.weather", metadata=captured({"gen_ai.tool.name": "weather"}), **CONTENT)
            )
        ],
        [CALL],
    ),
    Row(
        "content that only the attributes have",
        [
            download(
                observation(
                    2,
                    "SPAN",
                    "start",
                    metadata=captured(
                        {"openinference.span.kind": "TOOL", "tool.name": "weather", "input.value": '{"city": "Oslo"}'}
                    ),
                )
            )
        ],
        [{"tool": "weather", "arguments": '{"city": "Oslo"}', "result": None}],
    ),
    Row("a name in the name", [download({**TOOL, "name": "running tool: weather"})], [CALL]),
    Row(
        "a named agent of Pydantic AI",
        [
            download(
                observation(
                    1, "SPAN", "guide run", metadata=captured({"agent_name": "guide", "logfire.msg": "guide run"})
                ),
                TOOL,
            )
        ],
        [{**CALL, "agent": "guide"}],
    ),
    Row(
        "LangSmith's envelope",
        [download(observation(2, "TOOL", "weather", input='{"input": {"city": "Oslo"}}'))],
        [{"arguments": {"city": "Oslo"}}],
    ),
    Row(
        "LangGraph's own steps",
        [download(NODE, {**IN_NODE, "name": "ChannelWrite<tools>"}, {**IN_NODE, "id": "b", "name": "_write"})],
        [],
    ),
    Row("a child of the node for tools", [download(ROOT, IN_NODE, NODE)], [{"tool": "web-search", "result": "found"}]),
    Row(
        "such a child on a line of its own",
        [{**NODE, "metadata": LANGCHAIN}, {**IN_NODE, "metadata": LANGCHAIN}],
        [{"tool": "web-search"}],
    ),
    Row(
        "calls only in a client's messages",
        [
            download(
                observation(1, "SPAN", "guide"),
                observation(2, "GENERATION", "ask", input=[{"role": "user", "content": "?"}], output=ASKED),
                observation(
                    3,
                    "GENERATION",
                    "ask",
                    input={"messages": [ASKED, {"role": "tool", "tool_call_id": "c1", "content": "rain"}]},
                    output={"role": "assistant", "content": "rain"},
                ),
            )
        ],
        [{"tool": "weather", "result": "rain", "call_id": "c1"}],
    ),
    Row(
        "the same calls in messages and as tools",
        [download(ROOT, observation(2, "GENERATION", "ask", output=ASKED), {**TOOL, "id": "a", "startTime": "x"})],
        [{"tool": "weather"}],
    ),
    Row("no tool", [download(ROOT)], []),
    Row("what is no observation", [download(ROOT, None, 5, {"id": "x"}, TOOL)], [CALL], skipped=3),
    Row(
        "wrong types",
        [download({**TOOL, "metadata": [5], "startTime": {}, "parentObservationId": 7, "level": []})],
        [{"tool": "weather"}],
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=case)
def test_langfuse_files_are_read(tmp_path: Path, row: Row) -> None:
    """Every observation once, as what it is rather than what it is called."""
    check(tmp_path, row, "Langfuse JSON")
