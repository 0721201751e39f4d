"""The threads that send what is kept."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from heapq import heappop, heappush
from threading import Condition, Event, Thread

from otel_loopwatch.gateway.forward.backoff import Backoff
from otel_loopwatch.gateway.forward.counts import Counts, Lag, Tally
from otel_loopwatch.gateway.forward.outcome import Again, Downstream, Outcome, Refused, Taken
from otel_loopwatch.gateway.signal import Request
from otel_loopwatch.gateway.store import Store, StoreFull

log = logging.getLogger("otel_loopwatch")

THREADS = 4
"""Requests in flight. One that is never taken holds up one thread, and none of the others."""
NO_ROOM = "no room"
"""Why a request of our own was dropped: the store is full."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    marks: bytes
    since: float


class Forwarder:
    """Sends what it is offered to a downstream, the lowest position first, until each request is taken or refused.

    A request is done in the store only then, so that a crash loses none; those in flight at a crash are sent twice.
    ``apply`` puts packed marks onto the body of a request. ``clock`` gives seconds that never go back, ``wait`` waits
    for an event so many seconds at most. The threads run from the start.
    """

    def __init__(
        self,
        store: Store,
        downstream: Downstream,
        apply: Callable[[bytes, bytes], bytes],
        *,
        threads: int = THREADS,
        backoff: Backoff | None = None,
        clock: Callable[[], float] = time.monotonic,
        wait: Callable[[Event, float], object] = Event.wait,
    ) -> None:
        self._store = store
        self._downstream = downstream
        self._apply = apply
        self._backoff = backoff or Backoff()
        self._clock = clock
        self._wait = wait
        self._tally = Tally()
        self._changed = Condition()
        self._waiting: dict[int, _Waiting] = {}  # those in flight included
        self._order: list[int] = []
        self._closing = Event()
        self._over = False
        self._threads = [Thread(target=self._work, name=f"loopwatch-forward-{n}", daemon=True) for n in range(threads)]
        for thread in self._threads:
            thread.start()

    def offer(self, position: int, marks: bytes = b"") -> None:
        """A request of the store is to go on, with these marks, if any. In any order; returns at once."""
        with self._changed:
            if position not in self._waiting:
                self._waiting[position] = _Waiting(marks, self._clock())
                heappush(self._order, position)
                self._changed.notify()

    def put(self, request: Request) -> None:
        """Keep a request of our own, and have it sent; dropped, and counted, where the store has no room."""
        try:
            position = self._store.append(request)
        except StoreFull as error:
            self._tally.dropped(Refused(NO_ROOM, str(error)))
        else:
            self.offer(position)

    @property
    def counts(self) -> Counts:
        """What became of requests until now."""
        return self._tally.counts()

    @property
    def lag(self) -> Lag:
        """What waits."""
        with self._changed:
            oldest = next(iter(self._waiting.values()), None)  # in the order in which they were offered
            return Lag(len(self._waiting), 0.0 if oldest is None else self._clock() - oldest.since)

    def left(self) -> dict[int, bytes]:
        """Marks by position of what waits."""
        with self._changed:
            return {position: waiting.marks for position, waiting in self._waiting.items()}

    def close(self, timeout_s: float) -> bool:
        """Send what waits, each once at most and within the time; False where something stays, for the next start.

        Pauses end at once. After a request that the downstream does not take now no other is tried. The downstream is
        closed, the store is not.
        """
        until = self._clock() + timeout_s
        with self._changed:
            self._closing.set()
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(max(0.0, until - self._clock()))
        self._end()
        self._downstream.close()
        return not self.lag.waiting

    def _work(self) -> None:
        while (position := self._next()) is not None:
            self._deliver(position)

    def _next(self) -> int | None:
        """The next position; waits for one. None at the end."""
        with self._changed:
            while not self._order and not self._closing.is_set():
                self._changed.wait()
            return heappop(self._order) if self._order and not self._over else None

    def _end(self) -> None:
        with self._changed:
            self._over = True

    def _deliver(self, position: int) -> None:
        marks = self._waiting[position].marks
        attempt = 1
        while isinstance(outcome := self._try(position, marks), Again):
            self._tally.again(outcome)
            if self._closing.is_set():
                self._end()
                return
            self._wait(self._closing, self._backoff.pause_s(attempt, outcome.after_s))
            attempt += 1
        self._conclude(position, outcome)

    def _try(self, position: int, marks: bytes) -> Taken | Again | Refused | None:
        """None where the request is no more."""
        try:
            request = self._store.read(position)  # each time: an outage must not fill the memory
        except KeyError:
            return None
        except Exception as error:  # noqa: BLE001 - of the system: files, memory
            return Again(type(error).__name__, message=str(error))
        return self._send(self._marked(request, marks))

    def _marked(self, request: Request, marks: bytes) -> Request:
        if not marks:
            return request
        try:
            return request._replace(body=self._apply(request.body, marks))
        except Exception as error:  # noqa: BLE001 - a request without marks is better than none
            self._tally.unmarked(error)
            return request

    def _send(self, request: Request) -> Outcome:
        try:
            return self._downstream.send(request)
        except Exception as error:
            if self._over:  # the downstream is closed
                return Again(type(error).__name__)
            log.exception("A request cannot be sent")
            return Refused(type(error).__name__, str(error))  # what nobody thought of would come back with each try

    def _conclude(self, position: int, outcome: Taken | Refused | None) -> None:
        if isinstance(outcome, Taken):
            self._tally.taken(outcome)
        elif outcome is not None:
            self._tally.dropped(outcome)
        self._store.done(position)
        with self._changed:
            del self._waiting[position]
