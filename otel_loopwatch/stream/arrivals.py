"""Spans as they arrive: each once, and those of a trace held for a moment, since a parent ends after its children."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from otel_loopwatch.spans import SpanData

MAX_REMEMBERED = 200_000
"""Spans by whose ids repetitions are told, and traces whose latest end is known."""
MAX_HELD = 100_000
"""Spans held at a time; beyond it the traces that wait longest go early."""


class Portion(NamedTuple):
    """The spans of one trace that are judged together."""

    spans: list[SpanData]
    sources: list[int]
    """For each span, the position of the request it came in."""


class _Held(NamedTuple):
    since_ns: int
    portion: Portion


class Arrivals:
    """Holds the spans of a trace from the first of them on for ``window_ns``, and gives them out together.

    A request that is exported again, as after a lost answer, is seen by the ids of its spans. ``counts``:
    ``duplicate`` spans were dropped; ``late`` ones ended before one of their trace that had been given out already, and
    are judged after it all the same; ``early``: portions that were not held for long for want of room.
    """

    def __init__(self, window_ns: int, max_held: int = MAX_HELD) -> None:
        self._window_ns = window_ns
        self._max_held = max_held
        self._held: OrderedDict[int, _Held] = OrderedDict()
        """By trace, those that wait longest first."""
        self._number = 0
        self._known: dict[tuple[int, int], None] = {}
        self._given_ns: dict[int, int] = {}
        self.counts: Counter[str] = Counter(duplicate=0, late=0, early=0)

    def add(self, spans: Iterable[SpanData], source: int, now_ns: int) -> set[int]:
        """Take in the spans of a request; the traces that the request now has spans held of."""
        traces = set()
        for span in spans:
            if self._is_new(span):
                self._hold(span, source, now_ns)
                traces.add(span.trace_id)
        return traces

    def holds(self, trace_id: int) -> bool:
        """Whether spans of a trace are held."""
        return trace_id in self._held

    def due(self, now_ns: int) -> Iterator[Portion]:
        """The portions whose time has come, and those for which there is no room."""
        while self._held:
            trace_id, held = next(iter(self._held.items()))
            over = self._number > self._max_held
            if not over and now_ns - held.since_ns < self._window_ns:
                return
            if over and now_ns - held.since_ns < self._window_ns:
                self.counts["early"] += 1
            yield self._give(trace_id)

    def rest(self) -> Iterator[Portion]:
        """All that is held: nothing more will come."""
        while self._held:
            yield self._give(next(iter(self._held)))

    def __len__(self) -> int:
        """Spans held."""
        return self._number

    def _is_new(self, span: SpanData) -> bool:
        key = (span.trace_id, span.span_id)
        if key in self._known:
            self.counts["duplicate"] += 1
            return False
        self._known[key] = None
        if len(self._known) > MAX_REMEMBERED:
            del self._known[next(iter(self._known))]
        return True

    def _hold(self, span: SpanData, source: int, now_ns: int) -> None:
        held = self._held.get(span.trace_id)
        if held is None:
            held = self._held[span.trace_id] = _Held(now_ns, Portion([], []))
        held.portion.spans.append(span)
        held.portion.sources.append(source)
        self._number += 1
        if span.end_ns < self._given_ns.get(span.trace_id, 0):
            self.counts["late"] += 1

    def _give(self, trace_id: int) -> Portion:
        portion = self._held.pop(trace_id).portion
        self._number -= len(portion.spans)
        latest = max(span.end_ns for span in portion.spans)
        self._given_ns[trace_id] = max(latest, self._given_ns.pop(trace_id, 0))
        if len(self._given_ns) > MAX_REMEMBERED:
            del self._given_ns[next(iter(self._given_ns))]
        return portion
