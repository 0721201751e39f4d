"""Whose run a call is part of."""

import pytest
from tracker.trees import (
    Growing,
    Sketch,
    agent,
    calls,
    chain,
    ends,
    from_file,
    live,
    model,
    new_tracker,
    spans_of,
    tool,
    tool_calls,
    turns,
)

from otel_loopwatch.tracker.naming import is_step

TREES: dict[str, tuple[Sketch, list[tuple[str, str]]]] = {
    "an agent's calls have the trace's key": (
        agent("helper", model(), tool("find"), chain("step", tool("read"))),
        [("", "find"), ("", "read")],
    ),
    "no agent at all": (chain("request", tool("find"), chain("inner", tool("read"))), [("", "find"), ("", "read")]),
    "a sub-agent": (
        agent("helper", model(), agent("scout", model(), tool("find")), tool("read")),
        [("/scout", "find"), ("", "read")],
    ),
    "parallel siblings of one name": (
        chain("flow", agent("scout", tool("a")), agent("scout", tool("b")), agent("scout", tool("c"))),
        [("", "a"), ("/scout#2", "b"), ("/scout#3", "c")],
    ),
    "an agent called as a tool": (
        agent(
            "helper",
            model(),
            tool("ask", agent("scout", model(), tool("find"))),
            tool("ask", agent("scout", tool("find"))),
        ),
        [("/scout", "find"), ("", "ask"), ("/scout#2", "find"), ("", "ask")],
    ),
    "a tool that calls others is an agent, and never the trace's first run": (
        agent("helper", tool("ask", tool("find"))),
        [("/ask", "find"), ("", "ask")],
    ),
    "agents that only wrap each other": (
        agent("workflow", chain("workflow", agent("helper", model(), chain("turn", model(), tool("find"))))),
        [("", "find")],
    ),
    "a handoff": (
        agent("flow", agent("front", model(), tool("hand over")), agent("back", model(), tool("find"))),
        [("", "hand over"), ("/back", "find")],
    ),
    "a model span is no scope": (agent("helper", model(tool("find"))), [("", "find")]),
    "tools beside the open agents, as OpenLLMetry writes them": (
        chain(
            "workflow",
            agent("front", at=(20, 900)),
            model(at=(30, 40)),
            tool("ask", at=(50, 500)),
            agent("back", at=(60, 400)),
            model(at=(61, 65)),
            tool("find", at=(70, 80)),
            at=(10, 1000),
        ),
        [("/back", "find"), ("", "ask")],
    ),
}


@pytest.mark.parametrize("name", TREES)
def test_a_call_belongs_to_the_nearest_agent(name: str) -> None:
    """The nearest agent, or tool that encloses others, owns a call; its key names it."""
    tree, expected = TREES[name]
    assert calls(from_file(tree)) == expected


LANGCHAIN = agent(
    "helper",
    chain("model", model(asks=[("c0", "ask", "{}")])),
    chain("tools", tool("ask", chain("scout", chain("model", model()), chain("tools", tool("find", agent="scout"))))),
    chain("model", model()),
    chain("tools", tool("ask", chain("scout", chain("model", model()), chain("tools", tool("find", agent="scout"))))),
)
UNSAID = agent(
    "helper",
    chain("model", model()),
    chain("tools", tool("ask", chain("scout", chain("model", model()), chain("tools", tool("find"), tool("read"))))),
    chain("model", model()),
    chain("tools", tool("ask", chain("scout", chain("model", model()), chain("tools", tool("find"))))),
)
STEPS = chain("app", chain("step 1", model(), tool("find")), chain("step 2", model(), tool("find")))


ROUNDS = chain("app", *[chain("node", model(), tool("find"))] * 3)
TWICE = chain("app", *[chain("graph", model(), tool("find"), model())] * 2)
BESIDE = chain(
    "app",
    chain("graph", model(at=(20, 30)), tool("find", at=(40, 50)), at=(11, 90)),
    chain("graph", model(at=(21, 31)), tool("find", at=(41, 51)), at=(12, 91)),
    at=(10, 99),
)


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        pytest.param(LANGCHAIN, ["/ask", "", "/ask#2", ""], id="the model's words tell which opaque span is a tool"),
        pytest.param(UNSAID, ["/scout", "/scout", "", "/scout#2", ""], id="a model inside tells which one is an agent"),
        pytest.param(STEPS, ["", ""], id="a step is no agent"),
        pytest.param(ROUNDS, ["", "", ""], id="a round with one response is no agent"),
        pytest.param(TWICE, ["", "/graph"], id="an agent called twice"),
        pytest.param(BESIDE, ["", "/graph"], id="agents beside each other"),
    ],
)
def test_agents_are_found_among_opaque_spans(tree: Sketch, expected: list[str]) -> None:
    """Spans that say nothing before their end are told apart by what happens beneath them."""
    told = live(spans_of(tree), new_tracker())
    assert [run.replace("/scout", "/ask") if expected[0] == "/ask" else run for run, _ in calls(told)] == expected


