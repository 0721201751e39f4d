"""What instrumentations wrap around arguments and results, taken off again.

An envelope is told by its first characters, before anything is parsed; a text above ``limit`` characters is never
parsed. Whatever is not an envelope passes unchanged, so that a result keeps the very text the tool gave.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from otel_loopwatch.dialects.values import content, decode, literal

MAX_LAYERS = 5


class Opened(NamedTuple):
    """What was in the envelope, and what was written on it."""

    value: object
    failed: bool = False
    call_id: str | None = None


NOTHING = Opened(None)


def open_result(value: object, limit: int) -> Opened:
    """What the tool returned. An error flag on any envelope around it means that the call failed.

    An envelope around null stays closed: that the tool returned nothing is known.
    """
    if value is None:
        return NOTHING
    failed, call_id = False, None
    for _ in range(MAX_LAYERS):
        layer = _open_layer(value, limit)
        if layer is None:
            break
        failed, call_id = failed or layer.failed, call_id or layer.call_id
        if layer.value is None:
            break
        value = layer.value
    return Opened(content(value), failed, call_id)


def open_arguments(value: object, limit: int) -> Opened:
    """The arguments the tool was called with."""
    value = content(value)
    if value is None:
        return NOTHING
    if isinstance(value, str) and not _head(value).startswith(_WRAPPED_HEADS):
        return Opened(value)
    value = _unquoted(value, limit)
    wrapped = isinstance(value, str) and _head(value).startswith(_ARGUMENT_HEADS)
    decoded = decode(value, limit) if wrapped else value
    opened = _bare_arguments(decoded) if isinstance(decoded, Mapping) else None
    return opened or Opened(value)


def _unquoted(value: object, limit: int) -> object:
    """JSON text out of a JSON string, containers out of a Python ``repr``; anything else as it is."""
    if isinstance(value, str):
        head = _head(value)
        if head.startswith('"{'):
            return decode(value, limit) or value
        if head.startswith("{'"):
            return literal(value) or value
    return value


_ARGUMENT_HEADS = ('{"args":', '{"kwargs":', '{"tool_name":', '{"input_str":')
_WRAPPED_HEADS = ('"{', "{'", *_ARGUMENT_HEADS)
"""Of what is no text of arguments as such: of those, all that can be said is said by these first characters."""
_RESULT_HEADS = (
    '{"result":', '{"output":', '{"content":', '{"type":"tool', '{"type":"function_call_output"',
    '{"success":true,"data":', '{"lc":', '{"blocks":', '{"isError":', '{"is_error":', '{"_meta":',
    '{"structuredContent":', '{"status":', '{"toolUseId":', '{"tool_use_id":', '{"tool_call_id":', '{"tool_name":',
    '[{"text":', '[{"type":"text"', '[{"json":', '[{"annotations":',
)  # fmt: skip


def _is_answer(head: str, text: str) -> bool:
    """Whether it starts as a ``FunctionResponse``: many results start with an id, and need not be parsed for this."""
    return head.startswith(('{"id":', '{"name":')) and '"response":' in text[:_ANSWER_HEAD]


_ANSWER_HEAD = 256


def _head(text: str) -> str:
    """The first characters without white space, if they may be those of an envelope."""
    return text[:40].replace(" ", "").replace("\n", "") if text[:1] in _OPENING else ""


_OPENING = ('"', "{", "[", "c")


def _bare_arguments(wrapped: Mapping[str, Any]) -> Opened | None:
    kwargs = wrapped.get("kwargs")
    if "input_str" in wrapped and wrapped.get("inputs") is not None:
        call_id = kwargs.get("tool_call_id") if isinstance(kwargs, Mapping) else None
        return Opened(content(wrapped["inputs"]), call_id=_id(call_id))
    if wrapped.keys() == {"tool_name", "arguments"}:
        return Opened(content(wrapped["arguments"]))
    if isinstance(kwargs, Mapping) and not wrapped.get("args") and wrapped.keys() <= _KWARGS_KEYS:
        return Opened(content(kwargs))
    return None


_KWARGS_KEYS = {"args", "kwargs", "sanitize_inputs_outputs"}


def _open_layer(value: object, limit: int) -> Opened | None:
    if isinstance(value, str):
        head = _head(value)
        if not head:
            return None
        if head.startswith('"'):
            inner = decode(value, limit)
            return Opened(inner) if isinstance(inner, str) else None
        if head.startswith(("content='", 'content="')):
            return _open_described(value, limit)
        if head.startswith(("{'", "[{'")):
            value = literal(value)
            return Opened(value) if value is not None else None
        if not head.startswith(_RESULT_HEADS) and not _is_answer(head, value):
            return None
        value = decode(value, limit)
    if isinstance(value, Mapping):
        return next((opened for opener in _OPENERS if (opened := opener(value)) is not None), None)
    return _open_blocks(value) if isinstance(value, (list, tuple)) else None


def _open_described(text: str, limit: int) -> Opened | None:
    """LangChain's ToolMessage as Python prints it: ``content='..' name='..' tool_call_id='..'``."""
    found = _DESCRIBED.fullmatch(text)
    inner = literal(found.group(1), limit) if found else None
    return Opened(inner, "status='error'" in found.group(2)) if found and isinstance(inner, str) else None


