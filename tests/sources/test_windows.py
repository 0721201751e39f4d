from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from otel_loopwatch.sources.windows import SPAN_WEIGHT, weight, windows
from otel_loopwatch.spans import SpanData, SpanEvent


def span(trace_id: int, text: str = "") -> SpanData:
    """A span of a trace."""
    return SpanData(trace_id=trace_id, attributes={"a": text})


def test_a_small_file_is_one_portion_in_its_order() -> None:
    """Traces that are mixed stay so."""
    spans = [span(1), span(2), span(1)]
    assert list(windows(spans)) == [spans]
    assert list(windows([])) == []


def test_the_quietest_traces_go_first() -> None:
    """A trace that is still being written stays whole."""
    spans = [span(trace_id) for trace_id in (1, 2, 2, 2, 3, 3, 3, 4, 1)]
    held = 8 * weight(span(1))
    assert [[one.trace_id for one in window] for window in windows(spans, held)] == [[2, 2, 2, 3, 3, 3], [1, 4, 1]]


@given(st.lists(st.tuples(st.integers(1, 5), st.text(max_size=50)), max_size=60), st.integers(0, 5000))
def test_nothing_is_lost_and_little_is_held(drawn: list[tuple[int, str]], limit: int) -> None:
    """Each portion is at most one span larger than the limit."""
    spans = [span(*one) for one in drawn]
    found = list(windows(spans, limit))
    assert sorted(map(repr, (one for window in found for one in window))) == sorted(map(repr, spans))
    assert all(sum(map(weight, window)) <= limit + SPAN_WEIGHT + 51 for window in found)


def test_structures_and_events_weigh_what_is_in_them() -> None:
    """Messages are kept as lists of objects, too."""
    long = "x" * 10_000
    heavy = SpanData(attributes={"m": [{"parts": [{"content": long}]}]}, events=(SpanEvent("e", {"n": long}),))
    assert weight(heavy) > 2 * len(long)
