"""Messages in any provider's shape, put into that of the GenAI conventions: ``{"role", "parts"}``.

OpenAI chat and Responses, Anthropic, Bedrock, Gemini, Vercel and LangChain. Only calls and results are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from otel_loopwatch.dialects.values import first
from otel_loopwatch.sources.scalars import from_json, mapping, objects, sequence, text

Message = Mapping[str, Any]
Part = dict[str, Any]

RESULT_ROLES = ("tool", "function")
_LANGCHAIN = {
    **dict.fromkeys(("human", "HumanMessage"), "user"),
    **dict.fromkeys(("ai", "AIMessage", "AIMessageChunk"), "assistant"),
    **dict.fromkeys(("tool", "ToolMessage"), "tool"),
}
"""Roles by the type of a message, or by its class's name."""


def conventional(messages: object) -> list[Part]:
    """Messages of any shape; a list of lists, as LangChain's batches are, is read as one."""
    messages = from_json(messages)
    if isinstance(messages, Mapping):
        messages = [messages]
    if not isinstance(messages, list):
        return []
    flat = [item for one in messages for item in (one if isinstance(one, list) else [one])]
    return [{"role": role(one), "parts": list(parts(one))} for one in flat if isinstance(one, Mapping)]


def of_response(response: object) -> object:
    """The message in what a model's client returned; the response itself where it is one."""
    response = mapping(response)
    for key in ("choices", "generations", "output", "messages"):
        held = response.get(key)
        if isinstance(held, list) and held:
            return [_within(item) for item in (held[0] if isinstance(held[0], list) else held)]
    return _within(response)


def _within(item: object) -> object:
    """A choice's or generation's message."""
    inner = item.get("message") if isinstance(item, Mapping) else None
    return inner if isinstance(inner, Mapping) else item


def role(message: Message) -> str:
    """Who says it; empty where it does not say so."""
    message = _plain(message)
    return text(message.get("role")) or _LANGCHAIN.get(text(message.get("type")), "")


def parts(message: Message) -> Iterator[Part]:
    """Calls and results of one message, or of one item of the Responses API."""
    message = _plain(message)
    called = [part for call in _calls(message) for part in _called(call)]
    blocks = [block for key in ("parts", "content") for block in objects(message.get(key))]
    found = [part for block in [*blocks, message] for part in _block(block)]
    if role(message) in RESULT_ROLES and not found:
        call_id = first(message, "tool_call_id", "id")
        yield _result(call_id, message.get("content"), message.get("status") == "error")
    for part in found:
        if not called or part["type"] != "tool_call":
            yield part
    yield from called


def _calls(message: Message) -> list[Message]:
    """Calls beside the content. LangChain repeats there those that Anthropic has within it."""
    old = message.get("function_call")
    found = objects(message.get("tool_calls")) or objects(mapping(message.get("additional_kwargs")).get("tool_calls"))
    return found or ([old] if isinstance(old, Mapping) else [])


def _plain(message: Message) -> Message:
    """A message out of LangChain's ``{"lc", "id", "kwargs"}`` or ``{"type", "data"}``."""
    if "lc" in message and isinstance(message.get("kwargs"), Mapping):
        return {"type": next(reversed(sequence(message.get("id"))), None), **message["kwargs"]}
    inner = message.get("data")
    return {"type": message.get("type"), **inner} if isinstance(inner, Mapping) else message


def _called(call: Message) -> Iterator[Part]:
    """``{"id", "function": {"name", "arguments"}}``, or LangChain's ``{"id", "name", "args"}``."""
    function = call.get("function")
    function = function if isinstance(function, Mapping) else call
    yield from _call(first(call, "id", "call_id"), function.get("name"), first(function, "arguments", "args", "input"))


def _block(block: Message) -> Iterator[Part]:
    """A content block or item, by its type; Gemini's and Bedrock's are told by their one key instead."""
    reader = _TYPES.get(block["type"]) if isinstance(block.get("type"), str) else None
    if reader is not None:
        yield from reader(block)
    for key, keyed in _KEYS.items():
        inner = block.get(key)
        if isinstance(inner, Mapping):
            yield from keyed(inner)


def _asked(block: Message) -> Iterator[Part]:
    call_id = first(block, "call_id", "toolCallId", "toolUseId", "tool_call_id", "id")
    arguments = first(block, "arguments", "input", "args", "action")
    return _call(call_id, first(block, "name", "toolName", "tool_name"), arguments)


def _shell(block: Message) -> Iterator[Part]:
    return _call(first(block, "call_id", "id"), text(block["type"]).removesuffix("_call"), block.get("action"))


def _answered(block: Message) -> Iterator[Part]:
    call_id = first(block, "tool_use_id", "call_id", "toolCallId", "toolUseId", "tool_call_id", "id")
    output = first(block, "output", "content", "result", "response")
    failed = block.get("is_error") is True or block.get("isError") is True or block.get("status") == "error"
    yield _result(call_id, output, failed)


def _call(call_id: object, name: object, arguments: object) -> Iterator[Part]:
    if isinstance(name, str) and name:
        yield {"type": "tool_call", "id": call_id, "name": name, "arguments": arguments}


def _result(call_id: object, output: object, failed: bool) -> Part:
    return {"type": "tool_call_response", "id": call_id, "response": output, "is_error": failed}


_TYPES: dict[str, Callable[[Message], Iterator[Part]]] = {
    **dict.fromkeys(
        ("tool_call", "tool_use", "server_tool_use", "mcp_tool_use", "tool-call", "function_call", "custom_tool_call"),
        _asked,
    ),
    **dict.fromkeys(("local_shell_call", "shell_call", "web_search_call"), _shell),
    **dict.fromkeys(
        ("tool_call_response", "tool_result", "mcp_tool_result", "web_search_tool_result", "tool-result",
         "function_call_output", "custom_tool_call_output", "local_shell_call_output", "shell_call_output"),
        _answered,
    ),
}  # fmt: skip
_KEYS: dict[str, Callable[[Message], Iterator[Part]]] = {
    "toolUse": _asked,
    "functionCall": _asked,
    "toolResult": _answered,
    "functionResponse": _answered,
}
