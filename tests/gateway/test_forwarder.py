"""Forwarding: what goes on, in which order, again, with which marks, and what is left when the gateway ends."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator
from queue import Queue
from threading import Event, Lock
from typing import Any

import pytest
from gateway.storing import DEADLINE_S, TRACES, Clock, request, until

from otel_loopwatch.gateway.forward import Again, Forwarder, Outcome, Refused, Taken
from otel_loopwatch.gateway.forward.backoff import Backoff
from otel_loopwatch.gateway.forward.counts import MAX_TOLD, Counts, Lag
from otel_loopwatch.gateway.memory import MemoryStore
from otel_loopwatch.gateway.room import MIN_BYTES
from otel_loopwatch.gateway.signal import Request, Signal

MARKS = b" with marks"

Answer = Outcome | Exception | Callable[[], Outcome]


class Scripted:
    """A downstream that gives its answers in turn, the last one from then on."""

    def __init__(self, *answers: Answer) -> None:
        self.sent: Queue[bytes] = Queue()
        self.closed = False
        self._answers = list(answers or (Taken(),))
        self._lock = Lock()

    def send(self, request: Request) -> Outcome:
        """The next answer."""
        self.sent.put(request.body)
        with self._lock:
            answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer() if callable(answer) else answer

    def close(self) -> None:
        """Note it."""
        self.closed = True

    def bodies(self) -> list[bytes]:
        """What was sent until now."""
        return [self.sent.get_nowait() for _ in range(self.sent.qsize())]


class Rig:
    """A forwarder that waits for nothing, from a store in memory, with one thread unless it says otherwise."""

    def __init__(self, *answers: Answer, threads: int = 1, store: Any = None, **arguments: Any) -> None:
        self.store = store or MemoryStore(MIN_BYTES)
        self.downstream = Scripted(*answers)
        self.clock = Clock()
        self.pauses: list[float] = []
        self.forwarder = Forwarder(
            self.store,
            self.downstream,
            arguments.pop("apply", lambda body, marks: body + b" marked"),
            threads=threads,
            backoff=Backoff(jitter=lambda: 1.0),
            clock=self.clock,
            wait=arguments.pop("wait", self._wait),
        )

    def _wait(self, closing: Event, seconds: float) -> None:
        self.pauses.append(seconds)
        self.clock.now += seconds

    def offer(self, *numbers: int) -> list[int]:
        """Requests of these numbers, kept and offered."""
        positions = [self.store.append(request(number)) for number in numbers]
        for position in positions:
            self.forwarder.offer(position)
        return positions

    def settle(self) -> None:
        """Wait until nothing waits."""
        until(lambda: not self.forwarder.lag.waiting)


@pytest.fixture
def rig() -> Iterator[Callable[..., Rig]]:
    """Makes rigs, and ends them after the test."""
    made: list[Rig] = []

    def make(*answers: Answer, **arguments: Any) -> Rig:
        made.append(Rig(*answers, **arguments))
        return made[-1]

    yield make
    for each in made:
        each.forwarder.close(DEADLINE_S)


Make = Callable[..., Rig]


class Gate:
    """An answer that waits until it may be given."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.asked = Event()
        self.opened = Event()

    def __call__(self) -> Outcome:
        """When it may."""
        self.asked.set()
        assert self.opened.wait(DEADLINE_S)
        return self.outcome


def test_what_is_offered_is_sent_and_done(rig: Make) -> None:
    """The very bytes, of each signal."""
    it = rig()
    for signal in Signal:
        it.forwarder.offer(it.store.append(Request(signal, signal.value.encode())))
    it.settle()
    assert it.downstream.bodies() == [b"traces", b"logs", b"metrics"]
    assert it.store.pending() == []
    assert it.forwarder.counts == Counts(sent=3)


def test_the_lowest_position_goes_first(rig: Make) -> None:
    """In whatever order they are offered; what was offered twice goes once."""
    gate = Gate(Taken())
    it = rig(gate, Taken())
    it.offer(0)
    assert gate.asked.wait(DEADLINE_S)
    positions = [it.store.append(request(number)) for number in range(1, 5)]
    for position in (*reversed(positions), positions[2]):
        it.forwarder.offer(position)
    gate.opened.set()
    it.settle()
    assert it.downstream.bodies() == [request(number).body for number in range(5)]


def test_marks_are_put_on(rig: Make) -> None:
    """On the requests that have some; the others stay as they are."""
    it = rig(apply=lambda body, marks: body + marks)
    it.forwarder.offer(it.store.append(TRACES), MARKS)
    it.forwarder.offer(it.store.append(TRACES))
    it.settle()
    assert it.downstream.bodies() == [TRACES.body + MARKS, TRACES.body]


