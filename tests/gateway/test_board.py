"""The board: what it keeps of runs, within which bounds, and who is told."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from gateway.boards import NOW, RUN, SECOND, TRACE, board_and_orders, call, ended, looping, turn
from live_agent import SIGNAL

from otel_loopwatch.control.decisions import RunDecision
from otel_loopwatch.gateway import board as module
from otel_loopwatch.gateway import rulings, timeline, watched
from otel_loopwatch.gateway.board import Board, Event, Wanted
from otel_loopwatch.gateway.shown import Brief, RunState, Whole
from otel_loopwatch.gateway.waiters import Change, Topic, Waiter, Waiters
from otel_loopwatch.model import Action, Observation, Outcome
from otel_loopwatch.stream import Seen

ALL = Wanted(limit=1000)


def by_loopwatch(action: Action, run: str = RUN) -> RunDecision:
    """A decision of the gateway's own control."""
    return RunDecision(run=run, action=action, version=0, reason="It repeats itself.")


def whole(board: Board, run: str = RUN) -> Whole:
    """A run the board knows."""
    known = board.run(run)
    assert known is not None
    return known


def states(board: Board) -> list[str]:
    """How runs stand, the newest activity first."""
    return [run.state.value for run in board.runs(ALL)]


def test_a_run_is_shown_with_its_calls_and_its_loop() -> None:
    """Digests and times, no content; numbers that JavaScript would round are text."""
    board, *_ = board_and_orders()
    board.take(call(number=1), "shop")
    board.take(looping(number=8))
    run = whole(board)
    assert (run.run, run.trace_id, run.agent, run.service, run.calls) == (RUN, RUN, "support", "shop", 8)
    assert (run.state, run.first_ns, run.last_ns) == (RunState.LOOPING, str(NOW), str(NOW + 8 * SECOND))
    assert [(each.n, each.tool, each.fingerprint, each.result) for each in run.timeline] == [
        (1, "search", f"{0xABC:016x}", f"{0xDEF:016x}"),
        (8, "search", f"{0xABC:016x}", f"{0xDEF:016x}"),
    ]
    assert run.timeline[0].end_ns == str(NOW + SECOND)
    assert run.timeline[0].outcome is Outcome.SUCCESS
    assert run.loop == run.loops[0]
    assert run.loops[0].id == replace(SIGNAL, run=RUN, call=8, span_id=8).id
    assert (run.loops[0].span_id, run.loops[0].first_span_id) == (f"{8:016x}", "")


def test_what_was_not_captured_is_unknown() -> None:
    """No digest stands for it."""
    board, *_ = board_and_orders()
    event = call().event
    board.take(Seen(event, observation=Observation(None, None, Outcome.UNKNOWN)))
    (shown,) = whole(board).timeline
    assert (shown.fingerprint, shown.result, shown.outcome) == (None, None, Outcome.UNKNOWN)


def test_a_run_goes_through_its_states() -> None:
    """Live, looping, live again as it recovers, halted and resumed, ended; a late call makes it live once more."""
    board, orders, _ = board_and_orders()
    board.take(turn())
    seen = states(board)
    board.take(looping())
    seen += states(board)
    board.take(call(number=9, recovered=(SIGNAL,)))
    seen += states(board)
    assert whole(board).loops[0].recovered
    orders.halt(RUN, "Ana", "It is enough.")
    seen += states(board)
    orders.resume(RUN, "Ben")
    board.take(ended())
    seen += states(board)
    board.take(call(number=10))
    assert [*seen, *states(board)] == ["live", "looping", "live", "halted", "ended", "live"]