def test_live_and_file_agree_on_the_turns_of_an_agent_as_a_tool() -> None:
    """With content, opaque spans give the same turns as finished ones."""
    told = list(live(spans_of(LANGCHAIN), new_tracker()))
    assert [run != "" for run in turns(told)] == [run != "" for run in turns(from_file(LANGCHAIN))]
    assert [run for run, _ in ends(told)][-1] == ""


def test_a_span_that_speaks_up_after_its_start_is_believed() -> None:
    """Strands and OpenLLMetry say what a span is right after its start, when the tracker has seen it already."""
    tree = agent("x", chain("app", agent("scout", model(), tool("find"))), tool("read"))
    spans = [Growing(span) for span in spans_of(tree)]
    tracker = new_tracker()
    for span in spans:
        tracker.start(span)
        span.finish()
    told = [event for span in reversed(spans) for event in tracker.end(span)]
    assert calls(told) == [("", "read"), ("/scout", "find")]


@pytest.mark.parametrize(
    ("name", "expected"), [("step 3", True), ("agent_turns", True), ("turnkey", False), ("scout", False)]
)
def test_rounds_are_known_by_their_names(name: str, expected: bool) -> None:
    """A word for one round, on its own, makes a span a round."""
    assert is_step(name) is expected


def test_a_run_ends_with_its_agent_and_the_last_one_with_the_root() -> None:
    """Each run's end is told once, inner ones first."""
    told = from_file(agent("helper", model(), agent("scout", tool("find")), tool("read")))
    assert ends(told) == [("/scout", "ended"), ("", "ended")]


def test_the_tree_is_climbed_no_deeper_than_its_bound() -> None:
    """A call under a hundred nested spans still belongs to the trace."""
    tree = tool("find")
    for _ in range(100):
        tree = chain("deep", tree)
    assert [tool for _, tool in calls(from_file(agent("helper", tree)))] == ["find"]


@pytest.mark.parametrize(
    ("run_key", "expected"),
    [
        ("trace", ["", ""]),
        ("conversation", ["c-1", "c-2"]),
        ("tenant", ["acme", "acme"]),
        ("absent", ["", ""]),
    ],
)
def test_runs_may_be_keyed_by_what_spans_say(run_key: str, expected: list[str]) -> None:
    """A conversation (the call's own first) or an attribute of a span above keys the run; else the trace does."""
    tree = chain(
        "request", agent("helper", tool("a"), tool("b", conversation="c-2"), conversation="c-1"), tenant="acme"
    )
    assert [run for run, _ in calls(from_file(tree, run_key=run_key))] == expected


def test_each_agent_span_of_a_conversation_is_a_user_turn() -> None:
    """Two traces of one conversation are one run with two user turns, and no span ends it."""
    tracker = new_tracker(run_key="conversation")
    told = []
    for trace in (1, 2):
        for span in spans_of(agent("helper", tool("find"), conversation="c-1"), trace=trace, first_ns=trace * 1000):
            tracker.start(span)
            told += tracker.end(span) if span.name == "find" else []
    assert [(call.run, call.user_turn) for call in told] == [("c-1", 1), ("c-1", 2)]
    assert ends(told) == []


def test_agents_are_told_apart_within_a_conversation() -> None:
    """A run that spans several agents still names the one at work, in calls from spans and from messages."""
    tree = agent(
        "front",
        model(asks=[("c0", "ask", None)]),
        model(results=[("c0", "yes")]),
        agent("back", tool("find")),
        conversation="c-1",
    )
    told = tool_calls(from_file(tree, run_key="conversation"))
    assert [(call.run, call.tool, call.agent, call.user_turn) for call in told] == [
        ("c-1", "ask", "front", 1),
        ("c-1", "find", "back", 1),
    ]
    assert {call.scope_span_id for call in told} == {0}