def test_a_request_goes_on_without_marks_where_they_cannot_be_put_on(
    rig: Make, caplog: pytest.LogCaptureFixture
) -> None:
    """Counted, and told once."""

    def broken(body: bytes, marks: object) -> bytes:
        raise TypeError("no such field")

    it = rig(apply=broken)
    for _ in range(3):
        it.forwarder.offer(it.store.append(TRACES), MARKS)
    it.settle()
    assert it.downstream.bodies() == [TRACES.body] * 3
    assert it.forwarder.counts == Counts(sent=3, unmarked=3)
    assert messages(caplog) == ["Marks could not be put on a request, it goes on as it came"]


def test_a_request_is_sent_again_until_it_is_taken(rig: Make, caplog: pytest.LogCaptureFixture) -> None:
    """With pauses that double up to a longest; the outage and its end are told once each."""
    caplog.set_level(logging.INFO)
    away = Again("status 503", message="be\r\nback")
    it = rig(*[away] * 7, Taken(), away, Taken())
    positions = it.offer(1)
    it.settle()
    assert it.downstream.bodies() == [request(1).body] * 8
    assert it.pauses == [1, 2, 4, 8, 16, 30, 30]
    it.offer(2)
    it.settle()
    assert it.pauses[7:] == [1]
    assert it.store.pending() == []
    assert it.forwarder.counts == Counts(sent=2, retried=8)
    assert positions
    told = [
        "The downstream takes no requests, they are kept: status 503, 'be\\r\\nback'",
        "The downstream takes requests again",
    ]
    assert messages(caplog) == told * 2


@pytest.mark.parametrize(
    ("attempt", "asked", "jitter", "pause"),
    [
        (1, None, 0.0, 0.5),
        (1, None, 1.0, 1.0),
        (3, None, 0.5, 3.0),
        (1, 7.0, 1.0, 7.0),
        (1, 0.0, 1.0, 1.0),
        (4, 7.0, 1.0, 8.0),
        (1, 100_000.0, 1.0, 300.0),
        (1_000_000, None, 1.0, 30.0),
    ],
)
def test_pauses_are_what_was_asked_for_and_grow(attempt: int, asked: float | None, jitter: float, pause: float) -> None:
    """Within bounds: an outage of weeks is no error, and nobody may ask for days."""
    assert Backoff(jitter=lambda: jitter).pause_s(attempt, asked) == pause


def test_an_asked_pause_is_kept(rig: Make) -> None:
    """What the downstream said, to the second."""
    it = rig(Again("status 429", 17.0), Taken())
    it.offer(1)
    it.settle()
    assert it.pauses == [17.0]


def test_what_is_refused_is_dropped(rig: Make, caplog: pytest.LogCaptureFixture) -> None:
    """Counted by reason, told once per reason, never sent again."""
    bad = Refused("status 400", "no span here")
    it = rig(bad, Refused("status 413"), bad, Taken())
    it.offer(1, 2, 3, 4)
    it.settle()
    assert it.store.pending() == []
    assert it.forwarder.counts == Counts(sent=1, dropped=Counter({"status 400": 2, "status 413": 1}))
    assert messages(caplog) == ["Requests are dropped: status 400, 'no span here'", "Requests are dropped: status 413"]


def test_a_partial_success_is_counted_with_its_message(rig: Make, caplog: pytest.LogCaptureFixture) -> None:
    """And not sent again; of many messages the first few are told."""
    it = rig(Taken(3, "too old"), Taken(3, "too old"), *(Taken(0, f"mind {n}") for n in range(MAX_TOLD)), Taken())
    it.offer(*range(MAX_TOLD + 3))
    it.settle()
    assert it.forwarder.counts == Counts(sent=MAX_TOLD + 3, partial=MAX_TOLD + 2, rejected=6)
    assert messages(caplog)[0] == "The downstream took a request, 3 of its items excepted: 'too old'"
    assert len(messages(caplog)) == MAX_TOLD


def test_no_error_ends_the_thread(rig: Make, caplog: pytest.LogCaptureFixture) -> None:
    """What nobody thought of is counted as dropped, and the next request goes on."""
    it = rig(TypeError("who would have thought"), Taken())
    it.offer(1, 2)
    it.settle()
    assert it.forwarder.counts == Counts(sent=1, dropped=Counter({"TypeError": 1}))
    assert "A request cannot be sent" in messages(caplog)


