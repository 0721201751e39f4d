from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from otel_loopwatch.dialects import (
    AgentInfo,
    CallContent,
    Limit,
    Role,
    TurnContent,
    limit_of,
    read_agent,
    read_call,
    read_turn,
    role,
)
from otel_loopwatch.dialects.dialect import OPERATIONS, Dialect
from otel_loopwatch.dialects.registry import MARKERS, NAMES
from otel_loopwatch.spans import SpanData, SpanEvent

DIALECTS = {*MARKERS.values(), *NAMES.values(), Dialect()}
KEYS = sorted(
    {key for dialect in DIALECTS for keys in vars(Dialect) if keys.endswith("_keys") for key in getattr(dialect, keys)}
    | {
        *MARKERS,
        "gen_ai.operation.name",
        "gen_ai.input.messages",
        "gen_ai.output.messages",
        "tool.parameters",
        "metadata",
        "exception.type",
        "exception.message",
        "finish_reason",
        "gen_ai.response.finish_reasons",
        "haystack.agent.output",
    }
    | {"error.type", "loopwatch.call.outcome", "loopwatch.progress.version", "llm.input_messages.0.message.role"}
)
WRAPPERS = ["a", "kwargs", "args", "parts", "result", "output", "content", "text", "is_error", "tool_call_id"]
SHAPES = [
    "", "{}", "[]", '"', '"{', "{'", "[{'", "None", "__REDACTED__", "tool", "TOOL", '"TOOL"', "chat", "execute_tool",
    "tools/call", "ai.toolCall", '{"kwargs": 1}', '{"kwargs": {}}', '{"args": 0, "kwargs": {"a": 1}}',
    '{"result": null}', '{"output": {"lc": 1, "kwargs": 5}}', '{"type": "tool", "data": null}', '{"content": [null]}',
    '[{"text": 5}]', '{"input": {"a": 1}}', '{"input_str": 1, "inputs": [], "kwargs": []}',
    '{"tool_name": 1, "arguments": 2}', "\ud800", "[" * 500,
    '[{"parts": [{"type": "tool_call", "name": "x", "id": 5, "arguments": "{"}]}]',
]  # fmt: skip
LEAVES = st.one_of(
    st.sampled_from(SHAPES), st.text(), st.integers(), st.floats(), st.booleans(), st.none(), st.binary()
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WRAPPERS), inner, max_size=3),
    max_leaves=6,
)
ATTRIBUTES = st.dictionaries(st.one_of(st.sampled_from(KEYS), st.text()), VALUES, max_size=8)
NAMED = st.sampled_from(["", "execute_tool ", "execute_tool x", "tools/call x", "weather", *NAMES, *OPERATIONS])


@given(
    st.builds(
        SpanData,
        name=NAMED,
        attributes=ATTRIBUTES,
        events=st.lists(
            st.builds(SpanEvent, st.sampled_from(["exception", "gen_ai.choice", "x"]), ATTRIBUTES), max_size=2
        ),
        failed=st.booleans(),
        status_message=st.sampled_from(["", "no answer"]),
    )
)
@settings(max_examples=200, deadline=None)
def test_no_attributes_ever_raise(span: SpanData) -> None:
    """Whatever a span holds, each reader answers in its type, and a call read has a name."""
    call: Any = read_call(span)
    assert isinstance(role(span), Role)
    assert isinstance(read_turn(span), TurnContent)
    assert isinstance(read_agent(span), AgentInfo)
    assert call is None or (isinstance(call, CallContent) and call.tool != "")
    assert limit_of(span) in {None, *Limit}


def test_an_ordinary_span_is_nobodys() -> None:
    """Spans of web servers and databases have no role."""
    assert role(SpanData(name="GET /orders", attributes={"http.request.method": "GET", "db.system": "x"})) is Role.OTHER