def test_an_unknown_run_does_not_begin_with_its_end() -> None:
    """Nothing is shown of it."""
    board, *_ = board_and_orders()
    board.take(ended())
    assert len(board) == 0
    assert board.run(RUN) is None


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({}, ["c", "b", RUN]),
        ({"limit": 1}, ["c"]),
        ({"tool": "fetch"}, ["b"]),
        ({"agent": "support"}, ["b", RUN]),
        ({"state": RunState.LOOPING}, ["c"]),
        ({"state": RunState.ENDED}, []),
        ({"text": "SHOP"}, [RUN]),
        ({"text": "fet"}, ["b"]),
        ({"text": RUN[:9]}, ["c", "b", RUN]),
        ({"text": "nobody"}, []),
    ],
    ids=str,
)
def test_runs_are_found(wanted: dict[str, Any], found: list[str]) -> None:
    """By state, tool, agent and any part of a name; the newest activity first."""
    board, *_ = board_and_orders()
    board.take(call(RUN), "Shop")
    board.take(call("b", tool="fetch"))
    board.take(looping("c", agent="writer"))
    assert [run.run for run in board.runs(Wanted(**{"limit": 10, **wanted}))] == found


def test_the_quietest_run_makes_room() -> None:
    """By their number, and by the bytes they take; the last one stays whatever it takes."""
    board, *_ = board_and_orders(max_runs=2)
    for run in ("a", "b", "a", "c"):
        board.take(call(run))
    assert [run.run for run in board.runs(ALL)] == ["c", "a"]
    small, *_ = board_and_orders(max_bytes=watched.BYTES_PER_RUN)
    for run in ("a", "b"):
        small.take(call(run))
    assert [run.run for run in small.runs(ALL)] == ["b"]
    small.take(looping("b"))
    assert small.bytes > watched.BYTES_PER_RUN + watched.BYTES_PER_LOOP


def test_a_run_keeps_its_last_calls_loops_and_names() -> None:
    """Names beyond the bound are shown as one; what a model names at length is cut."""
    board, *_ = board_and_orders()
    for number in range(timeline.MAX_CALLS + 5):
        board.take(looping(number=number, tool=f"tool-{number}" + "x" * 200))
    run = whole(board)
    assert len(run.timeline) == timeline.MAX_CALLS
    assert run.timeline[0].n == 5
    assert len(run.timeline[0].tool) == 128
    assert run.timeline[-1].tool == "_OTHER"
    assert len(run.loops) == watched.MAX_LOOPS
    before = board.bytes
    board.take(looping(number=1000, tool="one more"))
    assert board.bytes == before


@pytest.mark.parametrize("argument", ["max_runs", "max_bytes"])
def test_a_board_without_room_is_refused(argument: str) -> None:
    """At set-up, in one line."""
    with pytest.raises(ValueError, match=f"{argument} is 0; it must be at least 1"):
        Board(**{argument: 0})


def test_a_run_is_meant_by_its_trace_too() -> None:
    """Where runs are keyed by a conversation: the trace it is in by now."""
    board, orders, _ = board_and_orders()
    board.take(call("chat-7"))
    assert board.key_of(RUN) == "chat-7"
    assert orders.halt(RUN, "Ana", "Stop.").run == "chat-7"
    board.take(call("chat-7", trace_id=TRACE + 1))
    assert board.key_of(RUN) == RUN
    assert board.key_of(f"{TRACE + 1:032x}") == "chat-7"
    one, *_ = board_and_orders(max_runs=1)
    for run in ("chat-7", "chat-8"):
        one.take(call(run))
    assert one.key_of(RUN) == RUN, "the trace was the first one's"


def test_a_decision_is_given_what_is_known_of_its_run() -> None:
    """Trace and agent, from the board or from the key; version and time."""
    board, *_ = board_and_orders()
    board.take(call("chat-7"))
    known, unknown = (board.decide(by_loopwatch(Action.HALT, run)) for run in ("chat-7", f"{RUN}/writer"))
    assert (known.trace_id, known.agent, known.at_ns) == (RUN, "support", NOW)
    assert (unknown.trace_id, unknown.agent) == (RUN, None)
    assert known.version < unknown.version <= board.version
    assert board.version_of("chat-7") > known.version
    assert board.version_of(f"{RUN}/writer") == unknown.version
    assert board.version_of("nothing") == 0


def test_loopwatch_does_not_lift_a_halt() -> None:
    """A person does; then it may halt again."""
    board, orders, _ = board_and_orders()
    halted = orders.halt(RUN, "Ana", "Stop.")
    for action in (Action.NUDGE, Action.BLOCK, Action.CONTINUE):
        assert board.decide(by_loopwatch(action)) == halted
    orders.resume(RUN, "Ana")
    assert not board.decision(RUN).halts
    board.decide(by_loopwatch(Action.HALT))
    assert board.decision(RUN).halts


