"""A model's reply on the wire: whole, and as the events of a stream, per interface."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from scenarios import Call

Events = Sequence[tuple[str, Any]]
"""Name and data of each server-sent event; a name may be empty, and data that is text is sent as it is."""


class Reply(NamedTuple):
    """One response: tool calls with their ids, or the final answer."""

    id: str
    calls: tuple[tuple[str, Call], ...]
    answer: str


USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
CREATED = 1_700_000_000


def chat_completion(reply: Reply, asked: dict[str, Any]) -> tuple[dict[str, Any], Events]:
    """OpenAI chat completions."""
    calls = [
        {"id": f"call_{id_}", "type": "function", "function": {"name": c.tool, "arguments": json.dumps(c.arguments)}}
        for id_, c in reply.calls
    ]
    message: dict[str, Any] = {"role": "assistant", "content": None if calls else reply.answer}
    if calls:
        message["tool_calls"] = calls
    reason = "tool_calls" if calls else "stop"
    head = {"id": f"chatcmpl-{reply.id}", "created": CREATED, "model": asked.get("model")}
    choice = {"index": 0, "message": {**message, "refusal": None}, "finish_reason": reason, "logprobs": None}
    whole = {**head, "object": "chat.completion", "choices": [choice], "usage": USAGE}
    chunk = {**head, "object": "chat.completion.chunk"}
    delta = {**message, **({"tool_calls": [{**c, "index": at} for at, c in enumerate(calls)]} if calls else {})}
    events = [
        ("", {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}),
        ("", {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}),
        ("", {**chunk, "choices": [], "usage": USAGE}),
        ("", "[DONE]"),
    ]
    return whole, events


def response(reply: Reply, asked: dict[str, Any]) -> tuple[dict[str, Any], Events]:
    """OpenAI responses."""
    output: list[dict[str, Any]] = [
        {
            "type": "function_call", "id": f"fc_{id_}", "call_id": f"call_{id_}", "status": "completed",
            "name": call.tool, "arguments": json.dumps(call.arguments),
        }
        for id_, call in reply.calls
    ]  # fmt: skip
    text = {"type": "output_text", "text": reply.answer, "annotations": [], "logprobs": []}
    output = output or [
        {"type": "message", "id": f"msg_{reply.id}", "role": "assistant", "status": "completed", "content": [text]}
    ]
    usage = {
        "input_tokens": 100, "output_tokens": 20, "total_tokens": 120,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }  # fmt: skip
    whole = {
        "id": f"resp_{reply.id}", "object": "response", "created_at": CREATED, "status": "completed",
        "model": asked.get("model"), "output": output, "usage": usage, "parallel_tool_calls": True,
        "tool_choice": "auto", "tools": asked.get("tools") or [], "temperature": 1.0, "top_p": 1.0, "error": None,
        "incomplete_details": None, "instructions": asked.get("instructions"), "metadata": {},
        "text": {"format": {"type": "text"}}, "truncation": "disabled",
    }  # fmt: skip
    begun = {**whole, "output": [], "status": "in_progress", "usage": None}
    told: list[dict[str, Any]] = [{"type": "response.created", "response": begun}]
    for at, item in enumerate(output):
        told += [
            {"type": f"response.output_item.{what}", "output_index": at, "item": item} for what in ("added", "done")
        ]
    told.append({"type": "response.completed", "response": whole})
    return whole, [(data["type"], {**data, "sequence_number": at}) for at, data in enumerate(told)]


def message(reply: Reply, asked: dict[str, Any]) -> tuple[dict[str, Any], Events]:
    """Anthropic messages."""
    content: list[dict[str, Any]] = [
        {"type": "tool_use", "id": f"toolu_{id_}", "name": call.tool, "input": call.arguments}
        for id_, call in reply.calls
    ] or [{"type": "text", "text": reply.answer}]
    stopped = {"stop_reason": "tool_use" if reply.calls else "end_turn", "stop_sequence": None}
    usage = {"input_tokens": 100, "output_tokens": 20, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    whole = {
        "id": f"msg_{reply.id}", "type": "message", "role": "assistant", "model": asked.get("model"),
        "content": content, **stopped, "usage": usage,
    }  # fmt: skip
    begun = {**whole, "content": [], "stop_reason": None}
    told: list[dict[str, Any]] = [{"type": "message_start", "message": begun}]
    for at, block in enumerate(content):
        told += _block(at, block)
    told += [{"type": "message_delta", "delta": stopped, "usage": {"output_tokens": 20}}, {"type": "message_stop"}]
    return whole, [(data["type"], data) for data in told]


def _block(at: int, block: dict[str, Any]) -> list[dict[str, Any]]:
    if block["type"] == "text":
        empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        empty, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    return [
        {"type": "content_block_start", "index": at, "content_block": empty},
        {"type": "content_block_delta", "index": at, "delta": delta},
        {"type": "content_block_stop", "index": at},
    ]


INTERFACES: dict[str, Callable[[Reply, dict[str, Any]], tuple[dict[str, Any], Events]]] = {
    "/chat/completions": chat_completion,
    "/responses": response,
    "/messages": message,
}
"""By how the request's path ends."""
