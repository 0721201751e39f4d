"""Finished spans, in any order, as the starts and ends they once were."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from otel_loopwatch.dialects import Role
from otel_loopwatch.spans import SpanData
from otel_loopwatch.tracker.events import Reader, Tracked
from otel_loopwatch.tracker.tracker import Tracker
from otel_loopwatch.tracker.tree import MAX_DEPTH

Id = tuple[int, int]


class _Extent(NamedTuple):
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
    for span, ends in in_time_order(spans):
        if ends:
            yield from tracker.end(span)
        else:
            tracker.start(span)
    yield from tracker.flush()


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
    extents = _extents(by_id)
    events = []
    for index, (span_id, span) in enumerate(by_id.items()):
        extent = extents[span_id]
        began_last = extent.last_start_ns == extent.end_ns
        events.append(((span.start_ns, 1, extent.depth, index), span, False))
        events.append(((extent.end_ns, 2 if began_last else 0, -extent.depth, index), span, True))
    events += (((span.start_ns, 1, MAX_DEPTH, len(by_id)), span, False) for span in repeated)
    events.sort(key=lambda event: event[0])
    return ((span, ends) for _, span, ends in events)


def _extents(by_id: dict[Id, SpanData]) -> dict[Id, _Extent]:
    extents = {
        span_id: _Extent(span.start_ns, max(span.start_ns, span.end_ns), len(list(_above(by_id, span))))
        for span_id, span in by_id.items()
    }
    for span_id in sorted(extents, key=lambda each: -extents[each].depth):
        span = by_id[span_id]
        mine, parent_id = extents[span_id], (span.trace_id, span.parent_id)
        parent = extents.get(parent_id)
        if parent is not None and parent.depth < mine.depth:
            started, ended = max(parent.last_start_ns, mine.last_start_ns), max(parent.end_ns, mine.end_ns)
            extents[parent_id] = _Extent(started, ended, parent.depth)
    return extents


def _above(by_id: dict[Id, SpanData], span: SpanData) -> Iterator[SpanData]:
    for _ in range(MAX_DEPTH):
        parent = by_id.get((span.trace_id, span.parent_id))
        if parent is None:
            return
        yield parent
        span = parent
