"""FastMCP: a middleware that puts a gate into the way of a server's tools.

``on_call_tool`` refuses a call by an error result of its own, and adds a note as a text block. A server sees calls but
no model: it knows neither which calls are of one response, so equal ones count one by one, nor when a run ends, and it
cannot end one. Once halted, every further call of that run is refused with the farewell; a run is forgotten when it has
been quiet for long.

A run is a trace, where the client sends a trace context; else a session. Connections of the protocol of 2026-07-28 have
no session: there it is the user, or the one client of a server on stdio. Calls that nothing tells apart pass unseen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.tools.base import ToolResult
from mcp_types import TextContent
from opentelemetry.trace import format_trace_id, get_current_span
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from otel_loopwatch.control.gate import Gate, Passing

Key = Callable[[MiddlewareContext[Any]], str | None]
"""Which run a call is of; None: it passes unseen."""


def run_of(context: MiddlewareContext[Any]) -> str | None:
    """The trace of a call, or else the session or the user."""
    request = context.fastmcp_context.request_context
    sent = TraceContextTextMapPropagator().extract(dict(request.meta or {})) if request is not None else None
    trace = get_current_span(sent).get_span_context().trace_id if sent else 0
    return format_trace_id(trace) if trace else context.fastmcp_context._session_scope_key()


class LoopwatchMiddleware(Middleware):  # type: ignore[misc]
    """For ``server.add_middleware(LoopwatchMiddleware(gate))``; ``key`` tells runs apart in another way."""

    def __init__(self, gate: Gate, key: Key = run_of) -> None:
        self.gate = gate
        self.key = key

    async def on_call_tool(self, context: MiddlewareContext[Any], call_next: CallNext[Any, ToolResult]) -> ToolResult:
        """Execute the call, or answer in its place. A tool's exception goes on as it was."""
        key = self.gate.safely(lambda: self.key(context))
        if key is None:
            return await call_next(context)
        run = self.gate.run(f"mcp-{key}")
        passing = run.before(context.message.name, context.message.arguments or {})
        if passing.refused:
            return _refusal(passing)
        try:
            result = await call_next(context)
        except Exception as error:
            run.after(passing, error=error.__cause__ or error)
            raise
        said = _said(result)
        note = run.after(passing, None if result.is_error else said, said if result.is_error else None)
        return result if note is None else _noted(result, note)


def _refusal(passing: Passing) -> ToolResult:
    return ToolResult(content=[TextContent(type="text", text=passing.message)], is_error=True)


def _noted(result: ToolResult, note: str) -> ToolResult:
    """A result with a note as its last block; its structured content is kept as it was."""
    return result.model_copy(update={"content": [*result.content, TextContent(type="text", text=note)]})


def _said(result: ToolResult) -> object:
    """What a tool answered: its text, where it is nothing but text."""
    if all(isinstance(block, TextContent) for block in result.content):
        return "\n".join(block.text for block in result.content)
    return [block.model_dump(mode="json") for block in result.content]