_DESCRIBED = re.compile(
    r"""content=('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
    ((?:\ (?:name|id|tool_call_id|status|additional_kwargs|response_metadata|artifact)
    =(?:'[^']*'|"[^"]*"|[^\s'"]\S*))+)""",
    re.S | re.X,
)


def _open_named(layer: Mapping[str, Any]) -> Opened | None:
    """``{"result": ..}`` of Google ADK and OpenLLMetry, ``{"output": ..}`` of LangSmith and OpenLLMetry."""
    if "result" in layer and all(key in _FLAGS or _MEASURE.search(key) for key in layer if key != "result"):
        return Opened(layer["result"], _error_flag(layer))
    if "output" in layer and layer.keys() <= {"output", "kwargs"}:
        return Opened(layer["output"])
    return None


_FLAGS = ("isError", "is_error")
_MEASURE = re.compile(r"duration|elapsed|latency|took|usage|tokens", re.I)
"""What a call cost, beside its result."""


def _open_data(layer: Mapping[str, Any]) -> Opened | None:
    """``{"success": true, "data": ..}`` of many tools of people's own."""
    if layer.keys() != {"success", "data"} or layer["success"] is not True:
        return None
    return Opened(layer["data"])


def _open_output_item(layer: Mapping[str, Any]) -> Opened | None:
    """A ``function_call_output`` of the Responses API, a ``tool-result`` of the AI SDK."""
    if layer.get("type") == "function_call_output" and "output" in layer:
        return Opened(layer["output"], call_id=_id(layer.get("call_id")))
    if layer.get("type") != "tool-result" or "output" not in layer:
        return None
    output = layer["output"]
    value = output.get("value", output) if isinstance(output, Mapping) else output
    failed = isinstance(output, Mapping) and str(output.get("type")).startswith("error")
    return Opened(value, failed, _id(layer.get("toolCallId")))


def _open_constructor(layer: Mapping[str, Any]) -> Opened | None:
    """LangChain's message: ``{"lc": 1, .., "kwargs": {message}}`` or ``{"type": "tool", "data": {message}}``."""
    inner = layer.get("kwargs") if "lc" in layer else layer.get("data") if layer.get("type") == "tool" else None
    return Opened(inner) if isinstance(inner, Mapping) else None


def _open_message(layer: Mapping[str, Any]) -> Opened | None:
    """A message that answers a call: ToolMessage, a ``tool_result`` block, a Strands tool result."""
    for key in ("tool_call_id", "tool_use_id", "toolUseId"):
        if key in layer and "content" in layer:
            return Opened(layer["content"], _error_flag(layer), _id(layer[key]))
    return None


def _open_answer(layer: Mapping[str, Any]) -> Opened | None:
    """Gemini's ``FunctionResponse``, as OpenInference writes it for Google ADK."""
    if not isinstance(layer.get("response"), Mapping) or not layer.keys() <= {"id", "name", "response"}:
        return None
    return Opened(layer["response"], call_id=_id(layer.get("id")))


def _open_mcp(layer: Mapping[str, Any]) -> Opened | None:
    """An MCP ``CallToolResult``."""
    if not isinstance(layer.get("content"), list) or not layer.keys() <= _MCP_KEYS:
        return None
    if not layer["content"] and layer.get("structuredContent") is not None:
        return Opened(layer["structuredContent"], _error_flag(layer))
    return Opened(layer["content"], _error_flag(layer))


_MCP_KEYS = {"content", "isError", "is_error", "structuredContent", "_meta", "resultType"}


def _open_tool_output(layer: Mapping[str, Any]) -> Opened | None:
    """LlamaIndex's ``ToolOutput``, alone or in a ``ToolCallResult``."""
    if isinstance(layer.get("tool_output"), Mapping) and "tool_name" in layer:
        return Opened(layer["tool_output"], call_id=_id(layer.get("tool_id")))
    if "raw_output" not in layer or "is_error" not in layer:
        return None
    return Opened(layer["raw_output"], _error_flag(layer))


_OPENERS: tuple[Callable[[Mapping[str, Any]], Opened | None], ...] = (
    _open_named,
    _open_data,
    _open_output_item,
    _open_constructor,
    _open_message,
    _open_answer,
    _open_mcp,
    _open_tool_output,
)


def _open_blocks(blocks: list[Any] | tuple[Any, ...]) -> Opened | None:
    """Content blocks of nothing but text, or the one JSON block of Strands."""
    if not blocks or not all(isinstance(block, Mapping) for block in blocks):
        return None
    if len(blocks) == 1 and blocks[0].keys() == {"json"}:
        return Opened(blocks[0]["json"])
    if all(isinstance(block.get("text"), str) and block.keys() <= _TEXT_BLOCK_KEYS for block in blocks):
        return Opened("\n".join(block["text"] for block in blocks))
    return None


_TEXT_BLOCK_KEYS = {"text", "type", "annotations", "_meta", "id", "citations", "cache_control"}


def _error_flag(layer: Mapping[str, Any]) -> bool:
    return layer.get("isError") is True or layer.get("is_error") is True or layer.get("status") == "error"


def _id(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
