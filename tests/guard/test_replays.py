"""The classic ways in which agents get stuck, replayed: the counter of the tool says whether the guard held."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from itertools import permutations
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from guard.agent import Clock, Script, guarded
from guard.dying import crash

from otel_loopwatch.guard import After, Before, Limits, Result, ResultKind, Stopped, tool
from otel_loopwatch.guard.ledger import OperationState, open_ledger
from otel_loopwatch.scenarios import SCENARIOS

TIMES = 40
"""As often as a stuck agent tries."""
SEEN = "The warranty of the lamp is not mentioned in the documents of this shop."
PAY = {"order": "4711", "cents": 1900}


def paying(script: Script) -> Any:
    """A tool with a side effect."""
    return tool(name="pay", side_effect=True, key=lambda arguments: f"pay-{arguments['order']}")(script)


def test_exact_repeat_is_refused() -> None:
    """The same question with the same answer: after some calls none reaches the tool any more."""
    search, clock = Script([SEEN], "search"), Clock()
    with guarded(clock) as run:
        for _ in range(TIMES):
            clock.sleep(1)
            last = run.attempt(search, {"query": "warranty"})
    assert search.count <= 8
    assert (last.before, last.after) == (Before.STOP_PARTIAL, After.STOP_PARTIAL)


def test_argument_jitter_is_the_same_call() -> None:
    """Order, spelling and prose of the arguments do not make another question."""
    search, clock = Script([SEEN], "search"), Clock()
    jitter: list[dict[str, Any]] = [
        {"query": "warranty", "page": 1},
        {"page": 1.0, "query": " Warranty"},
        {"query": "WARRANTY", "page": 1, "reason": "once more"},
        {"query": "warranty", "page": "1", "lang": None},
    ]
    with guarded(clock) as run:
        for number in range(TIMES):
            clock.sleep(1)
            run.attempt(search, jitter[number % len(jitter)])
    assert search.count <= 8


def test_two_calls_in_turns_are_refused() -> None:
    """ABAB: two tools that undo each other run a few rounds, and no more."""
    opening, closing, clock = (
        Script(["The ticket is open now."], "open_ticket"),
        Script(["It is closed."], "close"),
        Clock(),
    )
    with guarded(clock) as run:
        for _ in range(TIMES):
            clock.sleep(1)
            run.attempt(opening, {"ticket": 7})
            clock.sleep(1)
            run.attempt(closing, {"ticket": 7})
    assert opening.count <= 8
    assert closing.count <= 8


def test_no_progress_is_refused() -> None:
    """Four readings in ever another order, and nothing new comes back."""
    results = {step.tool: step.result for step in SCENARIOS["no_progress"].steps}
    readers = [Script([result], name) for name, result in results.items()]
    orders, clock = list(permutations(readers)), Clock()
    with guarded(clock) as run:
        for number in range(TIMES):
            for reader in orders[(7 * number) % len(orders)]:
                clock.sleep(2)
                run.attempt(reader, {"reference": "A123"})
    assert sum(reader.count for reader in readers) <= TIMES


def test_a_failure_that_passes_is_retried_in_time() -> None:
    """No try before its time, each wait longer, and the fourth one succeeds."""
    fetch, clock = (
        Script([TimeoutError("slow"), ConnectionError("gone"), TimeoutError("slow"), "page"], "fetch"),
        Clock(),
    )
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        early = run.attempt(fetch, {"url": "a"})
        assert (early.before, early.after) == (Before.STOP_PARTIAL, After.RETRY_AFTER_BACKOFF)
        waits.append(seconds)
        clock.sleep(seconds)

    with guarded(clock) as run:
        assert run.call(fetch, {"url": "a"}, sleep=sleep) == "page"
    assert fetch.count == 4
    assert waits == [1, 2, 4]


def test_a_failure_that_does_not_pass_uses_up_its_retries() -> None:
    """One try and three retries, however often it is asked."""
    fetch, clock = Script([TimeoutError("slow")], "fetch"), Clock()
    with guarded(clock) as run:
        for _ in range(TIMES):
            clock.sleep(100)
            last = run.attempt(fetch, {"url": "a"})
    assert fetch.count == 4
    assert last.after is After.STOP_PARTIAL


def test_a_side_effect_happens_once() -> None:
    """Every further call of the operation gives what the first one gave."""
    pay = Script([{"receipt": 1}, {"receipt": 2}])
    with guarded() as run:
        given = [run.call(paying(pay), PAY) for _ in range(TIMES)]
    assert pay.count == 1
    assert given == [{"receipt": 1}] * TIMES


def test_a_side_effect_with_other_arguments_under_its_key_is_not_executed() -> None:
    """The key stands for what was paid: another sum is a case for a person."""
    pay = Script([{"receipt": 1}])
    with guarded() as run:
        run.call(paying(pay), PAY)
        other = run.attempt(paying(pay), {**PAY, "cents": 990})
    assert pay.count == 1
    assert other.before is Before.STOP_PARTIAL


def test_a_deliberate_second_execution_is_authorised() -> None:
    """A new key, the old one named, and who allowed it: then, and once, it runs again."""
    pay = Script([{"receipt": 1}, {"receipt": 2}])
    again = {"operation_key": "pay-4711-again", "repeats": "pay-4711", "authorisation": "Ada"}
    with guarded() as run:
        run.call(paying(pay), PAY)
        assert [run.call(paying(pay), PAY, **again) for _ in range(3)] == [{"receipt": 2}] * 3
    assert pay.count == 2


def test_polling_waits_and_ends() -> None:
    """A pending answer is asked for at its times, and not for ever."""
    status, clock = Script([Result(ResultKind.PENDING, "at it")], "job_status"), Clock()
    with pytest.raises(Stopped) as stopped, guarded(clock, limits=Limits(wait_s=60)) as run:
        run.call(status, {"job": 1}, sleep=clock.sleep)
    assert stopped.value.attempt.after is After.STOP_PARTIAL
    assert status.count == 6
    assert run.report is not None
    assert run.report.termination.value == "budget_exhausted"


def test_polling_with_progress_is_never_blocked() -> None:
    """Progress that rises starts every window afresh, whatever the run has made in all."""
    status, clock = Script([Result(ResultKind.PENDING, "at it")], "job_status"), Clock()
    with guarded(clock, limits=Limits(tool_calls=3, turns=3, wait_s=300), progress_version=0) as run:
        for version in range(1, TIMES + 1):
            clock.sleep(120)
            run.turn()
            run.attempt(status, {"job": 1})
            run.progress(version)
    assert status.count == TIMES


def test_a_resumed_run_does_not_take_where_it_stands_for_progress() -> None:
    """The version of the checkpoint is where it starts from."""
    status = Script(["x"], "job_status")
    with guarded(limits=Limits(tool_calls=2), progress_version=7) as run:
        for _ in range(TIMES):
            run.attempt(status, {"job": 1})
            run.progress(7)
    assert status.count == 2


def test_equal_keys_at_the_same_time_execute_once() -> None:
    """Of many threads one pays; the others are told that somebody is at it, or what it gave."""
    begun, go_on = Event(), Event()
    pay = Script()

    def slow(**arguments: Any) -> object:
        begun.set()
        go_on.wait(10)
        return pay(**arguments)

    made = tool(name="pay", side_effect=True)(slow)
    with guarded() as run, ThreadPoolExecutor(8) as pool:
        first = pool.submit(run.attempt, made, PAY, operation_key="pay-4711")
        assert begun.wait(10)
        others = list(pool.map(lambda _: run.attempt(made, PAY, operation_key="pay-4711"), range(7)))
        go_on.set()
        assert first.result(10).after is After.COMPLETE
    assert pay.count == 1
    assert {other.before for other in others} == {Before.STOP_PARTIAL}


def test_a_process_that_died_while_paying_leaves_the_payment_in_doubt(tmp_path: Path) -> None:
    """The next one does not pay again; once a person has found out that it did not happen, it does."""
    path = str(tmp_path / "ledger.db")
    process = multiprocessing.get_context("spawn").Process(target=crash, args=(path, "pay-4711", PAY))
    process.start()
    process.join(60)
    assert process.exitcode == 3
    pay, ledger = Script(), open_ledger(path, Clock())
    with guarded(ledger=ledger) as run:
        assert run.attempt(paying(pay), PAY).before is Before.STOP_PARTIAL
        assert pay.count == 0
        assert ledger.resolve("pay-4711", OperationState.RELEASED, "Ada")
        assert run.attempt(paying(pay), PAY).after is After.COMPLETE
    assert pay.count == 1


def test_a_restarted_run_does_not_repeat_what_is_done(tmp_path: Path) -> None:
    """The ledger outlives the run."""
    pay, path = Script([{"receipt": 1}]), tmp_path / "ledger.db"
    for _ in range(3):
        with guarded(ledger=path) as run:
            assert run.call(paying(pay), PAY) == {"receipt": 1}
    assert pay.count == 1


@pytest.mark.parametrize("lost", [TimeoutError("no answer"), ConnectionError("reset"), KeyError("receipt")])
def test_a_lost_answer_leaves_the_operation_in_doubt(lost: Exception) -> None:
    """It may have happened: no time and no retry makes it run again."""
    pay, clock = Script([lost]), Clock()
    with guarded(clock) as run:
        first = run.attempt(paying(pay), PAY)
        clock.sleep(10_000)
        again = run.attempt(paying(pay), PAY)
    assert pay.count == 1
    assert first.after is again.after is After.STOP_PARTIAL


def test_what_is_denied_waits_for_its_permission() -> None:
    """Not before the permission is shown to have changed; a first version shown later is a change."""
    pay, clock = Script([PermissionError("denied"), PermissionError("denied"), {"receipt": 1}]), Clock()
    with guarded(clock, preconditions={"pay": "role: reader"}) as run:
        for _ in range(TIMES):
            clock.sleep(100)
            denied = run.attempt(paying(pay), PAY)
            run.precondition("pay", "role: reader")
        assert pay.count == 1
        assert (denied.after, denied.precondition) == (After.NEEDS_CHANGED_PRECONDITION, "pay")
        run.precondition("pay", "role: writer")
        run.attempt(paying(pay), PAY)
        run.attempt(paying(pay), PAY)
        assert pay.count == 2
        run.precondition("pay", "role: owner")
        assert run.call(paying(pay), PAY) == {"receipt": 1}
    assert pay.count == 3


def test_what_fails_for_good_is_not_tried_again() -> None:
    """One call, whatever time passes."""
    parse, clock = Script([ValueError("no number")], "parse"), Clock()
    with guarded(clock) as run:
        for _ in range(TIMES):
            clock.sleep(100)
            run.attempt(parse, {"text": "x"})
        run.attempt(parse, {"text": "y"})
    assert [call["text"] for call in parse.calls] == ["x", "y"]
