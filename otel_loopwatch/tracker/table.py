"""Bounded tables, least recently active first out."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from itertools import islice
from typing import Generic, NamedTuple, Protocol, TypeVar

from otel_loopwatch.spans import Span


class Dated(Protocol):
    """What has a time of last activity."""

    last_ns: int


Key = TypeVar("Key")
Value = TypeVar("Value", bound=Dated)


class Table(Generic[Key, Value]):
    """Values by key, with a maximum number and a time to live (ns since last activity)."""

    def __init__(self, maximum: int, ttl_ns: int) -> None:
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self.holds = self._values.__contains__
        """Whether there is a value under a key."""
        self._maximum = maximum
        self._ttl_ns = ttl_ns

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[Value]:
        return iter(self._values.values())

    def peek(self, key: Key) -> Value | None:
        """The value, as if nobody had looked."""
        return self._values.get(key)

    def latest(self, count: int) -> Iterator[Value]:
        """The most recently active values."""
        return islice(reversed(self._values.values()), count)

    def get(self, key: Key, now_ns: int) -> Value | None:
        """The value, now the most recently active one."""
        value = self._values.get(key)
        if value is not None:
            self._values.move_to_end(key)
            value.last_ns = max(value.last_ns, now_ns)
        return value

    def put(self, key: Key, value: Value, now_ns: int) -> Value | None:
        """Add a value; returns the one that had to go."""
        value.last_ns = now_ns
        self._values[key] = value
        return self._values.popitem(last=False)[1] if len(self._values) > self._maximum else None

    def pop(self, key: Key) -> Value | None:
        """Remove a value."""
        return self._values.pop(key, None)

    def stale(self, now_ns: int, at_most: int | None = None) -> Iterator[Value]:
        """Remove and yield values past their time."""
        while self._values and at_most != 0:
            key, oldest = next(iter(self._values.items()))
            if oldest.last_ns + self._ttl_ns >= now_ns:
                return
            del self._values[key]
            yield oldest
            at_most = None if at_most is None else at_most - 1


class End(NamedTuple):
    """How a trace ended."""

    ns: int
    remote: bool
    """Its root was elsewhere: other parts of it may come, with roots of their own."""

    def goes_on_with(self, span: Span) -> bool:
        """Whether a span of that trace belongs to the part that had ended.

        It started before the end and is told late, or after the end beneath a span of it: a stream is read, and its
        tools run, when the function that returned it has long ended.
        """
        return span.start_ns < self.ns or (span.parent_id != 0 and not self.remote)


class Finished:
    """How the last traces to end did so."""

    def __init__(self, maximum: int) -> None:
        self._ends: OrderedDict[int, End] = OrderedDict()
        self._maximum = maximum

    def add(self, trace_id: int, end: End) -> None:
        """Remember one more, forgetting the oldest if there are too many."""
        self._ends[trace_id] = end
        if len(self._ends) > self._maximum:
            self._ends.popitem(last=False)

    def pop(self, trace_id: int) -> End | None:
        """How the trace ended, if it did: it goes on after all."""
        return self._ends.pop(trace_id, None)
