"""The clocks of clients: one that is far ahead must not have the runs of all others look as if they were long over."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable

from otel_loopwatch.spans import SpanData

MAX_TRACES = 10_000
"""Of which it is remembered by how much they are ahead."""


class Clocks:
    """Sets back the times of traces that come from the future, each by as much as it was ahead when it was seen first.

    So the times between their spans stay what they are. ``tolerance_ns``: those that are ahead by less are left alone.
    ``clock`` gives ns since the epoch. Clocks that are behind harm nobody: such spans may as well have been on their
    way for long.
    """

    def __init__(self, tolerance_ns: int, clock: Callable[[], int] = time.time_ns) -> None:
        self._tolerance_ns = tolerance_ns
        self._clock = clock
        self._ahead: OrderedDict[int, int] = OrderedDict()
        """By trace, ns."""

    def set_right(self, spans: Iterable[SpanData]) -> list[SpanData]:
        """The spans, with times that may be."""
        now = self._clock()
        return [self._set_right(span, now) for span in spans]

    def _set_right(self, span: SpanData, now: int) -> SpanData:
        ahead = self._ahead.get(span.trace_id)
        if ahead is None:
            if span.end_ns - now <= self._tolerance_ns:
                return span
            ahead = self._remember(span.trace_id, span.end_ns - now)
        return span._replace(start_ns=max(0, span.start_ns - ahead), end_ns=max(0, span.end_ns - ahead))

    def _remember(self, trace_id: int, ahead: int) -> int:
        self._ahead[trace_id] = ahead
        if len(self._ahead) > MAX_TRACES:
            self._ahead.popitem(last=False)
        return ahead
