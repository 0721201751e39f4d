"""Runs, and which one a span's work belongs to."""

from __future__ import annotations

from collections import Counter

from otel_loopwatch.dialects import Limit, Role
from otel_loopwatch.spans import Span
from otel_loopwatch.tracker.events import Reader, Reason, RunEnded
from otel_loopwatch.tracker.messages import Messages
from otel_loopwatch.tracker.naming import plain_agent
from otel_loopwatch.tracker.scope import inside_tool, scope_of
from otel_loopwatch.tracker.table import Table
from otel_loopwatch.tracker.tree import Node, Trace
from otel_loopwatch.tracker.turns import Turns

MAX_LABELS = 1024
"""Distinct agent names numbered per trace; beyond it a run is named by its span."""
MAX_EPISODES = 64


class Run:
    """One agent's work: its key, its turns, and what is still open in its messages."""

    __slots__ = ("_episodes", "agent", "group", "key", "last_ns", "limit", "messages", "scope_span_id", "turns")

    def __init__(self, key: str, group: str, scope_span_id: int = 0, agent: str | None = None) -> None:
        self.key = key
        self.group = group
        self.scope_span_id = scope_span_id
        self.agent = agent
        self.turns = Turns()
        self.messages: Messages | None = None
        self.last_ns = 0
        self.limit: Limit | None = None
        """Limit of the framework by which it ended, unless it goes on after all."""
        self._episodes: dict[tuple[int, int], int] | None = None

    def episode(self, trace_id: int, agent_span_id: int) -> int:
        """Number of the user's turn that an outermost agent span answers, in a run that spans many."""
        if self._episodes is None:
            self._episodes = {}
        number = self._episodes.get((trace_id, agent_span_id))
        if number is None:
            number = max(self._episodes.values(), default=0) + 1
            self._episodes[trace_id, agent_span_id] = number
            if len(self._episodes) > MAX_EPISODES:
                del self._episodes[next(iter(self._episodes))]
        return number


def trace_key(trace_id: int) -> str:
    """Key of a trace's first run, and the group of all of its runs."""
    return f"{trace_id:032x}"