def test_a_request_that_cannot_be_read_now_is_tried_again(rig: Make) -> None:
    """As when too many files are open; one that is no more is passed over."""

    class Troubled(MemoryStore):
        fails = 2

        def read(self, position: int) -> Request:
            self.fails -= 1
            if self.fails >= 0:
                raise OSError(24, "too many")
            return super().read(position)

    it = rig(store=Troubled(MIN_BYTES))
    it.offer(1)
    it.forwarder.offer(77)
    it.settle()
    assert it.downstream.bodies() == [request(1).body]
    assert it.forwarder.counts == Counts(sent=1, retried=2)


def test_one_request_that_is_never_taken_does_not_hold_up_the_others(rig: Make) -> None:
    """It holds up one thread."""
    gate = Gate(Taken())
    it = rig(gate, Taken(), threads=2)
    stuck, *others = it.offer(*range(20))
    until(lambda: it.store.pending() == [stuck])
    gate.opened.set()
    it.settle()
    assert len(others) == 19


def test_requests_of_our_own_are_kept_and_sent(rig: Make) -> None:
    """Like any other; where there is no room they are dropped, and counted."""
    gate = Gate(Taken())
    it = rig(gate, Taken())
    it.forwarder.put(Request(Signal.LOGS, b"a loop"))
    assert gate.asked.wait(DEADLINE_S)
    assert len(it.store.pending()) == 1
    it.forwarder.put(Request(Signal.LOGS, bytes(MIN_BYTES)))
    gate.opened.set()
    it.settle()
    assert it.downstream.bodies() == [b"a loop"]
    assert it.forwarder.counts == Counts(sent=1, dropped=Counter({"no room": 1}))


def test_lag_says_how_many_wait_and_since_when(rig: Make) -> None:
    """Those that are being sent included."""
    gate = Gate(Taken())
    it = rig(gate, Taken())
    assert it.forwarder.lag == Lag(0, 0.0)
    it.offer(1)
    it.clock.now += 40
    it.offer(2)
    it.clock.now += 2
    assert it.forwarder.lag == Lag(2, 42.0)
    gate.opened.set()
    it.settle()
    assert it.forwarder.lag == Lag(0, 0.0)


def test_what_is_left_is_told_with_its_marks(rig: Make) -> None:
    """For whoever goes on after a restart."""
    gate = Gate(Taken())
    it = rig(gate, Taken())
    plain = it.store.append(request(1))
    it.forwarder.offer(plain)
    assert gate.asked.wait(DEADLINE_S)
    marked = it.store.append(request(2))
    it.forwarder.offer(marked, MARKS)
    assert it.forwarder.left() == {plain: b"", marked: MARKS}
    gate.opened.set()
    it.settle()
    assert it.forwarder.left() == {}


def test_at_the_end_what_waits_is_sent(rig: Make) -> None:
    """Also while a thread is in a pause, which ends at once; then the downstream is closed, and the store is not."""
    paused = Event()

    def wait(closing: Event, seconds: float) -> None:
        paused.set()
        assert closing.wait(DEADLINE_S)

    it = rig(Again("status 503"), Taken(), wait=wait)
    it.offer(1, 2, 3)
    assert paused.wait(DEADLINE_S)
    assert it.forwarder.close(DEADLINE_S)
    assert it.store.pending() == []
    assert it.downstream.closed
    assert it.store.append(TRACES)


def test_at_the_end_a_downstream_that_is_away_is_asked_once(rig: Make) -> None:
    """All that waits stays in the store for the next start, and what comes later, too."""
    gate = Gate(Again("ConnectionError"))
    it = rig(gate, Again("ConnectionError"))
    positions = it.offer(1, 2, 3)
    assert gate.asked.wait(DEADLINE_S)
    it.forwarder._closing.set()
    gate.opened.set()
    assert not it.forwarder.close(DEADLINE_S)
    positions += it.offer(4)
    assert it.store.pending() == positions
    assert it.downstream.bodies() == [request(1).body]


def test_a_request_that_is_in_flight_at_the_end_is_not_given_up(rig: Make) -> None:
    """Where the downstream fails because it was closed, the request is there at the next start."""
    gate = Gate(Taken())

    def closed() -> Outcome:
        gate()
        raise ValueError("the channel is closed")

    it = rig(closed)
    positions = it.offer(1)
    assert gate.asked.wait(DEADLINE_S)
    assert not it.forwarder.close(0)
    gate.opened.set()
    until(lambda: not any(thread.is_alive() for thread in it.forwarder._threads))
    assert it.store.pending() == positions


def messages(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What was told."""
    return [each.getMessage() for each in caplog.records if each.name == "otel_loopwatch"]
