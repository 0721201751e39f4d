"""Arbitrary trees, orders, repetitions and losses."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tracker.trees import Growing, new_tracker, tool_calls

from otel_loopwatch.spans import SpanData
from otel_loopwatch.tracker import Tracked, Tracker, replay

NAMES = st.sampled_from(["find", "read", "execute_tool find", "chat", "step 1", ""])
ASKS = st.lists(st.tuples(st.sampled_from(["c0", "c1", None]), st.just("find"), st.none()), max_size=2)
RESULTS = st.lists(st.tuples(st.sampled_from(["c0", "c1", "c9", None]), st.just("r")), max_size=3)
SAYS = st.one_of(
    st.fixed_dictionaries({"role": st.just("tool"), "arguments": st.sampled_from([None, "1", "{"])}),
    st.fixed_dictionaries({"role": st.just("model"), "asks": ASKS, "history": ASKS, "results": RESULTS}),
    st.fixed_dictionaries({"role": st.just("agent"), "conversation": st.sampled_from([None, "k"])}),
    st.just({"role": "other"}),
    st.just({}),
)
TIMES = st.integers(0, 2**40)


@st.composite
def forests(draw: st.DrawFn) -> list[SpanData]:
    """Spans of a few traces, under each other, under themselves or under spans that do not exist."""
    spans = []
    for span_id in range(1, draw(st.integers(1, 14)) + 1):
        start = draw(TIMES)
        says: dict[str, Any] = draw(SAYS)
        parent = draw(st.integers(0, 15))
        trace, scope = draw(st.integers(1, 3)), draw(st.sampled_from("ab"))
        end = start + draw(st.integers(-5, 100))
        spans.append(SpanData(trace, span_id, parent, draw(NAMES), scope, says, (), False, "", start, end))
    return spans


def tools_in(spans: list[SpanData]) -> int:
    """How many of the spans are tools'."""
    return Counter(span.attributes.get("role") for span in spans)["tool"]


def from_tools(told: list[Tracked], spans: list[SpanData]) -> int:
    """How many calls were read from tool spans."""
    ids = {span.span_id for span in spans if span.attributes.get("role") == "tool"}
    return sum(call.span_id in ids for call in tool_calls(told))


def accounted(told: list[Tracked], tracker: Tracker, spans: list[SpanData]) -> int:
    """Tool spans that became calls or were counted as skipped."""
    return from_tools(told, spans) + tracker.skipped["duplicate"] + tracker.skipped["unfinished"]


@given(forests(), st.sampled_from(["trace", "conversation", "role"]))
def test_every_tool_span_of_a_file_is_a_call_or_counted(spans: list[SpanData], run_key: str) -> None:
    """Nothing is raised, nothing is lost, no span tells two calls, and all state goes in the end."""
    tracker = new_tracker(run_key=run_key)
    told = list(replay(spans, tracker))
    assert accounted(told, tracker, spans) >= tools_in(spans) >= from_tools(told, spans)
    tracker.expire(2**62)
    assert len(tracker) == 0


@given(forests(), st.randoms(use_true_random=False), st.integers(1, 3))
def test_any_order_of_live_spans_is_survived(spans: list[SpanData], random: Any, cap: int) -> None:
    """Starts and ends come in any order, twice or never; the tables stay under their caps."""
    tracker = new_tracker(max_traces=cap)
    growing = [Growing(span) for span in spans]
    steps = [(span, ends) for span in growing for ends in (False, True, True) if random.random() > 0.2]
    random.shuffle(steps)
    told: list[Tracked] = []
    for span, ends in steps:
        if ends:
            told += tracker.end(span.finish())
        else:
            tracker.start(span)
        assert len(tracker) <= 3 * cap
    told += tracker.flush()
    tracker.expire(2**62)
    assert len(tracker) == 0
    assert from_tools(told, spans) <= sum(ends for _, ends in steps)


@given(forests())
def test_a_file_tells_the_same_each_time(spans: list[SpanData]) -> None:
    """The same spans give the same calls, turns and ends."""
    assert list(replay(spans, new_tracker())) == list(replay(spans, new_tracker()))
