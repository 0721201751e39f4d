"""A call as LangChain's middleware meets it: a request to run the tool, and the message that comes back."""

from __future__ import annotations

from langchain_core.messages import ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest

from ..detector import Call
from .feeding import arguments_of, outcome_of

_CALL_ID = "call"


def request_of(call: Call) -> ToolCallRequest:
    """The request, without a runtime: there is no graph around it."""
    tool_call = {"name": call.tool, "args": arguments_of(call), "id": _CALL_ID, "type": "tool_call"}
    return ToolCallRequest(tool_call=tool_call, tool=None, state={}, runtime=None)


def message_of(call: Call) -> ToolMessage:
    """What the tool answered; failures have the status that says so."""
    status = "success" if call.error is None else "error"
    return ToolMessage(content=outcome_of(call), name=call.tool, tool_call_id=_CALL_ID, status=status)
