"""Times of spans, as clients' clocks tell them."""

from __future__ import annotations

import pytest

from otel_loopwatch.gateway import clocks as module
from otel_loopwatch.gateway.clocks import Clocks
from otel_loopwatch.spans import SpanData

NOW, TOLERANCE = 1000, 10


def span(end_ns: int, trace_id: int = 1) -> SpanData:
    """One that took five."""
    return SpanData(trace_id, 7, start_ns=end_ns - 5, end_ns=end_ns)


def ends(clocks: Clocks, *spans: SpanData) -> list[int]:
    """When they ended, set right."""
    return [each.end_ns for each in clocks.set_right(spans)]


@pytest.mark.parametrize("end_ns", [5, 900, NOW, NOW + TOLERANCE])
def test_times_that_may_be_are_left_alone(end_ns: int) -> None:
    """Old ones, too: they were on their way for long, perhaps."""
    assert Clocks(TOLERANCE, lambda: NOW).set_right([span(end_ns)]) == [span(end_ns)]


def test_a_trace_of_the_future_is_set_back_as_a_whole() -> None:
    """Others are not."""
    clocks = Clocks(TOLERANCE, lambda: NOW)
    (first,) = clocks.set_right([span(5000)])
    assert (first.start_ns, first.end_ns) == (NOW - 5, NOW)
    assert ends(clocks, span(5040), span(4990), span(900, trace_id=2), span(2)) == [NOW + 40, NOW - 10, 900, 0]


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A trace that was forgotten is set back anew."""
    monkeypatch.setattr(module, "MAX_TRACES", 2)
    clocks = Clocks(TOLERANCE, lambda: NOW)
    assert ends(clocks, *(span(5000, trace_id=number) for number in range(3))) == [NOW] * 3
    assert ends(clocks, span(5100, trace_id=0), span(5100, trace_id=2)) == [NOW, NOW + 100]
