"""Envelopes that frameworks and protocols put around what tools return."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

from .case import Case, Entry
from .mutation import Mutation, Rewrite, result_text

Envelope = Callable[[Entry, str, bool, str], Any]
"""Tool call, text of the result or failure, whether it failed, id of the call: the result as it is written."""


def enclosed(envelope: Envelope, *, flagged: bool = True) -> Rewrite:
    """A rewriting that puts results, and failures if the envelope has a flag for them, into an envelope."""

    def rewrite(case: Case, random: Random) -> Case:
        calls = [_enclosed(entry, envelope, f"call_{random.getrandbits(96):024x}", flagged) for entry in case.calls]
        return replace(case, calls=tuple(calls))

    return rewrite


def _enclosed(entry: Entry, envelope: Envelope, call_id: str, flagged: bool) -> Entry:
    text, error = result_text(entry), entry.get("error")
    if isinstance(error, str):
        return {**entry, "error": None, "result": envelope(entry, error, True, call_id)} if flagged else entry
    return entry if text is None else {**entry, "result": envelope(entry, text, bool(error), call_id)}


def _mcp(_entry: Entry, text: str, failed: bool, _id: str) -> Any:
    return {"content": [{"type": "text", "text": text}], **({"isError": True} if failed else {})}


def _mcp_structured(_entry: Entry, text: str, failed: bool, _id: str) -> Any:
    return {"content": [{"type": "text", "text": text}], "structuredContent": {"result": text}, "isError": failed}


def _tool_message(entry: Entry, text: str, failed: bool, call_id: str) -> Any:
    return {
        "content": text,
        "additional_kwargs": {},
        "response_metadata": {},
        "type": "tool",
        "name": entry.get("tool"),
        "id": None,
        "tool_call_id": call_id,
        "artifact": None,
        "status": "error" if failed else "success",
    }


def _constructor(entry: Entry, text: str, failed: bool, call_id: str) -> Any:
    name = ["langchain", "schema", "messages", "ToolMessage"]
    return {"lc": 1, "type": "constructor", "id": name, "kwargs": _tool_message(entry, text, failed, call_id)}


def _described(entry: Entry, text: str, failed: bool, call_id: str) -> str:
    status = " status='error'" if failed else ""
    return f"content={text!r} name={entry.get('tool')!r} tool_call_id={call_id!r}{status}"


def _tool_result(_entry: Entry, text: str, failed: bool, call_id: str) -> Any:
    block = {"type": "tool_result", "tool_use_id": call_id, "content": [{"type": "text", "text": text}]}
    return {**block, "is_error": True} if failed else block


def _function_output(_entry: Entry, text: str, _failed: bool, call_id: str) -> Any:
    return {"type": "function_call_output", "call_id": call_id, "output": text}


def _ai_sdk(entry: Entry, text: str, _failed: bool, call_id: str) -> Any:
    output = {"type": "text", "value": text}
    return {"type": "tool-result", "toolCallId": call_id, "toolName": entry.get("tool"), "output": output}


def _data(_entry: Entry, text: str, _failed: bool, _id: str) -> Any:
    return {"success": True, "data": text}


def as_text(envelope: Envelope) -> Envelope:
    """The same, written as JSON text."""
    return lambda *parts: json.dumps(envelope(*parts), ensure_ascii=False)


def _fenced(_entry: Entry, text: str, _failed: bool, _id: str) -> str:
    return f"```\n{text}\n```"


def _tagged(entry: Entry, text: str, _failed: bool, _id: str) -> str:
    return f"<function_results>\n<output>\n{text}\n</output>\n</function_results>"


MUTATIONS = [
    Mutation("envelope: MCP", enclosed(_mcp)),
    Mutation("envelope: MCP as text", enclosed(as_text(_mcp))),
    Mutation("envelope: MCP with structured content", enclosed(_mcp_structured)),
    Mutation("envelope: ToolMessage", enclosed(_tool_message)),
    Mutation("envelope: ToolMessage as text", enclosed(as_text(_tool_message))),
    Mutation("envelope: ToolMessage of LangChain's serializer", enclosed(as_text(_constructor))),
    Mutation("envelope: ToolMessage as Python prints it", enclosed(_described)),
    Mutation("envelope: tool_result block", enclosed(_tool_result)),
    Mutation("envelope: function_call_output", enclosed(as_text(_function_output), flagged=False)),
    Mutation("envelope: AI SDK tool result", enclosed(_ai_sdk, flagged=False)),
    Mutation("envelope: success and data", enclosed(_data, flagged=False)),
    Mutation("envelope: code fence", enclosed(_fenced, flagged=False)),
    Mutation("envelope: tags", enclosed(_tagged, flagged=False)),
]
