"""Plain messages in the shapes of all providers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sources.reading import EPOCH, SECOND, Row, case, check

ARGUMENTS = {"city": "Oslo"}
TEXT = json.dumps(ARGUMENTS)
USER = {"role": "user", "content": "Weather?"}
ASKED = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": TEXT}}
OPENAI = [
    USER,
    {"role": "assistant", "content": None, "tool_calls": [ASKED]},
    {"role": "tool", "tool_call_id": "c1", "content": "rain"},
]
ANTHROPIC = [
    USER,
    {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "weather", "input": ARGUMENTS}]},
    {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "rain"}]}],
    },
]
RESPONSES = [
    USER,
    {"type": "function_call", "id": "fc", "call_id": "c1", "name": "weather", "arguments": TEXT},
    {"type": "function_call_output", "call_id": "c1", "output": "rain"},
]
CALL = {"tool": "weather", "arguments": ARGUMENTS, "result": "rain", "failed": False, "user_turn": 1}
TEXT_CALL = {**CALL, "arguments": TEXT}


def lc(kind: str, **fields: Any) -> dict[str, Any]:
    """A message of LangChain, serialised."""
    return {"lc": 1, "type": "constructor", "id": ["langchain", kind], "kwargs": fields}


ROWS = [
    Row("OpenAI", [OPENAI], [TEXT_CALL]),
    Row("OpenAI, one per line", OPENAI, [TEXT_CALL]),
    Row(
        "OpenAI, old functions",
        [
            [
                USER,
                {"role": "assistant", "content": None, "function_call": {"name": "weather", "arguments": TEXT}},
                {"role": "function", "name": "weather", "content": "rain"},
            ]
        ],
        [TEXT_CALL],
    ),
    Row("OpenAI Responses", [RESPONSES], [TEXT_CALL]),
    Row("Anthropic", [ANTHROPIC], [CALL]),
    Row(
        "Anthropic, a failure",
        [
            [
                ANTHROPIC[1],
                {
                    "role": "user",
                    "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "no", "is_error": True}],
                },
            ]
        ],
        [{"failed": True, "error": "no"}],
    ),
    Row(
        "Bedrock",
        [
            [
                USER,
                {
                    "role": "assistant",
                    "content": [{"toolUse": {"toolUseId": "c1", "name": "weather", "input": ARGUMENTS}}],
                },
                {"role": "user", "content": [{"toolResult": {"toolUseId": "c1", "content": [{"text": "rain"}]}}]},
            ]
        ],
        [CALL],
    ),
    Row(
        "Gemini",
        [
            [
                {"role": "user", "parts": [{"text": "Weather?"}]},
                {"role": "model", "parts": [{"functionCall": {"name": "weather", "args": ARGUMENTS}}]},
                {"role": "user", "parts": [{"functionResponse": {"name": "weather", "response": {"output": "rain"}}}]},
            ]
        ],
        [CALL],
    ),
    Row(
        "Vercel",
        [
            [
                USER,
                {
                    "role": "assistant",
                    "content": [{"type": "tool-call", "toolCallId": "c1", "toolName": "weather", "input": ARGUMENTS}],
                },
                {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c1", "output": "rain"}]},
            ]
        ],
        [CALL],
    ),
    Row(
        "LangChain, which tells a call twice",
        [
            {
                "messages": [
                    {**USER},
                    {
                        "role": "ai",
                        "content": ANTHROPIC[1]["content"],
                        "tool_calls": [{"id": "c1", "name": "weather", "args": ARGUMENTS}],
                    },
                    {"role": "tool", "tool_call_id": "c1", "content": "rain", "status": "success"},
                ]
            }
        ],
        [CALL],
    ),
    Row(
        "LangChain, serialised",
        [
            [
                lc("HumanMessage", content="Weather?"),
                lc("AIMessage", content="", tool_calls=[{"id": "c1", "name": "weather", "args": ARGUMENTS}]),
                lc("ToolMessage", content="rain", tool_call_id="c1", type="tool"),
            ]
        ],
        [CALL],
    ),
    Row(
        "LangChain, as dictionaries",
        [
            [
                {"type": "human", "data": {"content": "Weather?"}},
                {"type": "ai", "data": {"tool_calls": [{"id": "c1", "name": "weather", "args": ARGUMENTS}]}},
                {"type": "tool", "data": {"content": "rain", "tool_call_id": "c1"}},
            ]
        ],
        [CALL],
    ),
    Row(
        "the GenAI conventions",
        [
            [
                {"role": "user", "parts": [{"type": "text", "content": "Weather?"}]},
                {
                    "role": "assistant",
                    "parts": [{"type": "tool_call", "id": "c1", "name": "weather", "arguments": ARGUMENTS}],
                },
                {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "rain"}]},
            ]
        ],
        [CALL],
    ),
    Row(
        "a conversation per line",
        [{"id": "a", "messages": OPENAI}, {"messages": OPENAI}],
        [{"run": "a"}, {"run": "line-2"}],
    ),
    Row("a list per line", [OPENAI, OPENAI, OPENAI], [{"run": "file"}, {"run": "line-2"}, {"run": "line-3"}]),
    Row(
        "a request and its response",
        [{"messages": OPENAI[:1], "response": {"choices": [{"message": OPENAI[1]}]}}],
        [{"tool": "weather", "result": None}],
    ),
    Row(
        "one id for all",
        [[*OPENAI, *OPENAI]],
        [{**TEXT_CALL, "batch": 0, "user_turn": 1}, {**TEXT_CALL, "batch": 1, "user_turn": 2}],
    ),
    Row(
        "siblings, answered the other way round",
        [
            [
                {"role": "assistant", "tool_calls": [ASKED, {**ASKED, "id": "c2"}]},
                {"role": "tool", "tool_call_id": "c2", "content": "two"},
                {"role": "tool", "tool_call_id": "c1", "content": "one"},
            ]
        ],
        [{"result": "two", "call_id": "c2", "batch": 0}, {"result": "one", "call_id": "c1", "batch": 0}],
    ),
    Row(
        "times",
        [[{**OPENAI[1], "timestamp": EPOCH}, {**OPENAI[2], "timestamp": EPOCH + 5}]],
        [{"end_ns": (EPOCH + 5) * SECOND}],
    ),
    Row("no call", [[USER, {"role": "assistant", "content": "Rain."}]], []),
    Row("no answer at the end", [OPENAI[:2]], [{"tool": "weather", "result": None, "failed": False}]),
    Row("an answer to nothing", [[OPENAI[2], *OPENAI[:2]]], [{"result": None}]),
    Row("what is no message", [[*OPENAI, 5, {"x": 1}]], [TEXT_CALL], skipped=2),
    Row(
        "wrong types",
        [
            [
                USER,
                {"role": "assistant", "tool_calls": [5, {"function": 7}, {"function": {"name": []}}]},
                {"role": "tool", "content": {}},
            ]
        ],
        [],
    ),
]


@pytest.mark.parametrize("row", ROWS, ids=case)
def test_messages_are_read(tmp_path: Path, row: Row) -> None:
    """Whoever's shape they are in, a call is told with its answer, once."""
    check(tmp_path, row, "messages")
