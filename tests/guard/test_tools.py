"""What a tool is told, in what time it has to end, and how its results are classed."""

from __future__ import annotations

from threading import Event
from typing import Any

import pytest
from guard.agent import Clock, Script, guarded

from otel_loopwatch.guard import After, Limits, Result, ResultKind, tool
from otel_loopwatch.guard.ledger import OperationState, open_ledger
from otel_loopwatch.guard.tools import as_tool


@pytest.mark.parametrize(
    ("result", "kind"),
    [
        ("Seven lamps are in stock in the north depot.", ResultKind.SUCCESS),
        ([], ResultKind.SUCCESS),
        (None, ResultKind.SUCCESS),
        (Result(ResultKind.FATAL, "no such column"), ResultKind.FATAL),
        (TimeoutError("slow"), ResultKind.RETRYABLE),
        (ConnectionResetError("gone"), ResultKind.RETRYABLE),
        (PermissionError("denied"), ResultKind.PRECONDITION),
        (FileNotFoundError("a.txt"), ResultKind.PRECONDITION),
        (KeyError("order"), ResultKind.PRECONDITION),
        (ValueError("no number"), ResultKind.FATAL),
        ("Error: 429 Too Many Requests", ResultKind.RETRYABLE),
        ("Error: permission denied", ResultKind.PRECONDITION),
        ({"status": "running"}, ResultKind.PENDING),
    ],
)
def test_a_result_has_one_kind(result: object, kind: ResultKind) -> None:
    """As declared, else by what was raised, else by its text."""
    with guarded() as run:
        assert run.attempt(Script([result]), {"x": 1}).kind is kind


@pytest.mark.parametrize(
    ("result", "state", "after"),
    [
        ({"receipt": 1}, OperationState.DONE, After.COMPLETE),
        ({"status": "queued"}, OperationState.DONE, After.COMPLETE),
        (object(), OperationState.DONE, After.COMPLETE),
        (Result(ResultKind.PENDING, "taken on"), OperationState.CLAIMED, After.WAIT_BOUNDED),
        (Result(ResultKind.RETRYABLE, "not now"), OperationState.RELEASED, After.RETRY_AFTER_BACKOFF),
        (Result(ResultKind.FATAL, "no account"), OperationState.RELEASED, After.STOP_PARTIAL),
        (PermissionError("denied"), OperationState.RELEASED, After.NEEDS_CHANGED_PRECONDITION),
        ("Error: 503 Service Unavailable", OperationState.IN_DOUBT, After.STOP_PARTIAL),
        (TimeoutError("slow"), OperationState.IN_DOUBT, After.STOP_PARTIAL),
        (ValueError("what?"), OperationState.IN_DOUBT, After.STOP_PARTIAL),
    ],
)
def test_what_became_of_a_side_effect_is_in_the_ledger(result: object, state: OperationState, after: After) -> None:
    """Released only where it is known not to have happened; done only where it happened."""
    ledger = open_ledger(":memory:", Clock())
    with guarded(ledger=ledger) as run:
        attempt = run.attempt(tool(side_effect=True)(Script([result])), {"x": 1}, operation_key="k")
    operation = ledger.get("k")
    assert operation is not None
    assert (operation.state, attempt.after) == (state, after)


def test_a_pending_side_effect_is_confirmed() -> None:
    """From then on it gives what was confirmed."""
    pay = tool(name="pay", side_effect=True)(script := Script([Result(ResultKind.PENDING, "taken on")]))
    with guarded(clock := Clock()) as run:
        run.attempt(pay, {"x": 1}, operation_key="k")
        clock.sleep(10)
        assert run.attempt(pay, {"x": 1}, operation_key="k").after is After.STOP_PARTIAL
        run.confirm("k", pay, {"receipt": 1})
        assert run.call(pay, {"x": 1}, operation_key="k") == {"receipt": 1}
    assert script.count == 1


def test_a_tool_that_takes_a_timeout_is_told_the_seconds_left() -> None:
    """The least of its own limit and the run's."""
    told: list[float] = []

    def fetch(url: str, timeout: float) -> str:
        told.append(timeout)
        return f"page {url} of {len(told)}"

    with guarded(clock := Clock(), limits=Limits(seconds=10)) as run:
        run.call(fetch, {"url": "a"})
        clock.sleep(4)
        run.call(tool(timeout_s=30)(fetch), {"url": "b"})
        run.call(tool(timeout_s=2)(fetch), {"url": "c", "timeout": 99})
    assert told == [10, 6, 2]


def test_a_hung_tool_is_abandoned_and_its_side_effect_in_doubt() -> None:
    """The run goes on when the time is over; the thread may not."""
    go_on, ledger = Event(), open_ledger(":memory:", Clock())

    def pay(**arguments: Any) -> None:
        go_on.wait(60)

    with guarded(ledger=ledger) as run:
        attempt = run.attempt(tool(side_effect=True, timeout_s=0.01)(pay), operation_key="k")
    go_on.set()
    operation = ledger.get("k")
    assert operation is not None
    assert operation.state is OperationState.IN_DOUBT
    assert isinstance(attempt.error, TimeoutError)


def test_a_tool_within_its_time_gives_its_value_and_its_error() -> None:
    """As it does without a limit of time; a built-in function has no parameters to be read."""
    with guarded(limits=Limits(seconds=60)) as run:
        assert run.call(Script(["page"], "fetch"), {"url": "a"}) == "page"
        assert isinstance(run.attempt(Script([ValueError("b")], "fetch"), {"url": "b"}).error, ValueError)
        assert run.call(tool(name="now")(dict), {"a": 1}) == {"a": 1}


async def waiting() -> None:
    """A coroutine function."""


@pytest.mark.parametrize(
    ("known", "rule"),
    [
        ({"key": lambda arguments: "k"}, "key is given for tool; only a tool with side_effect=True"),
        ({"timeout_s": 0}, "timeout_s is 0; it must be a number of seconds above 0"),
        ({"lease_s": float("inf")}, "lease_s is inf; it must be a number of seconds above 0"),
    ],
)
def test_a_tool_that_cannot_be_is_refused(known: dict[str, Any], rule: str) -> None:
    """Naming the argument, its value and the rule."""
    with pytest.raises(ValueError, match=rule):
        tool(**known)(Script())


def test_coroutine_functions_are_refused() -> None:
    """Nothing awaits them."""
    with pytest.raises(ValueError, match="tool is waiting; it must not be a coroutine function"):
        tool(waiting)


def test_a_side_effect_needs_a_key_and_nothing_else_has_one() -> None:
    """Said before anything runs."""
    script = Script()
    with guarded() as run:
        with pytest.raises(ValueError, match="operation_key is None; tool has a side effect and must have one"):
            run.attempt(tool(side_effect=True)(script), {})
        with pytest.raises(ValueError, match="operation_key is 'k'; only a tool with side_effect=True has one"):
            run.attempt(script, {}, operation_key="k")
    assert script.count == 0


def test_a_tool_is_still_its_function() -> None:
    """Called by itself, it is unguarded."""

    @tool
    def double(number: int) -> int:
        return 2 * number

    assert double(4) == 8
    assert as_tool(double) is double
    assert double.name == "double"
