"""Files: finished spans in any order."""

import random

import pytest
from tracker.trees import READER, agent, calls, chain, ends, model, new_tracker, spans_of, tool, turns

from otel_loopwatch.spans import SpanData
from otel_loopwatch.tracker import replay
from otel_loopwatch.tracker.replay import in_time_order


def order(spans: list[SpanData]) -> list[str]:
    """Names as they start (+) and end (-)."""
    return [("-" if ends_now else "+") + span.name for span, ends_now in in_time_order(spans)]


def span(name: str, span_id: int, parent: int, start: int, end: int) -> SpanData:
    """A finished span."""
    return SpanData(1, span_id, parent, name, start_ns=start, end_ns=end)


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        pytest.param([span("p", 1, 0, 5, 9), span("c", 2, 1, 5, 9)], "+p +c -c -p", id="equal times"),
        pytest.param(
            [span("a", 2, 1, 1, 5), span("b", 3, 1, 5, 9), span("p", 1, 0, 1, 9)], "+p +a -a +b -b -p", id="siblings"
        ),
        pytest.param([span("c", 2, 1, 9, 9), span("p", 1, 0, 1, 9)], "+p +c -c -p", id="no length"),
        pytest.param([span("p", 1, 0, 1, 3), span("c", 2, 1, 2, 9)], "+p +c -c -p", id="a child that ends later"),
        pytest.param([span("p", 1, 0, 9, 3)], "+p -p", id="an end before its start"),
        pytest.param([span("p", 1, 1, 1, 3)], "+p -p", id="its own parent"),
        pytest.param([span("a", 1, 2, 1, 3), span("b", 2, 1, 2, 4)], "+a +b -a -b", id="a ring"),
    ],
)
def test_spans_start_and_end_in_the_order_of_their_times(spans: list[SpanData], expected: str) -> None:
    """Parents start first and end last, whatever their clocks say; what ends makes way for what starts."""
    assert order(spans) == expected.split()


def test_the_order_of_a_file_does_not_matter() -> None:
    """Shuffled spans tell the same."""
    tree = agent("x", model(), tool("find"), agent("y", model(), tool("find"), tool("read")), model(), tool("find"))
    told = list(replay(spans_of(tree), new_tracker()))
    shuffled = spans_of(tree)
    random.Random(3).shuffle(shuffled)
    assert list(replay(shuffled, new_tracker())) == told
    assert len(calls(told)) == 4


def test_a_repeated_span_is_counted_and_skipped() -> None:
    """Retried exports write a span twice."""
    tracker = new_tracker()
    spans = spans_of(agent("x", tool("find")))
    assert calls(replay([*spans, spans[1]], tracker)) == [("", "find")]
    assert tracker.skipped["duplicate"] == 1


def test_an_agent_whose_span_was_never_written_is_one_run() -> None:
    """The root of an agent that still runs, or was killed, is missing: its steps belong together all the same."""
    tracker = new_tracker()
    steps = spans_of(*(chain(f"step {index}", model(), tool("find")) for index in range(3)), parent=5)
    told = list(replay(steps, tracker))
    assert calls(told) == [("", "find")] * 3
    assert turns(told) == [""] * 3
    assert ends(told) == []
    assert tracker.skipped["late"] == 0


def test_one_tracker_reads_many_files() -> None:
    """What one file says does not disturb the next."""
    tracker = new_tracker()
    for trace in (1, 2):
        assert len(calls(replay(spans_of(agent("x", tool("find")), trace=trace), tracker))) == 1
    assert len(tracker) == 0
    assert tracker.reader is READER
