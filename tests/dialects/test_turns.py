from __future__ import annotations

import json
from typing import Any

import pytest

from otel_loopwatch.dialects import MessageCall, MessageResult, read_turn
from otel_loopwatch.spans import SpanData, SpanEvent

ARGUMENTS = {"city": "Oslo"}
TEXT = json.dumps(ARGUMENTS)


def call(call_id: str | None, arguments: Any = ARGUMENTS) -> dict[str, Any]:
    """A call as the GenAI conventions write it."""
    return {"type": "tool_call", "id": call_id, "name": "weather", "arguments": arguments}


def answer(call_id: str, **fields: Any) -> dict[str, Any]:
    """An answer as the GenAI conventions write it."""
    return {"type": "tool_call_response", "id": call_id, **fields}


def message(*parts: Any) -> dict[str, Any]:
    """A message of any role."""
    return {"role": "any", "parts": list(parts)}


INPUT = [
    message({"type": "text", "content": "Rain?"}),
    message(call("c1")),
    message(answer("c1", response="0 results")),
]
OUTPUT = [message({"type": "text", "content": "Again."}, call("c2"))]
USAGE = {"gen_ai.usage.input_tokens": 10, "gen_ai.usage.output_tokens": 5, "gen_ai.usage.total_tokens": 15}
GENAI = {"gen_ai.operation.name": "chat", **USAGE}
CALL_1, CALL_2 = MessageCall("c1", "weather", ARGUMENTS), MessageCall("c2", "weather", ARGUMENTS)
RESULT_1 = MessageResult("c1", "0 results")
OPENINFERENCE = {
    "openinference.span.kind": "LLM",
    "llm.token_count.prompt": 10,
    "llm.token_count.completion": 5,
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.1.message.tool_calls.0.tool_call.id": "c1",
    "llm.input_messages.1.message.tool_calls.0.tool_call.function.name": "weather",
    "llm.input_messages.1.message.tool_calls.0.tool_call.function.arguments": TEXT,
    "llm.input_messages.2.message.role": "tool",
    "llm.input_messages.2.message.tool_call_id": "c1",
    "llm.input_messages.2.message.content": "0 results",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c2",
    "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "weather",
    "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": TEXT,
    "llm.output_messages.0.message.contents.0.tool_call.id": "c2",
}
OLD_OPENLLMETRY = {
    "llm.request.type": "chat",
    **USAGE,
    "gen_ai.prompt.1.role": "assistant",
    "gen_ai.prompt.1.tool_calls.0.id": "c1",
    "gen_ai.prompt.1.tool_calls.0.name": "weather",
    "gen_ai.prompt.1.tool_calls.0.arguments": TEXT,
    "gen_ai.prompt.2.role": "tool",
    "gen_ai.prompt.2.tool_call_id": "c1",
    "gen_ai.prompt.2.content": "0 results",
    "gen_ai.completion.0.tool_calls.0.id": "c2",
    "gen_ai.completion.0.tool_calls.0.name": "weather",
    "gen_ai.completion.0.tool_calls.0.arguments": TEXT,
}
TEXTUAL = {**GENAI, "gen_ai.input.messages": json.dumps(INPUT), "gen_ai.output.messages": json.dumps(OUTPUT)}


@pytest.mark.parametrize(
    ("attributes", "arguments"),
    [
        (TEXTUAL, ARGUMENTS),
        ({**GENAI, "gen_ai.input.messages": INPUT, "gen_ai.output.messages": OUTPUT}, ARGUMENTS),
        (OPENINFERENCE, TEXT),
        (OLD_OPENLLMETRY, TEXT),
    ],
    ids=["GenAI text", "GenAI structure", "OpenInference", "OpenLLMetry before GenAI messages"],
)
def test_calls_and_results_are_read_from_messages(attributes: dict[str, Any], arguments: Any) -> None:
    """The output's calls are new; the input repeats the history with its results."""
    turn = read_turn(SpanData(attributes=attributes))
    assert turn.calls == (MessageCall("c2", "weather", arguments),)
    assert turn.history == (MessageCall("c1", "weather", arguments),)
    assert turn.results == (RESULT_1,)
    assert turn.tokens == 15


def test_messages_of_span_events_are_read() -> None:
    """Content may be written to an event of the span instead of the span."""
    event = SpanEvent("gen_ai.client.inference.operation.details", {"gen_ai.output.messages": json.dumps(OUTPUT)})
    assert read_turn(SpanData(attributes=GENAI, events=[event])).calls == (CALL_2,)


@pytest.mark.parametrize(
    ("given", "results"),
    [
        ([message(call("c1")), message(answer("c1", response="a"))], [("c1", "a", False)]),
        ([message(call("fc_1")), message(answer("call_1", response="a"))], [("fc_1", "a", False)]),
        (
            [
                message(call("fc_1"), call("fc_2")),
                message(answer("call_1", response="a"), answer("call_2", response="b")),
            ],
            [("fc_1", "a", False), ("fc_2", "b", False)],
        ),
        ([message(answer("c0", response="a"))], [("c0", "a", False)]),
        ([message(answer("c1", result={"a": 1}))], [("c1", {"a": 1}, False)]),
        ([message(answer("c1", response="a", is_error=True))], [("c1", "a", True)]),
        ([message(answer("c1"))], [("c1", None, False)]),
    ],
    ids=["by id", "item ids", "item ids of a batch", "call of an earlier turn", "pydantic", "error", "no content"],
)
def test_results_are_found_under_the_ids_of_their_calls(given: Any, results: list[tuple[Any, ...]]) -> None:
    """Ids join; where an instrumentation mixes two kinds of ids, the order does."""
    turn = read_turn(SpanData(attributes={**GENAI, "gen_ai.input.messages": json.dumps(given)}))
    assert turn.results == tuple(MessageResult(*row) for row in results)


@pytest.mark.parametrize(
    "messages",
    [
        "[",
        "7",
        "{}",
        "[1, null]",
        '[{"parts": 5}]',
        '[{"parts": [5, {"type": "tool_call", "name": 3}]}]',
        5,
        b"x",
        [[]],
    ],
)
def test_hostile_messages_hold_no_calls(messages: Any) -> None:
    """Messages of another shape are none."""
    turn = read_turn(SpanData(attributes={**GENAI, "gen_ai.output.messages": messages}))
    assert (turn.calls, turn.tokens) == ((), 15)


@pytest.mark.parametrize("count", [True, -1, "7", 1.5, None, [1], 2**80])
def test_token_counts_that_are_none_count_nothing(count: Any) -> None:
    """Only whole numbers are added up."""
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": count}
    assert read_turn(SpanData(attributes=attributes)).tokens == 0
