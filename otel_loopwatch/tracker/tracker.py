"""From span starts and ends to calls, turns and ends of runs."""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Mapping

from otel_loopwatch.dialects import CallContent, Role, TurnContent
from otel_loopwatch.model import ToolCall
from otel_loopwatch.spans import Span
from otel_loopwatch.tracker.calls import Calls
from otel_loopwatch.tracker.events import Reader, Reason, RunEnded, Tracked
from otel_loopwatch.tracker.message_calls import MessageCalls
from otel_loopwatch.tracker.plain import PlainTraces
from otel_loopwatch.tracker.responses import Responses
from otel_loopwatch.tracker.runs import Run, Runs
from otel_loopwatch.tracker.scope import run_around
from otel_loopwatch.tracker.table import End, Finished, Table
from otel_loopwatch.tracker.tree import Node, Trace

SWEEPS_PER_TTL = 64
"""How often, within the time to live, spans make us look for what is too old."""
STALE_AT_ONCE = 64
"""What is too old goes in portions: no span pays for all of it."""


class Tracker:
    """Follows the span trees of all traces at once, live or from files.

    ``run_key``: ``trace`` (a run is one agent's work in one trace), ``conversation``, or the name of a span attribute
    whose value keys the runs. ``max_traces``: traces (and runs that outlive them) remembered, the least recently active
    goes first. ``ttl_s``: seconds without a span after which a trace is dropped. ``children_first``: spans are told
    when they have ended, so a parent that is not known will be told later.

    Thread-safe: spans are read before the lock is taken. Time is the spans' own.
    """

    def __init__(
        self,
        *,
        run_key: str = "trace",
        max_traces: int = 10_000,
        ttl_s: float = 3600.0,
        reader: Reader | None = None,
        children_first: bool = False,
    ) -> None:
        if not run_key:
            raise ValueError(f"run_key: {run_key!r} must be 'trace', 'conversation' or an attribute's name")
        if max_traces < 1:
            raise ValueError(f"max_traces: {max_traces!r} must be at least 1")
        if not 0 < ttl_s < math.inf:
            raise ValueError(f"ttl_s: {ttl_s!r} must be more than 0 seconds, and finite")
        self.reader = reader or Reader()
        self._children_first = children_first
        self._traces: Table[int, Trace] = Table(max_traces, int(ttl_s * 1e9))
        self.follows = self._traces.holds
        """Whether something that may be an agent's work was seen in a trace, which goes on: asked for every span."""
        self._plain = PlainTraces(max_traces, int(ttl_s * 1e9))
        self._finished = Finished(max_traces)
        self._skipped: Counter[str] = Counter()
        self._runs = Runs(run_key, self.reader, max_traces, int(ttl_s * 1e9), self._skipped)
        self._calls = Calls(self.reader, self._traces, self._runs, self._skipped)
        self._message_calls = MessageCalls(self._calls)
        self._responses = Responses(self.reader, self._runs, self._message_calls, self._skipped)
        self._sweep_ns = int(ttl_s * 1e9) // SWEEPS_PER_TTL
        self._swept_ns = 0
        self._lock = threading.Lock()

    @property
    def skipped(self) -> Mapping[str, int]:
        """What was not counted as a call, or not followed to its end, by reason.

        ``duplicate``: told by another span, or a span that came twice. ``unreadable``: a tool's span without a call.
        ``late``: a trace that had ended (its calls are told all the same). ``evicted``: a trace or an open span that
        made room. ``unfinished``: a call that still waited for its result or its outer span when its run was dropped.
        """
        return self._skipped.copy()

    @property
    def model_calls(self) -> int:
        """Model spans that ended, without those around other model spans."""
        return self._responses.number

    def __len__(self) -> int:
        """Traces remembered, and runs that outlive theirs."""
        return len(self._traces) + len(self._plain) + len(self._runs.keyed)

    def start(self, span: Span) -> None:
        """Take in a span that starts, with the attributes it has by now."""
        role = self.reader.role(span)
        group_key = self._runs.group_key(span, role)
        with self._lock:
            if role is Role.OTHER and group_key is None and self._started_plain(span):
                return
            trace = self._trace(span, span.start_ns)
            if (awaited := trace.awaits(span.span_id)) is not None:
                trace.await_parent(span.parent_id, span.start_ns)
                trace.arrive(awaited, span, role, group_key)
                self._runs.settle(trace, awaited)
            elif trace.knows(span.span_id):
                self._skipped["duplicate"] += 1
            else:
                self._begin(trace, span, role, group_key)

    def end(self, span: Span) -> list[Tracked]:
        """Take in a span that ended: the calls, turns and ends of runs that follow from it, in order."""
        role = self.reader.role(span)
        call = self.reader.call(span) if role is Role.TOOL else None
        turn = self.reader.turn(span) if role is Role.MODEL else None
        group_key = self._runs.group_key(span, role)
        with self._lock:
            if role is Role.OTHER and group_key is None and self._ended_plain(span):
                return self._told([])
            trace = self._trace(span, span.end_ns)
            if span.span_id not in trace.open:
                if trace.knows(span.span_id):
                    self._skipped["duplicate"] += 1
                    return self._told([])
                self._begin(trace, span, role, group_key)
            return self._told(self._end(trace, span, role, call, turn))

    def trace(self, trace_id: int) -> Trace | None:
        """What is known of a trace in which something mattered, to be saved."""
        return self._traces.peek(trace_id)

    def trace_ids(self) -> list[int]:
        """The traces in which something mattered, those heard of last at the end."""
        with self._lock:
            return [trace.trace_id for trace in self._traces]

    def keyed_runs(self) -> list[Run]:
        """The runs that outlive their traces, those heard of last at the end."""
        with self._lock:
            return list(self._runs.keyed)

    def resume(self, saved: Trace | Run) -> None:
        """Go on with a trace, or with a run that outlives its traces, that another tracker saved."""
        with self._lock:
            if isinstance(saved, Run):
                self._runs.keyed.put(saved.key, saved, saved.last_ns)
            else:
                self._traces.put(saved.trace_id, saved, saved.last_ns)

    def expire(self, now_ns: int) -> list[RunEnded]:
        """Drop what has seen no span for the time to live."""
        with self._lock:
            self._drop_stale(now_ns, None)
            ended, self._runs.ended = self._runs.ended, []
            return ended

    def flush(self) -> list[Tracked]:
        """Calls still waiting for their result or for an enclosing span, as at the end of a file."""
        with self._lock:
            told: list[Tracked] = []
            for trace in self._traces:
                told += self._held(trace)
                for run in (trace.alive or {}).values():
                    told += self._unanswered(trace, run)
            for run in self._runs.keyed:
                told += self._message_calls.unanswered(run)
            return self._told(told)

    def forget(self, trace_id: int, span_id: int) -> None:
        """Drop an open span that will never end."""
        with self._lock:
            trace = self._traces.get(trace_id, 0)
            if trace is not None:
                trace.drop(span_id)
                if not trace.open and not trace.alive:
                    self._traces.pop(trace_id)

    def _started_plain(self, span: Span) -> bool:
        """Whether an ordinary span starts in a trace of ordinary spans."""
        if self.follows(span.trace_id) or not span.attributes:
            return False
        if not self._plain.start(span):
            self._skipped["duplicate"] += 1
        return True

    def _ended_plain(self, span: Span) -> bool:
        """Whether an ordinary span ends in such a trace, or in one of which nothing is known."""
        return self._plain.end(span) or not self.follows(span.trace_id)

    def _told(self, told: list[Tracked]) -> list[Tracked]:
        ended, self._runs.ended = self._runs.ended, []
        return [*ended, *told] if ended else told

    def _trace(self, span: Span, now_ns: int) -> Trace:
        if not 0 <= now_ns - self._swept_ns < self._sweep_ns:
            self._swept_ns = now_ns
            self._drop_stale(now_ns, STALE_AT_ONCE)
        trace = self._traces.get(span.trace_id, now_ns)
        return trace or self._new_trace(span, now_ns)

    def _new_trace(self, span: Span, now_ns: int) -> Trace:
        trace = Trace(span.trace_id)
        trace.absorb(self._plain.take(span.trace_id))
        if self._children_first:
            trace.await_parents(span.start_ns)
        ended = self._finished.pop(span.trace_id)
        if ended is not None and ended.goes_on_with(span):
            self._skipped["late"] += 1
            trace.lingers = True
        evicted = self._traces.put(span.trace_id, trace, now_ns)
        if evicted is not None:
            self._skipped["evicted"] += 1
            self._dropped(evicted, "capacity")
        return trace

    def _dropped(self, trace: Trace, reason: Reason) -> None:
        self._skipped["unfinished"] += len(trace.holders())
        for run in (trace.alive or {}).values():
            self._runs.drop(run, reason)

    def _drop_stale(self, now_ns: int, at_most: int | None) -> None:
        for trace in self._traces.stale(now_ns, at_most):
            self._dropped(trace, "ttl")
        self._plain.drop_stale(now_ns, at_most)
        for run in self._runs.keyed.stale(now_ns, at_most):
            self._runs.drop(run, "ttl")

    def _begin(self, trace: Trace, span: Span, role: Role, group_key: str | None) -> None:
        if self._children_first and span.parent_id != span.span_id:
            trace.await_parent(span.parent_id, span.start_ns)
        if trace.begin(span, role, group_key):
            self._skipped["evicted"] += 1

    def _end(
        self, trace: Trace, span: Span, role: Role, call: CallContent | None, turn: TurnContent | None
    ) -> list[Tracked]:
        node = trace.finish(span, role)
        if trace.alive and not is_single(node):
            self._note_limit(trace, span)
        told: list[Tracked] = []
        if node is not None:
            if node.run is not None:
                told += self._scope_ended(trace, node.run)
            if role is Role.TOOL:
                told += self._calls.ended(trace, node, span, call)
            elif node.held is not None:
                told += self._calls.released(trace, node)
            if turn is not None and node.run is None:
                told += self._responses.ended(trace, node, span, turn)
        if not trace.roots and not goes_on(trace):
            told += self._trace_ended(trace, span.end_ns)
        return told

    def _note_limit(self, trace: Trace, span: Span) -> None:
        limit = self.reader.limit(span)
        run = run_around(trace, span.span_id, self.reader) if limit is not None else None
        if run is not None:
            run.limit = limit

    def _scope_ended(self, trace: Trace, run: Run) -> list[Tracked]:
        if trace.alive is None or trace.alive.pop(run.key, None) is None:
            return []
        return self._run_ended(trace, run)

    def _run_ended(self, trace: Trace, run: Run) -> list[Tracked]:
        return [*self._unanswered(trace, run), RunEnded(run.key, "ended", run.limit, run.scope_span_id)]

    def _unanswered(self, trace: Trace, run: Run) -> list[ToolCall]:
        """Calls only messages tell of; where there are tool spans, those tell them all."""
        return [] if trace.has_tools else self._message_calls.unanswered(run)

    def _trace_ended(self, trace: Trace, end_ns: int) -> list[Tracked]:
        told = self._held(trace)
        self._traces.pop(trace.trace_id)
        self._finished.add(trace.trace_id, End(end_ns, trace.remote))
        for run in (trace.alive or {}).values():
            told += self._run_ended(trace, run)
        return told

    def _held(self, trace: Trace) -> list[Tracked]:
        """Calls held for spans that did not end."""
        told: list[Tracked] = []
        for node in trace.holders():
            told += self._calls.released(trace, node)
        return told


def is_single(node: Node | None) -> bool:
    """Whether a span is no more than one call or one response: no run ends with it."""
    return node is not None and node.run is None and node.role in (Role.TOOL, Role.MODEL)


def goes_on(trace: Trace) -> bool:
    """Whether more is expected of a trace although none of its outermost spans is open.

    The end of its root is the end, unless that was an agent's of which nothing was seen: then its spans are written
    after the fact, and nothing will tell the last. Where the root is elsewhere, the trace ends with its last open span,
    unless only tools were seen: then the agent is elsewhere, too, and calls again.
    """
    if trace.lingers:
        return True
    if trace.remote:
        return bool(trace.open) or (trace.has_tools and not trace.models and not trace.has_agents)
    trace.lingers = trace.has_agents and not (trace.alive or trace.models or trace.has_tools)
    return trace.lingers
