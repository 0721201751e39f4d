"""Finished spans, in any order, as the starts and ends they once were."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from otel_loopwatch.dialects import Role
from otel_loopwatch.spans import SpanData
from otel_loopwatch.tracker.events import Reader, Tracked
from otel_loopwatch.tracker.tracker import Tracker
from otel_loopwatch.tracker.tree import MAX_DEPTH

Id = tuple[int, int]


class _Extent(msgspec.Struct):
    """When the subtree of a span began last and ended, and how deep the span lies."""

    last_start_ns: int
    end_ns: int
    depth: int


def replay(spans: Iterable[SpanData], tracker: Tracker) -> Iterator[Tracked]:
    """Feed finished spans to a tracker in the order of their times, and yield what it makes of them.

    A parent starts before and ends after its children, whatever the clocks of its instrumentation say.
    """
    spans = list(spans)
    for missing in missing_parents(spans, tracker.reader):
        tracker.start(missing)
    yield from go_on(spans, tracker)
    yield from tracker.flush()


def go_on(spans: Iterable[SpanData], tracker: Tracker) -> Iterator[Tracked]:
    """As :func:`replay`, of spans told as they end: more of their traces follows, the parents last.

    Such a tracker is made with ``children_first``.
    """
    for span, ends in in_time_order(spans):
        if ends:
            yield from tracker.end(span)
        else:
            tracker.start(span)


def missing_parents(spans: Sequence[SpanData], reader: Reader) -> list[SpanData]:
    """Spans that others hang from and that were never written, as that of an agent that is still at work.

    A client's requests are left alone: they tell by themselves what they belong to.
    """
    known = {(span.trace_id, span.span_id) for span in spans}
    missing = {
        (span.trace_id, span.parent_id): span.start_ns
        for span in reversed(spans)
        if span.parent_id and (span.trace_id, span.parent_id) not in known and reader.role(span) is not Role.MODEL
    }
    return [SpanData(trace_id, span_id, start_ns=start_ns) for (trace_id, span_id), start_ns in missing.items()]


def in_time_order(spans: Iterable[SpanData]) -> Iterator[tuple[SpanData, bool]]:
    """Each span twice: as it starts (False) and as it ends (True); a span that comes twice, once more as it starts."""
    by_id: dict[Id, SpanData] = {}
    repeated = []
    for span in spans:
        span_id = (span.trace_id, span.span_id)
        if span_id in by_id:
            repeated.append(span)
        else:
            by_id[span_id] = span
    events = []
    for index, (span, extent) in enumerate(zip(by_id.values(), _extents(by_id), strict=True)):
        began_last = extent.last_start_ns == extent.end_ns
        events.append((span.start_ns, 1, extent.depth, index, span, False))
        events.append((extent.end_ns, 2 if began_last else 0, -extent.depth, index, span, True))
    for index, span in enumerate(repeated, len(by_id)):
        events.append((span.start_ns, 1, MAX_DEPTH, index, span, False))
    events.sort()  # no two events agree in their first four parts
    return ((event[-2], event[-1]) for event in events)


def _extents(by_id: dict[Id, SpanData]) -> Iterable[_Extent]:
    """Those of all spans, in their order: from the deepest up, each reaches at least as far as what is beneath it."""
    extents: dict[Id, _Extent] = {}
    levels: list[list[SpanData]] = [[] for _ in range(MAX_DEPTH + 1)]
    for span_id, span in by_id.items():
        depth = _depth(by_id, span)
        extents[span_id] = _Extent(span.start_ns, max(span.start_ns, span.end_ns), depth)
        levels[depth].append(span)
    for level in reversed(levels):
        for span in level:
            parent = extents.get((span.trace_id, span.parent_id))
            if parent is not None and parent.depth < (mine := extents[span.trace_id, span.span_id]).depth:
                parent.last_start_ns = max(parent.last_start_ns, mine.last_start_ns)
                parent.end_ns = max(parent.end_ns, mine.end_ns)
    return extents.values()


def _depth(by_id: dict[Id, SpanData], span: SpanData) -> int:
    """Number of known spans above, as far as they are followed."""
    for depth in range(MAX_DEPTH):
        parent = by_id.get((span.trace_id, span.parent_id))
        if parent is None:
            return depth
        span = parent
    return MAX_DEPTH
