"""What a run remembers can be forgotten as a whole, and saved and restored as a whole."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from engine.story import START_NS, Part, call, fails, story, times
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_loopwatch.engine import Engine, State
from otel_loopwatch.model import LoopSignal, ModelTurn, ToolCall
from otel_loopwatch.numbers import Trend
from otel_loopwatch.runs import Run
from otel_loopwatch.settings import Budget, Settings

SECRET = "petunia"
"""Stands in all arguments, results and errors of `EVERYTHING`."""
BOOK = [f"{SECRET} line {number} of the harbour book" for number in range(60)]

EVERYTHING: list[Part] = [
    times(3, call("send_letter", {"to": SECRET, "text": f"{SECRET} is on her way"}, "sent")),
    [call("replace", {"old": f"{SECRET} {n % 2}", "new": f"{SECRET} {1 - n % 2}"}, f"{SECRET} {n % 2} is replaced here")
     for n in range(6)],
    [call("read_book", {"path": f"/{SECRET}/book", "offset": n, "limit": 40 - 2 * n}, "\n".join(BOOK[n : 40 - n]))
     for n in range(6)],
    [call("search", {"q": q}, f"{SECRET} was not seen at the harbour") for q in
     (f"{SECRET} red lamp", f"lamp red {SECRET} on", f"the lamp of {SECRET}", f"red {SECRET} lamp on")],
    [call("poll", {"who": SECRET}, f"{SECRET} has {n % 2} of her lamps lit since 10:00:0{n}, and no more than those")
     for n in range(6)],
    times(4, call("look", {"at": SECRET}, f"{SECRET} sits at the pier and reads", state=f"state of {START_NS}")),
    times(4, fails("book", {"who": SECRET}, f"{SECRET} is not allowed on the pier")),
]  # fmt: skip
"""Something for every memory there is."""

STAYS = {
    "key", "group", "agent", "calls", "turns", "tokens", "wasted", "signals", "in_vain", "repeat_max", "progressed",
    "first_ns", "last_ns", "last_progress_ns", "tool_calls", "spent", "attempt_count",  # the run as a whole
    "user_turn", "version", "state",  # what was declared
    "burst",  # closed by who makes the run forget
    "epoch",  # of a window that is empty, and so are those below
    "state_attempt", "failure", "failure_attempt", "reread",
    "asked", "results", "names",  # which requests, results and tools are the same, not what was done
}  # fmt: skip
"""Fields of a run that are no memory of what it did."""


def fresh() -> Engine:
    """An engine with a budget, so that there is something to be spent."""
    return Engine(Settings(budget=Budget(turns=1)))


def filled() -> Engine:
    """An engine with a run in which every memory holds something."""
    engine = fresh()
    for number in range(3):
        engine.observe_turn(ModelTurn(run="story", end_ns=START_NS + number, tokens=5))
    for number, item in enumerate(story(EVERYTHING)):
        engine.observe(
            msgspec.structs.replace(
                item, agent="guide", run="story", user_turn=1, progress_version=1, span_id=number + 1
            )
        )
    return engine


def run_of(engine: Engine) -> Run:
    """Its only run."""
    return next(iter(engine._runs))


def emptied(run: Run) -> dict[str, Any]:
    """The fields of a run that are as at its beginning."""
    beginning = Run(key="")
    names = (field.name for field in msgspec.structs.fields(Run))
    return {name: getattr(run, name) for name in names if getattr(run, name) == getattr(beginning, name)}


def test_every_memory_is_filled() -> None:
    """The story leaves nothing out: a new memory needs a line in it."""
    assert emptied(run_of(filled())) == {}


def test_forgetting_empties_every_memory() -> None:
    """A field is a memory and emptied, or is named among those that stay."""
    run = run_of(filled())
    before = set(emptied(run))
    run.forget()
    names = {field.name for field in msgspec.structs.fields(Run)}
    assert set(emptied(run)) - before == names - STAYS


def test_a_new_start_is_a_new_start() -> None:
    """After the user spoke, what comes is judged as if it were the first."""
    engine, other = filled(), fresh()
    for target in (engine, other):
        target.observe(ToolCall(run="story", tool="greet", user_turn=2, end_ns=START_NS + 10**12))
    later = [msgspec.structs.replace(item, run="story", user_turn=2) for item in story(EVERYTHING)]
    assert list(map(essence, following(engine, later))) == list(map(essence, following(other, later)))


def essence(found: list[LoopSignal]) -> list[tuple[Any, ...]]:
    """What signals say, but for numbers of calls of the whole run."""
    return [(signal.kind, signal.level, signal.tools, signal.count, signal.reason) for signal in found]


def following(engine: Engine, calls: list[ToolCall]) -> list[list[LoopSignal]]:
    """Signals at each call."""
    return [list(engine.observe(item).signals) for item in calls]


def test_a_saved_engine_tells_nothing() -> None:
    """No word of an argument, a result or an error is in its bytes."""
    state = filled().save()
    assert b"send_letter" in state
    assert SECRET.encode() not in state
    for word in (b"harbour", b"allowed", b"lamp"):
        assert word not in state


def test_saved_memories_come_back() -> None:
    """A restored run is equal to the saved one, field by field."""
    engine, other = filled(), fresh()
    other.restore(engine.save())
    assert run_of(other) == run_of(engine)


PARTS = st.sampled_from([part for row in EVERYTHING for part in (row if isinstance(row, list) else [row])])


@settings(max_examples=40, deadline=None)
@given(st.lists(PARTS, max_size=25))
def test_a_restored_engine_goes_on_as_before(parts: list[Part]) -> None:
    """Whatever comes next, the signals are those that the saved engine gives from there on."""
    engine, other = filled(), fresh()
    other.restore(engine.save())
    later = [msgspec.structs.replace(item, run="story", user_turn=1) for item in story(parts)]
    assert following(other, later) == following(engine, later)


@pytest.mark.parametrize("state", [b"", b"x", msgspec.msgpack.encode({"runs": 1}), msgspec.msgpack.encode([1])])
def test_other_bytes_are_refused(state: bytes) -> None:
    """What is no saved engine changes nothing."""
    engine = fresh()
    with pytest.raises(msgspec.DecodeError):
        engine.restore(state)
    assert len(engine) == 0


def test_numbers_of_results_are_not_saved() -> None:
    """A balance that is looked at again and again stays out of the saved state, in front of the text and within it."""
    engine = Engine()
    for number in range(4):
        result = f"{90_000 + number}) The balance of the harbour is {7_654_321 - 1_000 * number} crowns today"
        engine.observe(ToolCall(run="r", tool="balance", arguments={"of": "harbour"}, result=result))
    restored = msgspec.msgpack.decode(engine.save(), type=State).runs[0]
    assert [streak.trend for streak in restored.streaks.values()] == [Trend()]
    assert restored.results.numbered == {}
