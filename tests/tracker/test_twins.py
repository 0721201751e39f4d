"""One call in two trees."""

from collections.abc import Callable
from typing import Any

import pytest
from tracker.trees import Sketch, agent, chain, from_file, model, new_tracker, spans_of, tool, tool_calls

from otel_loopwatch.tracker import RunEnded, replay

MS = 1_000_000
ARGS, SAME, OTHER = '{"q": 1}', '{"q":1}', '{"q": 2}'


def told_by(scope: str, at: tuple[int, int], **says: Any) -> Sketch:
    """A call in an agent's tree of its own; times in milliseconds."""
    start, end = (at_ms * MS for at_ms in at)
    return agent("x", tool("find", at=(start, end), scope=scope, **says), at=(1, 999 * MS), scope=scope)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        pytest.param(
            told_by("one", (10, 50), arguments=ARGS), told_by("two", (12, 48), arguments=SAME), 1, id="nested"
        ),
        pytest.param(
            told_by("one", (10, 50), arguments=ARGS), told_by("two", (12, 55), arguments=SAME), 1, id="overlapping"
        ),
        pytest.param(
            told_by("one", (10, 50), arguments="a"), told_by("two", (12, 55), arguments='{"q": "a"}'), 1, id="bare"
        ),
        pytest.param(told_by("one", (10, 50)), told_by("two", (12, 52)), 1, id="nothing known but the time"),
        pytest.param(told_by("one", (10, 12)), told_by("two", (11, 24)), 1, id="nothing known, but a fast tool"),
        pytest.param(
            told_by("one", (10, 50), arguments=ARGS), told_by("two", (48, 90), arguments=ARGS), 1, id="a moment shared"
        ),
        pytest.param(told_by("one", (10, 150)), told_by("two", (12, 14)), 2, id="nothing known, and not the same time"),
        pytest.param(
            told_by("one", (10, 50), arguments=ARGS), told_by("two", (12, 48), arguments=OTHER), 2, id="other arguments"
        ),
        pytest.param(
            told_by("one", (10, 50), arguments=ARGS), told_by("one", (12, 48), arguments=ARGS), 2, id="same source"
        ),
        pytest.param(told_by("one", (10, 50), arguments=ARGS), told_by("two", (60, 90), arguments=ARGS), 2, id="later"),
    ],
)
def test_a_call_told_by_two_instrumentations_counts_once(first: Sketch, second: Sketch, expected: int) -> None:
    """Another instrumentation, the same time, nothing known to differ: one call."""
    assert len(tool_calls(from_file(first, second))) == expected


@pytest.mark.parametrize(
    ("one", "other", "calls"), [("shop", "shop", 1), ("shop", "desk", 2), ("shop", "", 1), ("", "", 1)]
)
@pytest.mark.parametrize("told", [tool, model], ids=["calls", "responses"])
def test_what_other_services_do_at_the_same_time_is_their_own(
    told: Callable[..., Sketch], one: str, other: str, calls: int
) -> None:
    """Where the spans of many processes come together equal calls meet; one without a name may be any."""
    says = {"name": "find"} if told is tool else {}
    told_twice = [
        span._replace(service=service)
        for trace, service, scope in ((1, one, "one"), (2, other, "two"))
        for span in spans_of(
            agent("x", told(at=(10, 50), scope=scope, arguments=ARGS, tokens=7, **says), at=(1, 99), scope=scope),
            trace=trace,
        )
    ]
    found = [event for event in replay(told_twice, new_tracker()) if not isinstance(event, RunEnded)]
    assert len(found) == calls


@pytest.mark.parametrize("arguments", ["x" * 5000, {"x": "y" * 5000}, object()])
def test_arguments_too_large_to_remember_count_as_unknown(arguments: object) -> None:
    """Then only the time tells whether two instrumentations told one call."""
    first = told_by("one", (10, 150), arguments=arguments)
    assert len(tool_calls(from_file(first, told_by("two", (12, 152), arguments=ARGS)))) == 1
    assert len(tool_calls(from_file(first, told_by("two", (12, 14), arguments=ARGS)))) == 2


def test_parallel_equal_calls_have_one_twin_each() -> None:
    """Two equal calls at once, told twice, are two."""
    calls = [tool("find", at=(10, 50), arguments=ARGS), tool("find", at=(11, 52), arguments=ARGS)]
    twins = [
        tool("find", at=(12, 49), arguments=ARGS, scope="two"),
        tool("find", at=(13, 51), arguments=ARGS, scope="two"),
    ]
    told = tool_calls(from_file(agent("x", *calls, at=(1, 99)), agent("x", *twins, at=(1, 99))))
    assert len(told) == 2
    assert len({call.run for call in told}) == 1


def test_a_server_span_of_its_own_does_not_stand_for_the_call_of_an_agent() -> None:
    """The agent's call is told in its run; a span beneath that lost its parent is part of it."""
    alone = tool("find", at=(20, 30), arguments=ARGS, scope="server")
    told = tool_calls(from_file(agent("x", tool("find", at=(10, 50), arguments=ARGS), at=(1, 99)), alone))
    assert [call.agent for call in told] == ["x"]
    inside = tool("find", at=(20 * MS, 30 * MS), arguments=ARGS, scope="server")
    assert len(tool_calls(from_file(chain("app", told_by("one", (10, 30), arguments=ARGS)), inside))) == 1


def test_a_span_of_its_own_is_a_call_where_no_other_instrumentation_has_it_open() -> None:
    """Another tool at work, or the same instrumentation, tells nothing about it."""
    alone = tool("find", at=(20, 30), scope="server")
    for other in (tool("read", at=(10, 50)), tool("find", at=(10, 50), scope="server"), tool("find", at=(31, 50))):
        assert len(tool_calls(from_file(agent("x", other, at=(1, 99)), alone))) == 2
