"""Spans of a file of any size, in portions that fit into memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from operator import itemgetter
from typing import Any

from otel_loopwatch.spans import SpanData

MAX_HELD = 1 << 28
"""Characters of attributes held at a time. In memory they take about twice as much."""
SPAN_WEIGHT = 500
"""Of a span without its attributes."""
NUMBER_WEIGHT = 8
MAX_DEPTH = 16


def windows(spans: Iterable[SpanData], limit: int = MAX_HELD) -> Iterator[list[SpanData]]:
    """The spans in portions, each in the file's order: all of them at once, unless they are more than ``limit``.

    A trace's spans come in any order, so they are kept until the file has moved on: whenever too much is held, the
    traces of which nothing was read for longest go first. A trace that is larger than all that comes in pieces.
    """
    held: OrderedDict[int, _Trace] = OrderedDict()
    total = 0
    for number, span in enumerate(spans):
        trace = held.setdefault(span.trace_id, _Trace())
        held.move_to_end(span.trace_id)
        total += trace.add(number, span)
        if total > limit:
            window: list[tuple[int, SpanData]] = []
            while held and total > limit // 2:
                _, quietest = held.popitem(last=False)
                total -= quietest.weight
                window += quietest.spans
            yield _in_order(window)
    if held:
        yield _in_order([numbered for trace in held.values() for numbered in trace.spans])


class _Trace:
    """The spans of a trace that are held, with their places in the file."""

    __slots__ = ("spans", "weight")

    def __init__(self) -> None:
        self.spans: list[tuple[int, SpanData]] = []
        self.weight = 0

    def add(self, number: int, span: SpanData) -> int:
        """Hold one more; its weight."""
        self.spans.append((number, span))
        added = weight(span)
        self.weight += added
        return added


def _in_order(numbered: list[tuple[int, SpanData]]) -> list[SpanData]:
    return [span for _, span in sorted(numbered, key=itemgetter(0))]


def weight(span: SpanData) -> int:
    """Roughly the characters of a span."""
    total = SPAN_WEIGHT + _of_attributes(span.attributes, MAX_DEPTH)
    for event in span.events:
        total += SPAN_WEIGHT + _of_attributes(event.attributes, MAX_DEPTH)
    return total


def _of_attributes(attributes: Mapping[str, Any], depth: int) -> int:
    """Most are short texts and numbers: 1 us for six of them, instead of 8 where each is asked what it is."""
    total = 0
    for key, value in attributes.items():
        total += len(key) + (len(value) if type(value) is str else _weight(value, depth - 1))
    return total


def _weight(value: object, depth: int) -> int:
    if isinstance(value, str):
        return len(value)
    if depth == 0 or not isinstance(value, (Mapping, list)):
        return NUMBER_WEIGHT
    if isinstance(value, Mapping):
        return _of_attributes(value, depth)
    return sum(NUMBER_WEIGHT + _weight(item, depth - 1) for item in value)
