"""Traces in which nothing of an agent's work was seen so far. Most are, and stay so: they must cost little."""

from __future__ import annotations

from otel_loopwatch.spans import Span
from otel_loopwatch.tracker.table import Table
from otel_loopwatch.tracker.tree import MAX_OPEN


class _Plain:
    __slots__ = ("last_ns", "parents")

    def __init__(self) -> None:
        self.parents: dict[int, int] = {}
        self.last_ns = 0


class PlainTraces:
    """The parents of the open spans of such traces, no more."""

    def __init__(self, maximum: int, ttl_ns: int) -> None:
        self._traces: Table[int, _Plain] = Table(maximum, ttl_ns)

    def __len__(self) -> int:
        return len(self._traces)

    def start(self, span: Span) -> bool:
        """Take in a span that starts; whether it is new."""
        plain = self._traces.get(span.trace_id, span.start_ns)
        if plain is None:
            plain = _Plain()
            self._traces.put(span.trace_id, plain, span.start_ns)
        if span.span_id in plain.parents:
            return False
        if len(plain.parents) < MAX_OPEN:
            plain.parents[span.span_id] = span.parent_id
        return True

    def end(self, span: Span) -> bool:
        """Take in a span that ends; whether its trace is one of these."""
        plain = self._traces.peek(span.trace_id)
        if plain is None:
            return False
        plain.parents.pop(span.span_id, None)
        if not plain.parents:
            self._traces.pop(span.trace_id)
        return True

    def take(self, trace_id: int) -> dict[int, int]:
        """Parents by open span of a trace that turns out to matter."""
        plain = self._traces.pop(trace_id)
        return plain.parents if plain is not None else {}

    def drop_stale(self, now_ns: int, at_most: int | None) -> None:
        """Forget traces past their time."""
        for _ in self._traces.stale(now_ns, at_most):
            pass
