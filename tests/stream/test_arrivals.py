"""Spans as they arrive."""

import pytest

from otel_loopwatch.spans import SpanData
from otel_loopwatch.stream import Arrivals, Portion
from otel_loopwatch.stream import arrivals as module


def span(span_id: int, trace_id: int = 1, end_ns: int = 0) -> SpanData:
    """A finished span."""
    return SpanData(trace_id, span_id, end_ns=end_ns)


def ids(portions: list[Portion]) -> list[list[int]]:
    """Spans of each portion."""
    return [[span.span_id for span in portion.spans] for portion in portions]


def test_the_spans_of_a_trace_wait_for_each_other() -> None:
    """From the first on; what came in between goes with it, and another trace by its own time."""
    held = Arrivals(window_ns=10)
    held.add([span(1), span(2)], 7, now_ns=100)
    held.add([span(3), span(4, trace_id=2)], 8, now_ns=105)
    assert list(held.due(109)) == []
    first = list(held.due(110))
    assert ids(first) == [[1, 2, 3]]
    assert first[0].sources == [7, 7, 8]
    assert ids(list(held.due(115))) == [[4]]
    assert len(held) == 0


def test_nothing_waits_where_there_is_no_window() -> None:
    """A log has its own order."""
    held = Arrivals(window_ns=0)
    held.add([span(1)], 1, now_ns=5)
    assert ids(list(held.due(5))) == [[1]]


def test_a_request_holds_several_traces() -> None:
    """It is told which, to know when all of it was judged."""
    held = Arrivals(window_ns=10)
    assert held.add([span(1), span(2, trace_id=2)], 1, now_ns=0) == {1, 2}
    assert held.add([span(1)], 2, now_ns=0) == set()


@pytest.mark.parametrize("given", [False, True], ids=["held", "given out"])
def test_a_span_that_comes_again_is_dropped(given: bool) -> None:
    """A request is exported again where its answer was lost."""
    held = Arrivals(window_ns=0)
    held.add([span(1)], 1, now_ns=0)
    if given:
        assert ids(list(held.due(0))) == [[1]]
    assert held.add([span(1), span(1)], 2, now_ns=1) == set()
    assert held.counts["duplicate"] == 2


def test_what_ended_before_what_was_given_out_is_late() -> None:
    """It is counted, and given out all the same."""
    held = Arrivals(window_ns=0)
    held.add([span(1, end_ns=50)], 1, now_ns=0)
    assert ids(list(held.due(0))) == [[1]]
    held.add([span(2, end_ns=49), span(3, end_ns=50), span(4, trace_id=2, end_ns=1)], 2, now_ns=1)
    assert ids(list(held.due(1))) == [[2, 3], [4]]
    assert held.counts["late"] == 1


def test_the_longest_held_go_early_where_there_is_no_room() -> None:
    """Until the others fit."""
    held = Arrivals(window_ns=1000, max_held=2)
    for number in range(4):
        held.add([span(number, trace_id=number)], number, now_ns=number)
    assert ids(list(held.due(4))) == [[0], [1]]
    assert held.counts["early"] == 2
    assert len(held) == 2


def test_at_the_end_all_that_is_held_is_given_out() -> None:
    """The oldest first."""
    held = Arrivals(window_ns=1000)
    held.add([span(1), span(2, trace_id=2)], 1, now_ns=0)
    assert ids(list(held.rest())) == [[1], [2]]
    assert list(held.rest()) == []


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids and ends of long ago are forgotten: then a repetition is new."""
    monkeypatch.setattr(module, "MAX_REMEMBERED", 3)
    held = Arrivals(window_ns=0)
    for number in range(5):
        held.add([span(number, trace_id=number)], number, now_ns=0)
        list(held.due(0))
    assert held.add([span(0, trace_id=0)], 9, now_ns=0) == {0}
    assert held.add([span(4, trace_id=4)], 9, now_ns=0) == set()