class Runs:
    """Finds the run of a span: by its scope within the trace, or by what the user chose to key runs by."""

    def __init__(self, run_key: str, reader: Reader, maximum: int, ttl_ns: int, skipped: Counter[str]) -> None:
        self._run_key = run_key
        self._reader = reader
        self._skipped = skipped
        self.keyed: Table[str, Run] = Table(maximum, ttl_ns)
        """Runs that outlive their traces."""
        self.ended: list[RunEnded] = []
        """Ends that wait to be told."""

    def group_key(self, span: Span, role: Role) -> str | None:
        """What this span says about the key of the runs beneath it, where that is not the trace."""
        if self._run_key == "trace":
            return None
        if self._run_key == "conversation":
            return self._reader.agent(span).conversation if role is Role.AGENT else None
        value = span.attributes.get(self._run_key)
        return None if value is None else str(value)

    def of(self, trace: Trace, node: Node, own: str | None, agent: str | None, now_ns: int) -> Run:
        """The run of a tool or model span; ``own`` and ``agent`` are the conversation and agent it names itself."""
        key = None if self._run_key == "trace" else self.key_of(trace, node, own)
        if key is not None:
            return self.keep(key, now_ns)
        return self.in_trace(trace, scope_of(trace, node, self._reader), node, agent)

    def key_of(self, trace: Trace, node: Node, own: str | None) -> str | None:
        """The key the user chose for the span's run, if this span or one above has it."""
        if self._run_key == "trace":
            return None
        if self._run_key == "conversation" and own is not None:
            return own
        if node.group_key is not None:
            return node.group_key
        return next((key for above in trace.nodes_above(node.parent) if (key := self._key_at(above)) is not None), None)

    def _key_at(self, node: Node) -> str | None:
        if node.group_key is None and node.span is not None and node.role is not None:
            node.group_key = self.group_key(node.span, node.role)
        return node.group_key

    def keep(self, key: str, now_ns: int) -> Run:
        """The run of that key, which no span ends."""
        run = self.keyed.get(key, now_ns)
        if run is None:
            run = Run(key, group=key)
            evicted = self.keyed.put(key, run, now_ns)
            if evicted is not None:
                self.drop(evicted, "capacity")
        return run

    def drop(self, run: Run, reason: Reason) -> None:
        """A run ends without having come to an end; calls that wait for their result are counted as unfinished."""
        if run.messages:
            self._skipped["unfinished"] += len(run.messages)
        self.ended.append(RunEnded(run.key, reason))

    def in_trace(self, trace: Trace, scope: Node | None, node: Node, agent: str | None) -> Run:
        """The run of a scope, made at its first call or model response; one that had reached a limit goes on."""
        run = trace.run if scope is None else scope.run
        if run is None and scope is not None and scope.awaited:
            run = self._taken_over(trace, scope)
        if run is None:
            run = self._new(trace, scope, trace.root_above(node.span_id), agent)
        run.limit = None
        if trace.alive is None:
            trace.alive = {}
        trace.alive.setdefault(run.key, run)
        return run

    def settle(self, trace: Trace, node: Node) -> None:
        """An awaited span is told: the run of the calls beneath it is its own if it is an agent or a tool.

        Where it is a mere step, that run is of whatever is around it.
        """
        owns = node.role in (Role.AGENT, Role.TOOL)
        bare = trace.run is not None and trace.run.scope_span_id == node.span_id
        run = node.run or (trace.run if bare else None)
        if run is None:
            return
        if owns:
            node.run, trace.run = run, None if bare else trace.run
            run.agent = run.agent or plain_agent(self._agent_name(node))
        else:
            self._hand_up(trace, node, run, bare)

    def _taken_over(self, trace: Trace, scope: Node) -> Run | None:
        """The run of calls that no agent enclosed, where it turns out to live in this span."""
        if trace.run is None or trace.run.scope_span_id != scope.span_id:
            return None
        scope.run, trace.run = trace.run, None
        return scope.run

    def _hand_up(self, trace: Trace, node: Node, run: Run, bare: bool) -> None:
        """To the agent or tool above, if that is known by now; else to the span that is awaited above."""
        for above in trace.nodes_above(node.parent):
            if above.role in (Role.AGENT, Role.TOOL) or (above.awaited and not bare):
                self._move(trace, node, above, run, bare)
                return
        run.scope_span_id = trace.root_above(node.span_id)

    def _move(self, trace: Trace, node: Node, above: Node, run: Run, bare: bool) -> None:
        if above.run is not None:
            return
        above.run, run.scope_span_id = run, above.span_id
        if bare:
            trace.run = None
        else:
            node.run = None

    def _new(self, trace: Trace, scope: Node | None, root_id: int, agent: str | None) -> Run:
        group = trace_key(trace.trace_id)
        if scope is None:
            key = _new_key(trace, None, plain_agent(agent or _name(trace, root_id)))
            trace.run = run = Run(key, group, root_id)
        else:
            name = plain_agent(agent or self._agent_name(scope))
            scope.run = run = Run(_new_key(trace, scope, name), group, scope.span_id, name)
        return run

    def _agent_name(self, scope: Node) -> str:
        named = self._reader.agent(scope.span).name if scope.span is not None and scope.role is Role.AGENT else None
        return named or scope.name

    def agent_of(self, run: Run, trace: Trace, node: Node) -> str | None:
        """The agent at work: the run's own, or in runs that span many, the one whose span is nearest."""
        if run.agent is not None or run.scope_span_id:
            return run.agent
        scope = scope_of(trace, node, self._reader)
        return plain_agent(self._agent_name(scope)) if scope is not None else None

    def user_turn(self, run: Run, trace: Trace, node: Node) -> int | None:
        """Number of the user's turn, in runs that span many."""
        if self._run_key == "trace":
            return None
        agents = [above.span_id for above in trace.nodes_above(node.parent) if above.role is Role.AGENT]
        return run.episode(trace.trace_id, agents[-1] if agents else 0)


def _name(trace: Trace, span_id: int) -> str:
    found = trace.link(span_id)
    return (isinstance(found, Node) and found.name) or "root"


def _new_key(trace: Trace, scope: Node | None, label: str) -> str:
    """The trace's id for the first scope at work, the id and a name for every other.

    A run inside a tool is never the first, even where its calls end before any other: another agent asked for it.
    """
    count = _count(trace, label)
    base = trace_key(trace.trace_id)
    if not trace.bare_taken and (scope is None or not inside_tool(trace, scope)):
        trace.bare_taken = True
        return base
    if count == 0:
        return f"{base}/{scope.span_id if scope is not None else 0:016x}"
    return f"{base}/{label}" if count == 1 else f"{base}/{label}#{count}"


def _count(trace: Trace, label: str) -> int:
    """How many scopes of that name there are by now; 0 where there are too many names to count."""
    if trace.names is None:
        trace.names = {}
    if label not in trace.names and len(trace.names) >= MAX_LABELS:
        return 0
    trace.names[label] = trace.names.get(label, 0) + 1
    return trace.names[label]