def test_decisions_are_remembered_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also about runs nobody knows."""
    monkeypatch.setattr(rulings, "MAX_RUNS", 2)
    board, orders, _ = board_and_orders()
    for run in ("a", "b", "c"):
        orders.halt(run, "Ana", "Stop.")
    assert [board.decision(run).halts for run in ("a", "b", "c")] == [False, True, True]
    board.take(call("c"))
    for _ in range(rulings.MAX_PER_RUN):
        orders.resume("c", "Ana")
    assert len(whole(board, "c").decisions) == rulings.MAX_PER_RUN
    assert whole(board, "c").decision == whole(board, "c").decisions[-1]


def test_what_changed_is_told_in_the_order_it_happened() -> None:
    """A run that changed twice is told once, as it is now; whoever was told goes on from there."""
    board, orders, _ = board_and_orders()
    start = board.version
    board.take(call("a"))
    board.take(looping("b"))
    board.take(call("a", 2))
    orders.halt("b", "Ana", "Stop.")
    told = board.told_since(start)
    assert [(each.event, each.data.run) for each in told] == [
        (Event.LOOP, "b"), (Event.RUN, "a"), (Event.DECISION, "b"), (Event.RUN, "b"),
    ]  # fmt: skip
    assert [each.version for each in told] == sorted({each.version for each in told})
    assert isinstance(told[1].data, Brief)
    assert told[1].data.calls == 2
    assert board.told_since(told[-1].version) == []
    assert board.told_since(told[1].version) == told[2:]
    assert board.told_since(start, (Event.DECISION,)) == [told[2]]
    assert board.told_since(start, run="a") == [told[1]]
    assert board.told_since(board.version + 1) == told, "a version of another life"


def test_many_changes_are_told_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    """None is left out, and the first come first."""
    monkeypatch.setattr(module, "AT_ONCE", 2)
    board, *_ = board_and_orders()
    version, told = board.version, []
    for run in "abcde":
        board.take(call(run))
    while portion := board.told_since(version):
        version = portion[-1].version
        told.append("".join(each.data.run for each in portion))
    assert told == ["ab", "cd", "e"]


def test_versions_rise_over_a_restart() -> None:
    """Even where the clock went back: those of the restored decisions count, too."""
    _, orders, _ = board_and_orders()
    halted = orders.halt(RUN, "Ana", "Stop.")
    later = Board(clock=lambda: NOW - SECOND)
    later.restore([halted])
    assert later.decision(RUN) == halted
    assert later.decide(by_loopwatch(Action.HALT)).version > halted.version


def test_a_call_of_which_little_is_known_is_counted() -> None:
    """Without a trace, and not judged: nothing of it is on the timeline."""
    board, *_ = board_and_orders()
    seen = call("chat-7", trace_id=0)
    board.take(Seen(seen.event, run=seen.run))
    run = whole(board, "chat-7")
    assert (run.calls, run.trace_id, run.timeline) == (1, "", [])


def test_who_waited_in_a_loop_that_is_over_is_not_woken() -> None:
    """Nor is whoever wakes disturbed by it."""

    async def made() -> Waiter:
        return Waiter()

    waiter = asyncio.run(made())
    waiter.wake()
    with pytest.raises(RuntimeError, match="no running event loop"):
        Waiter()
    waiter.wake()


def test_waiters_of_one_run_come_and_go() -> None:
    """The last one closes the door."""

    async def waiting(waiters: Waiters) -> list[int]:
        topic = Topic(Change.RUN, RUN)
        with waiters.waiting(topic) as first:
            with waiters.waiting(topic):
                numbers = [len(waiters)]
            waiters.wake(Change.RUN, RUN)
            waiters.wake(Change.RUN, "another")
            numbers += [len(waiters), int(await first.changed(1)), int(await first.changed(0))]
        return [*numbers, len(waiters)]

    assert asyncio.run(waiting(Waiters())) == [2, 1, 1, 0, 0]
