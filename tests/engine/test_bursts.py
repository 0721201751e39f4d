from __future__ import annotations

import pytest
from engine.story import call, fails, stops, story, times, together, warns, watch

from otel_loopwatch.bursts import MAX_SIGNALS, MOVED_ON
from otel_loopwatch.engine import Engine
from otel_loopwatch.model import Kind, Level, LoopSignal, Observation, ToolCall

FIRST, LAST = warns(Kind.IDENTICAL), stops(Kind.IDENTICAL)
TIDE = call("read_tide", {"port": 4}, "High water at the north pier this evening")
WIND = call("read_wind", {"mast": 2}, "Wind from the west at the second mast")
REWORDED = ["tide table", "table of harbour tides", "harbour table", "tide of harbour", "harbour tide table"] * 4


def news(number: int, start: int = 0) -> list[object]:
    """Calls that each bring something new."""
    return [call("open_page", {"n": n}, f"Page {n}k tells of knot {n}k") for n in range(start, start + number)]


def observed(calls: list[ToolCall]) -> tuple[Engine, list[Observation]]:
    """A fresh engine, and what it made of each call."""
    engine = Engine()
    return engine, [engine.observe(item) for item in calls]


def recovered(calls: list[ToolCall]) -> list[tuple[int, LoopSignal]]:
    """Numbers of the calls that got out of a loop, and the loops."""
    return [(number, loop) for number, seen in enumerate(observed(calls)[1], 1) for loop in seen.recovered]


@pytest.mark.parametrize(
    ("parts", "levels"),
    [
        ([times(FIRST - 1, TIDE)], []),
        ([times(LAST - 1, TIDE)], [FIRST]),
        ([times(30, TIDE)], [FIRST, LAST]),
        ([times(FIRST, TIDE), news(MOVED_ON - 1), times(FIRST, TIDE)], [FIRST]),
        ([times(FIRST, TIDE), news(MOVED_ON), times(FIRST, TIDE)], [FIRST, FIRST + MOVED_ON + 2]),
        ([times(FIRST, TIDE), times(FIRST, WIND)], [FIRST, 2 * FIRST]),
        ([times(FIRST, TIDE), times(FIRST, WIND), times(FIRST, TIDE)], [FIRST, 2 * FIRST]),
    ],
    ids=["too few", "once", "once per level", "noise does not end it", "again after progress", "another loop", "back"],
)
def test_a_loop_is_told_of_once_per_level(parts: list[object], levels: list[int]) -> None:
    """A burst raises one signal per level; a loop of other tools has its own; after progress it may be raised anew."""
    assert [number for number, _, _ in watch(story(*parts))] == levels  # type: ignore[arg-type]


def test_loops_that_alternate_are_each_told_of_once() -> None:
    """Two reworded searches in turns are two loops, not one signal per call."""
    calls = story([[call("search_a", {"q": q}, "No results found."), call("search_b", {"q": q}, [])] for q in REWORDED])
    signals = watch(calls)
    assert len(signals) == 2, signals
    assert {kind for _, kind, _ in signals} <= {Kind.DRIFT, Kind.PING_PONG, Kind.NO_PROGRESS}


def test_many_loops_do_not_pile_up() -> None:
    """What is remembered of a burst is bounded, however many tools take part in it."""
    engine, _ = observed(
        story(
            [times(FIRST, call(f"tool{n}", {}, "The very same text as at all times")) for n in range(3 * MAX_SIGNALS)]
        )
    )
    run = next(iter(engine._runs))
    assert run.burst is not None
    assert len(run.burst.signals) == MAX_SIGNALS


def test_moving_on_is_recovery() -> None:
    """The loop that was signalled comes back as recovered, once, with the last call that was needed."""
    found = recovered(story(times(FIRST, TIDE), news(3 * MOVED_ON)))
    assert [(number, loop.kind, loop.tools) for number, loop in found] == [
        (FIRST + MOVED_ON, Kind.IDENTICAL, ("read_tide",))
    ]


def test_siblings_are_one_step_forward() -> None:
    """One response with many new answers is one attempt, so it alone does not end a loop."""
    one = story(times(FIRST, TIDE), together(1, news(MOVED_ON)))
    several = story(times(FIRST, TIDE), [together(n, news(2, 2 * n)) for n in range(MOVED_ON)])
    assert recovered(one) == []
    assert [number for number, _ in recovered(several)] == [FIRST + 2 * MOVED_ON - 1]


@pytest.mark.parametrize(
    ("first", "then"),
    [({"user_turn": 1}, {"user_turn": 2}), ({"progress_version": 1}, {"progress_version": 2})],
    ids=["a user turn", "declared progress"],
)
def test_a_fresh_start_is_recovery(first: dict[str, int], then: dict[str, int]) -> None:
    """A user turn or declared progress ends the loop at once."""
    tide = ("read_tide", {"port": 4}, "High water at the north pier this evening")
    found = recovered(story(times(FIRST, call(*tide, **first)), call(*tide, **then)))
    assert [number for number, _ in found] == [FIRST + 1]


@pytest.mark.parametrize(
    ("parts", "wasted"),
    [
        ([times(FIRST - 1, TIDE)], 0),
        ([times(FIRST, TIDE)], FIRST - 1),
        ([times(20, TIDE)], 19),
        ([times(20, TIDE), news(5)], 19),
        ([times(FIRST, TIDE), news(MOVED_ON), times(FIRST, WIND)], 2 * (FIRST - 1)),
        ([times(7, TIDE), news(MOVED_ON), times(7, WIND), news(MOVED_ON, 9)], 2 * 6),
        ([times(FIRST, TIDE), times(FIRST, WIND)], 2 * (FIRST - 1)),
        ([times(4, fails("save", {"n": 1}, "disk is full"))], 3),
    ],
    ids=[
        "none yet",
        "at the signal",
        "one by one",
        "news costs nothing",
        "two loops",
        "long ones",
        "at once",
        "failures",
    ],
)
def test_wasted_calls_add_up(parts: list[object], wasted: int) -> None:
    """Every call of a loop after its first is counted once, over all loops of the run."""
    engine, seen = observed(story(*parts))  # type: ignore[arg-type]
    summary = engine.summary("story")
    assert summary is not None
    assert summary.wasted_calls == sum(item.wasted for item in seen) == wasted


def test_a_second_payment_is_told_of_during_another_loop() -> None:
    """A loop of other tools does not hide a side effect that was executed twice."""
    pay = call("send_payment", {"to": "acme", "cents": 900}, "Payment is on its way to the bank")
    signals = watch(story(times(FIRST, TIDE), times(2, pay)))
    assert (FIRST + 2, Kind.DUPLICATE_WRITE, Level.WARNING) in signals
