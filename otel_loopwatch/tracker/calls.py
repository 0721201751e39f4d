"""From the tool spans of a trace to its calls: each once, in its run."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from otel_loopwatch.dialects import CallContent, Role
from otel_loopwatch.model import ToolCall
from otel_loopwatch.spans import Span
from otel_loopwatch.tracker.events import Reader
from otel_loopwatch.tracker.merge import Heard, merge, one_process, same_call
from otel_loopwatch.tracker.naming import plain_tool
from otel_loopwatch.tracker.runs import Run, Runs
from otel_loopwatch.tracker.scope import enclosing_call, in_model, mark_called
from otel_loopwatch.tracker.table import Table
from otel_loopwatch.tracker.tree import Node, Trace
from otel_loopwatch.tracker.twins import Twins

LOOKED_THROUGH = 64
"""Traces in which the call is looked for that an unconnected span may be part of."""


class Calls:
    """Turns ended tool spans into calls."""

    def __init__(self, reader: Reader, traces: Table[int, Trace], runs: Runs, skipped: Counter[str]) -> None:
        self._reader = reader
        self._traces = traces
        self._runs = runs
        self._skipped = skipped
        self._twins = Twins()

    def ended(self, trace: Trace, node: Node, span: Span, content: CallContent | None) -> list[ToolCall]:
        """A tool span ended: its call, unless another span tells it."""
        trace.has_tools = True
        if content is None:
            self._skipped["unreadable"] += 1
            return self.released(trace, node)
        heard = Heard(content, span.span_id, span.start_ns, span.end_ns, span.scope, span.service)
        if node.held is not None:
            heard = heard._replace(content=merge(content, node.held.content))
            node.held = None
        if node.called is not None and same_call(content, node.called.content):
            self._skipped["duplicate"] += 1
            return []
        return self._told(trace, node, heard)

    def released(self, trace: Trace, node: Node) -> list[ToolCall]:
        """A span ended that might have told the call held for it, and did not."""
        if node.held is None:
            return []
        heard, node.held = node.held, None
        return self._told(trace, node, heard)

    def _told(self, trace: Trace, node: Node, heard: Heard) -> list[ToolCall]:
        outer = enclosing_call(trace, node.parent, heard.content, self._reader)
        if outer is None:
            return self._counted(trace, node, heard)
        self._skipped["duplicate"] += 1
        if outer.is_open:
            held = outer.held
            outer.held = heard if held is None else held._replace(content=merge(held.content, heard.content))
        return []

    def _counted(self, trace: Trace, node: Node, heard: Heard) -> list[ToolCall]:
        lone = not trace.knows(node.parent)
        essence = heard.essence()
        if self._twins.is_twin(essence, lone) or (node.parent == 0 and self._is_at_work(heard)):
            trace.shadow = trace.shadow or not lone
            self._skipped["duplicate"] += 1
            return []
        content = heard.content
        run = self._runs.of(trace, node, content.conversation, content.agent, heard.end_ns)
        mark_called(trace, node.parent, essence)
        return [self._call(trace, node, run, heard)]

    def _is_at_work(self, heard: Heard) -> bool:
        """Whether another instrumentation has a tool of that name open in a tree.

        Not every instrumentation makes its span the current one (OpenInference for LangChain does not): then what is
        called beneath it, as an MCP client, begins a trace of its own.
        """
        name = plain_tool(heard.content.tool)
        return any(
            plain_tool(node.name) == name and node.span is not None and node.span.scope != heard.source
            for trace in self._traces.latest(LOOKED_THROUGH)
            for node in trace.open.values()
            if isinstance(node, Node) and node.role in (Role.TOOL, None) and trace.knows(node.parent)
            if one_process(node.span.service if node.span is not None else "", heard.service)
        )

    def _call(self, trace: Trace, node: Node, run: Run, heard: Heard) -> ToolCall:
        answer = in_model(trace, node.parent)
        answering = answer is not None and answer.models == 0
        place = Place(
            trace_id=trace.trace_id,
            batch=run.turns.batch_of(heard.start_ns, heard.end_ns, answering=answering),
            user_turn=self._runs.user_turn(run, trace, node),
            tokens=run.turns.charge(),
        )
        return call_of(run, heard, place, heard.content.agent or self._runs.agent_of(run, trace, node))

    def from_messages(self, run: Run, heard: Heard, place: Place) -> ToolCall | None:
        """A call read from messages, unless a tool span has told it."""
        if self._twins.is_twin(heard.essence(), lone=True):
            self._skipped["duplicate"] += 1
            return None
        return call_of(run, heard, place, heard.content.agent or run.agent)


class Place(NamedTuple):
    """Where a call stands in its run."""

    trace_id: int
    batch: int | None
    user_turn: int | None
    tokens: int


def call_of(run: Run, heard: Heard, place: Place, agent: str | None) -> ToolCall:
    """The call, in its run."""
    content = heard.content
    return ToolCall(
        run=run.key,
        tool=content.tool,
        group=run.group,
        arguments=content.arguments,
        result=content.result,
        failed=content.failed,
        error=content.error,
        outcome=content.outcome,
        agent=agent,
        call_id=content.call_id,
        batch=place.batch,
        user_turn=place.user_turn,
        start_ns=heard.start_ns,
        end_ns=heard.end_ns,
        tokens=place.tokens,
        trace_id=place.trace_id,
        span_id=heard.span_id,
        scope_span_id=run.scope_span_id,
        progress_version=content.progress_version,
        state=content.state,
        truncated=content.truncated,
        dialect=content.dialect,
    )
