"""Whose work a span is: the nearest agent, or tool that encloses a run of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otel_loopwatch.dialects import CallContent, Role
from otel_loopwatch.tracker.events import Reader
from otel_loopwatch.tracker.merge import Heard, same_call
from otel_loopwatch.tracker.naming import is_step, plain_tool
from otel_loopwatch.tracker.tree import Node, Trace

if TYPE_CHECKING:
    from otel_loopwatch.tracker.runs import Run


def settle(node: Node, reader: Reader) -> Role | None:
    """The node's role, asked again while its span was opaque so far."""
    if node.role is None and node.span is not None and node.span.attributes:
        node.role = reader.role(node.span)
    return node.role


def scope_of(trace: Trace, node: Node, reader: Reader) -> Node | None:
    """The span that owns the work of a tool or model span, or ``None`` for the trace as a whole.

    A known agent or tool wins. Some instrumentations (OpenInference for LangChain) say what a span is only when it
    ends: there, the nearest opaque span in which a model has answered is taken for the agent, unless it was the first
    at work in its trace, or is one round of an agent's work.
    """
    guess = None
    for above in trace.nodes_above(node.parent):
        role = settle(above, reader)
        if role is Role.AGENT or role is Role.TOOL:
            return above
        if guess is None and role is None and works_alone(trace, above, node):
            guess = above
    return guess


def run_around(trace: Trace, span_id: int, reader: Reader) -> Run | None:
    """The run that lives in a span, or that its work is part of; what ends within a tool is no end of the run above."""
    for node in trace.nodes_above(span_id):
        if node.run is not None or settle(node, reader) is Role.TOOL:
            return node.run
    return trace.run


def works_alone(trace: Trace, above: Node, node: Node) -> bool:
    """Whether an opaque span looks like an agent beside others: a model has answered in it, beside the call itself.

    A model alone does not make an agent: its first call does.
    """
    if node.role is Role.MODEL:
        return above.run is not None
    return above.models > node.models and above.joined and not is_step(above.name) and not trace.is_round(above)


def enclosing_call(trace: Trace, parent_id: int, content: CallContent, reader: Reader) -> Node | None:
    """The span above that tells the same call: a framework's around an MCP client's around an MCP server's."""
    for node in trace.nodes_above(parent_id):
        role = settle(node, reader)
        if role is Role.TOOL:
            return node if tells(node, content, reader) else None
        if role is Role.AGENT or role is Role.MODEL or node.models:
            return None
        if role is None and plain_tool(node.name) == plain_tool(content.tool):
            return node
    return None


def tells(node: Node, content: CallContent, reader: Reader) -> bool:
    """Whether a tool span above is about the same call."""
    outer = reader.call(node.span) if node.span is not None else None
    if outer is None:
        return plain_tool(node.name) == plain_tool(content.tool)
    return same_call(outer, content)


def mark_models(trace: Trace, parent_id: int, reader: Reader) -> None:
    """Tell the spans above that a model has answered beneath them."""
    trace.models = True
    trace.note_round(parent_id)
    for node in trace.nodes_above(parent_id):
        if settle(node, reader) in (Role.AGENT, Role.TOOL):
            return
        node.models += 1


def mark_called(trace: Trace, parent_id: int, heard: Heard) -> None:
    """Leave word of a call with the spans above it that may turn out to be the same call."""
    for node in trace.nodes_above(parent_id):
        if node.role in (Role.AGENT, Role.MODEL) or node.models:
            return
        node.called = heard


def in_model(trace: Trace, parent_id: int) -> Node | None:
    """The open model span above, if nothing else is between: both tell one response."""
    for node in trace.nodes_above(parent_id):
        return node if node.role is Role.MODEL and node.is_open else None
    return None


def inside_tool(trace: Trace, node: Node) -> bool:
    """Whether the scope is a tool or lies within one: what happens here was asked for by another agent."""
    return node.role is Role.TOOL or any(above.role is Role.TOOL for above in trace.nodes_above(node.parent))
