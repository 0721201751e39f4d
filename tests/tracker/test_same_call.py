"""One call that several spans tell."""

import pytest
from tracker.trees import (
    Sketch,
    agent,
    calls,
    chain,
    from_file,
    live,
    model,
    new_tracker,
    sketch,
    spans_of,
    tool,
    tool_calls,
)

ARGS = '{"q": 1}'


def client(name: str, *kids: Sketch) -> Sketch:
    """An MCP client's span, which knows no arguments."""
    return tool(f"tools/call {name}", *kids, tool=name)


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        pytest.param(
            tool("find", client("find", chain("send", client("find", client("find"))))), ["find"], id="four deep"
        ),
        pytest.param(tool("mcp__docs__find", client("find")), ["mcp__docs__find"], id="with the server's name"),
        pytest.param(tool("find.tool", tool("find")), ["find.tool"], id="with a suffix"),
        pytest.param(
            tool("find", tool("find", arguments=ARGS), arguments='{"q":1}'), ["find"], id="written differently"
        ),
        pytest.param(
            tool("find", tool("find", arguments='{"q": 2}'), arguments=ARGS), ["find", "find"], id="other arguments"
        ),
        pytest.param(tool("find", agent("x", tool("find"))), ["find", "find"], id="an agent between"),
        pytest.param(tool("find", model(tool("find"))), ["find", "find"], id="a model between"),
        pytest.param(tool("find", tool("read")), ["read", "find"], id="another tool inside"),
        pytest.param(agent("x", tool("find"), tool("find")), ["find", "find"], id="siblings are two calls"),
    ],
)
def test_a_call_told_by_nested_spans_counts_once(tree: Sketch, expected: list[str]) -> None:
    """Spans of one tool within each other are one call, unless something shows that they are not."""
    assert [name for _, name in calls(from_file(agent("helper", tree)))] == expected


def test_what_nested_spans_tell_is_put_together() -> None:
    """The outer span's words come first, the inner ones fill the gaps, and a failure of any is a failure."""
    tree = tool("find", tool("find", arguments=ARGS, result="inner", call_id="c", failed=True), result="outer")
    (call,) = tool_calls(from_file(tree))
    assert (call.arguments, call.result, call.call_id, call.failed) == (ARGS, "outer", "c", True)
    assert call.span_id == spans_of(tree)[0].span_id


def test_a_cut_value_matters_only_where_it_is_used() -> None:
    """An inner span's cut value is no harm where the outer one is whole."""
    cut = tool("find", arguments='{"q', truncated=True)
    whole = from_file(
        tool("find", cut, arguments=None, result="r"),
        tool("find", tool("find", truncated=True), arguments=ARGS, result="r"),
    )
    assert [call.truncated for call in tool_calls(whole)] == [True, False]


@pytest.mark.parametrize("outer", ["find", "execute_tool find", "FindTool"])
def test_an_opaque_span_around_the_same_call_does_not_double_it(outer: str) -> None:
    """Whether or not its name shows that it is the tool, a span that says so only at its end is not one more call."""
    tracker = new_tracker()
    spans = spans_of(agent("x", sketch("tool", outer, tool("find", arguments=ARGS), tool="find", result="r")))
    told = tool_calls(live(spans, tracker))
    assert [(call.tool, call.arguments) for call in told] == [("find", ARGS)]
    assert tracker.skipped["duplicate"] == 1


def test_a_call_held_for_a_span_that_is_something_else_is_told_after_all() -> None:
    """An opaque span may only have the tool's name."""
    told = live(spans_of(agent("x", chain("find", tool("find", arguments=ARGS)))), new_tracker())
    assert [call.arguments for call in tool_calls(told)] == [ARGS]


def test_a_call_held_for_a_span_that_never_ends_is_told_by_a_flush() -> None:
    """Nothing is silently lost."""
    tracker = new_tracker()
    outer, inner = spans_of(tool("find", tool("find", arguments=ARGS)))
    tracker.start(outer)
    tracker.start(inner)
    assert tracker.end(inner) == []
    assert [call.arguments for call in tool_calls(tracker.flush())] == [ARGS]


def test_an_unreadable_tool_span_is_counted() -> None:
    """A tool span without a readable call is no call."""
    tracker = new_tracker()
    assert tool_calls(live(spans_of(tool("x", unreadable=True)), tracker)) == []
    assert dict(tracker.skipped) == {"unreadable": 1}
