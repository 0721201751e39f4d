"""The thread that judges: what it takes first, what it leaves, and clocks that it does not look at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Event

import pytest
from gateway.storing import DEADLINE_S, TRACES, until

from otel_loopwatch.gateway import judge as module
from otel_loopwatch.gateway.judge import Judge
from otel_loopwatch.gateway.memory import MemoryStore
from otel_loopwatch.gateway.signal import Request

SECOND = 10**9


class Judged:
    """What the thread asks for, in order; it waits where a test holds it."""

    def __init__(self) -> None:
        self.taken: list[int] = []
        self.passed_on: list[int] = []
        self.ticks = 0
        self.expired = 0
        self.drained = False
        self.held = 0
        self.go = Event()
        self.go.set()

    def take(self, position: int, request: Request, now_ns: int) -> None:
        self.go.wait(DEADLINE_S)
        self.taken.append(position)

    def pass_on(self, position: int) -> None:
        self.passed_on.append(position)

    def tick(self, now_ns: int, enough: Callable[[], bool]) -> None:
        self.ticks += 1

    def expire(self, now_ns: int) -> None:
        self.expired += 1

    def drain(self, enough: Callable[[], bool]) -> None:
        self.drained = True


class Broken(MemoryStore):
    """Its disk cannot be read."""

    def read(self, position: int) -> Request:
        raise OSError("the disk is gone")


class Clock:
    """Stands, but where a test has it go on."""

    def __init__(self) -> None:
        self.now = SECOND

    def __call__(self) -> int:
        return self.now


def filled(store: MemoryStore, count: int) -> list[int]:
    """Positions of requests that are kept."""
    return [store.append(TRACES) for _ in range(count)]


@pytest.fixture
def judged() -> Iterator[Judged]:
    """Let go at the end, whatever happened."""
    made = Judged()
    yield made
    made.go.set()


def test_what_an_earlier_process_left_is_judged_first(judged: Judged) -> None:
    """But for what that process had judged; then what comes, all of it before the end."""
    store = MemoryStore(1 << 20)
    left = filled(store, 4)
    judge = Judge(store, judged, judged={left[1]})  # type: ignore[arg-type]
    new = store.append(TRACES)
    judge.kept(new)
    assert judge.waiting == 4
    judge.start()
    assert judge.close(DEADLINE_S)
    assert judged.taken == [left[0], left[2], left[3], new]
    assert judged.drained
    assert judge.over


def test_a_request_that_is_no_more_is_passed_over(judged: Judged) -> None:
    """It was delivered, or is damaged."""
    store = MemoryStore(1 << 20)
    first, second = filled(store, 2)
    store.done(first)
    judge = Judge(store, judged)  # type: ignore[arg-type]
    judge.kept(first)
    judge.start()
    assert judge.close(DEADLINE_S)
    assert (judged.taken, judged.passed_on) == ([second], [])


def test_a_request_that_cannot_be_read_is_passed_on(judged: Judged, caplog: pytest.LogCaptureFixture) -> None:
    """Unjudged."""
    store = Broken(1 << 20)
    judge = Judge(store, judged)  # type: ignore[arg-type]
    judge.kept(store.append(TRACES))
    judge.start()
    assert judge.close(DEADLINE_S)
    assert (judged.taken, judged.passed_on) == ([], [1])
    assert "could not be read" in caplog.text


@pytest.mark.parametrize("failing", ["take", "tick", "expire", "drain"])
def test_the_thread_outlives_what_fails_in_it(
    judged: Judged, failing: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A request that it fails with goes on unjudged."""

    def broken(*arguments: object) -> None:
        raise ZeroDivisionError(failing)

    monkeypatch.setattr(judged, failing, broken)
    monkeypatch.setattr(module, "EXPIRES_S", 1e-9)
    store = MemoryStore(1 << 20)
    filled(store, 3)
    judge = Judge(store, judged)  # type: ignore[arg-type]
    judge.start()
    assert judge.close(DEADLINE_S)
    assert judged.taken + judged.passed_on == [1, 2, 3]
    assert "Loopwatch failed" in caplog.text


def test_what_is_held_is_looked_at_while_requests_keep_coming(judged: Judged, monkeypatch: pytest.MonkeyPatch) -> None:
    """A queue that is never empty holds nothing up; looked for old runs is, too."""
    monkeypatch.setattr(module, "TICK_S", 1e-9)
    monkeypatch.setattr(module, "EXPIRES_S", 1e-9)
    store = MemoryStore(1 << 20)
    filled(store, 500)
    judge = Judge(store, judged)  # type: ignore[arg-type]
    judge.start()
    assert judge.close(DEADLINE_S)
    assert len(judged.taken) == 500
    assert judged.ticks > 100
    assert judged.expired > 100


def test_there_is_an_end_whatever_waits(judged: Judged) -> None:
    """Time is up while a request is judged: the others are for the next start, what is held is judged."""
    store, clock = MemoryStore(1 << 20), Clock()
    filled(store, 5)
    judged.go.clear()
    judge = Judge(store, judged, clock=clock)  # type: ignore[arg-type]
    judge.start()
    until(lambda: judge.waiting == 4)
    clock.now += 3 * SECOND
    judge._until = clock.now - 1
    judged.go.set()
    until(lambda: judge.over)
    assert judged.taken == [1]
    assert judged.drained
    assert not judge.close(0)


def test_what_is_held_at_the_end_is_something_that_stays(judged: Judged) -> None:
    """Time was up."""
    judge = Judge(MemoryStore(1 << 20), judged)  # type: ignore[arg-type]
    judged.held = 1
    judge.start()
    assert judge.close(DEADLINE_S) is False
    assert judge.over


def test_one_that_was_never_started_ends_at_once(judged: Judged) -> None:
    """Nothing was judged."""
    judge = Judge(MemoryStore(1 << 20), judged)  # type: ignore[arg-type]
    assert judge.close(DEADLINE_S) is False
    assert judged.drained is False
