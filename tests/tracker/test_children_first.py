"""Spans that are told as they end, children before parents, in batches of any size."""

from collections import defaultdict
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tracker.test_any_tree import accounted, forests, tools_in
from tracker.test_scope import TREES
from tracker.trees import Sketch, agent, calls, chain, ends, from_file, model, new_tracker, spans_of, tool, tool_calls

from otel_loopwatch.spans import SpanData
from otel_loopwatch.tracker import Tracked, Tracker
from otel_loopwatch.tracker.replay import go_on

NO_MODEL = {"an agent called as a tool", "tools beside the open agents, as OpenLLMetry writes them"}
"""Trees with an agent of which neither the span nor a model's is told before its call: nothing shows that it is one."""


def as_they_end(spans: Iterable[SpanData], size: int, tracker: Tracker | None = None) -> list[Tracked]:
    """What a tracker makes of spans told in the order of their ends, so many at a time."""
    if tracker is None:
        tracker = new_tracker(children_first=True)
    spans = sorted(spans, key=lambda span: span.end_ns)
    told = [event for at in range(0, len(spans), size) for event in go_on(spans[at : at + size], tracker)]
    return told + tracker.flush()


def by_run(told: list[Tracked]) -> list[list[int]]:
    """Spans of the calls that belong together, whatever their run is called."""
    runs = defaultdict(list)
    for call in tool_calls(told):
        runs[call.run].append(call.span_id)
    return sorted(runs.values())


@pytest.mark.parametrize("size", [1, 2, 3, 100])
@pytest.mark.parametrize("tree", [tree for name, (tree, _) in TREES.items() if name not in NO_MODEL])
def test_the_calls_of_a_run_belong_together_before_its_agent_is_told(tree: Sketch, size: int) -> None:
    """The runs are those of the whole file, and nothing is left when the last span was told."""
    tracker = new_tracker(children_first=True)
    assert by_run(as_they_end(spans_of(tree), size, tracker)) == by_run(from_file(tree))
    assert len(tracker) == 0


def test_a_run_ends_when_its_agent_is_told() -> None:
    """The run of a sub-agent ends with its span, the first run with the root."""
    tree = agent("helper", model(), agent("scout", model(), tool("find"), model()), tool("read"))
    told = as_they_end(spans_of(tree), 1)
    assert calls(told) == [("/", "find"), ("", "read")]
    assert ends(told) == [("/", "ended"), ("", "ended")]


def test_steps_of_an_agent_that_is_at_work_are_one_run() -> None:
    """Each step is told after its call, and the agent's own span is never told."""
    steps = spans_of(*(chain(f"step {index}", model(), tool("find")) for index in range(4)), parent=5)
    assert calls(as_they_end(steps, 1)) == [("", "find")] * 4


def test_a_repeated_span_is_a_duplicate_also_where_it_was_awaited() -> None:
    """A retried export tells a parent twice."""
    tracker = new_tracker(children_first=True)
    tree = spans_of(chain("request", agent("helper", model(), tool("find"))))
    by_name = {span.name: span for span in tree}
    told = [
        event for name in ("chat", "find", "helper", "helper", "request") for event in go_on([by_name[name]], tracker)
    ]
    assert calls(told) == [("", "find")]
    assert tracker.skipped["duplicate"] == 2


@given(forests(), st.integers(1, 14), st.sampled_from(["trace", "conversation", "role"]))
def test_every_tool_span_is_a_call_or_counted(spans: list[SpanData], size: int, run_key: str) -> None:
    """Nothing is raised, nothing is lost, and all state goes in the end."""
    tracker = new_tracker(children_first=True, run_key=run_key)
    told = as_they_end(spans, size, tracker)
    unreadable = tracker.skipped["unreadable"]
    assert accounted(told, tracker, spans) + unreadable >= tools_in(spans)
    tracker.expire(1 << 62)
    assert len(tracker) == 0
