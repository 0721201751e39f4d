from __future__ import annotations

import pytest

from otel_loopwatch.dialects import MessageCall, MessageResult
from otel_loopwatch.model import ToolCall
from otel_loopwatch.sources.transcript import Transcript
from otel_loopwatch.tracker.events import RunEnded

SECOND = 1_000_000_000


def call(call_id: str | None, tool: str = "look") -> MessageCall:
    """A call."""
    return MessageCall(call_id, tool, {})


def test_times_that_are_missing_or_run_backwards_go_on() -> None:
    """One second per event, and never back."""
    transcript = Transcript("r", "test")
    assert list(transcript.ask(call("a"), 10 * SECOND)) == []
    (first,) = transcript.answer(MessageResult("a", "x"))
    assert list(transcript.ask(call("b"), 5 * SECOND)) == []
    (second,) = transcript.answer(MessageResult("b", "y"), 20 * SECOND)
    assert (first.start_ns, first.end_ns) == (10 * SECOND, 11 * SECOND)
    assert (second.start_ns, second.end_ns) == (11 * SECOND, 20 * SECOND)


def test_calls_that_wait_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest is told without its answer."""
    monkeypatch.setattr("otel_loopwatch.sources.transcript.MAX_WAITING", 2)
    transcript = Transcript("r", "test")
    told = [one for number in range(4) for one in transcript.ask(call(str(number), f"t{number}"))]
    assert [(one.tool, one.result) for one in told] == [("t0", None), ("t1", None)]
    rest = list(transcript.end())
    assert [one.tool for one in rest if isinstance(one, ToolCall)] == ["t2", "t3"]
    assert rest[-1] == RunEnded("r", "ended")


@pytest.mark.parametrize(
    ("asked", "answered", "expected"),
    [
        (["a", "b"], ["b", "a"], ["b", "a"]),
        (["a", "a"], ["a", "a"], ["a", "a"]),
        ([None, None], [None, None], [None, None]),
        (["a", "b"], ["x", "y"], ["a", "b"]),
        (["a", "b"], ["a", "y"], ["a"]),
        (["a"], ["a", "a"], ["a"]),
    ],
    ids=["ids", "one id for all", "no ids", "ids of another kind", "an id unknown among known ones", "one too many"],
)
def test_answers_find_their_calls(
    asked: list[str | None], answered: list[str | None], expected: list[str | None]
) -> None:
    """By id where ids match at all, else in order."""
    transcript = Transcript("r", "test")
    for call_id in asked:
        assert list(transcript.ask(call(call_id))) == []
    told = [one for call_id in answered for one in transcript.answer(MessageResult(call_id, "x"))]
    assert [one.call_id for one in told] == expected
