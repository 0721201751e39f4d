"""Which run a limit ended: the one that lives in the span that tells, or around it."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from tracker.trees import READER, Sketch, agent, calls, chain, model, run_name, sketch, spans_of, tool

from otel_loopwatch.dialects import Limit
from otel_loopwatch.spans import Span
from otel_loopwatch.tracker import RunEnded, Tracked, Tracker, replay

TURNS = Limit.MAX_TURNS


def told_by_attribute(span: Span) -> Limit | None:
    """The limit as sketches tell it."""
    return span.attributes.get("limit")


def of_file(*roots: Sketch, run_key: str = "trace") -> list[Tracked]:
    """What a tracker makes of finished spans, limits included."""
    tracker = Tracker(reader=READER._replace(limit=told_by_attribute), run_key=run_key)
    return list(replay(spans_of(*roots), tracker))


def endings(told: Iterable[Tracked]) -> list[tuple[str, Limit | None]]:
    """Run and limit of each end."""
    return [(run_name(event.run), event.limit) for event in told if isinstance(event, RunEnded)]


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        (agent("a", tool("find"), limit=TURNS), [("", TURNS)]),
        (chain("root", agent("a", tool("find")), limit=TURNS), [("", None)]),
        (chain("root", tool("find"), limit=TURNS), [("", TURNS)]),
        (agent("a", tool("find"), chain("graph", limit=TURNS)), [("", TURNS)]),
        (agent("a", tool("find"), sketch("other", "step", chain("graph", limit=TURNS))), [("", TURNS)]),
        (agent("a", tool("find"), chain("graph", limit=TURNS), tool("find")), [("", None)]),
        (agent("a", tool("find"), chain("graph", limit=TURNS), model()), [("", None)]),
        (agent("a", tool("find"), tool("broken", limit=TURNS)), [("", None)]),
        (agent("a", tool("find"), tool("ask", chain("graph", limit=TURNS))), [("", None)]),
        (agent("a", tool("find"), tool("ask", agent("b", tool("read"), limit=TURNS))), [("/b", TURNS), ("", None)]),
        (agent("a", tool("find"), tool("ask", agent("b", tool("read"))), limit=TURNS), [("/b", None), ("", TURNS)]),
        (agent("a", limit=TURNS), []),
    ],
    ids=[
        "the agent's own span",
        "above, when the run is over",
        "the root of a trace without agents",
        "a span below the agent's",
        "a span far below",
        "a call afterwards: it went on",
        "a response afterwards: it went on",
        "a tool's own failure",
        "within a tool",
        "a sub-agent's",
        "the outer agent's",
        "a run that did nothing",
    ],
)
def test_the_run_around_the_span_ended_by_the_limit(tree: Sketch, expected: list[tuple[str, Limit | None]]) -> None:
    """What happens within a tool, or before the run went on, is no end of the run."""
    assert endings(of_file(tree)) == expected


def test_a_run_that_outlives_its_traces_does_not_end_by_a_limit() -> None:
    """With runs keyed by conversation no span is the end of one."""
    told = of_file(agent("a", tool("find"), conversation="c", limit=TURNS), run_key="conversation")
    assert (calls(told), endings(told)) == ([("c", "find")], [])
