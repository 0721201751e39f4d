"""The thread that judges what is kept."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection
from queue import Empty, SimpleQueue
from threading import Thread

from otel_loopwatch.gateway.judging import Judging
from otel_loopwatch.gateway.store import Store
from otel_loopwatch.telemetry import names

log = logging.getLogger(names.SCOPE)

TICK_S = 0.1
"""How often what is held is looked at."""
EXPIRES_S = 30.0
"""How often runs are looked for of which nothing was heard for long."""
LAST_S = 5.0
"""For what is being judged when the time is over."""


class Judge:
    """Has requests judged in the order in which they were kept, those that an earlier process left first.

    ``judged`` are those of them that were judged by that process. ``clock`` gives ns that never go back.
    """

    def __init__(
        self,
        store: Store,
        judging: Judging,
        judged: Collection[int] = (),
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._store = store
        self._judging = judging
        self._clock = clock
        self._until: int | None = None
        self._tick_at = self._expire_at = clock()
        self._kept: SimpleQueue[int | None] = SimpleQueue()
        for position in store.pending():
            if position not in judged:
                self._kept.put(position)
        self._thread = Thread(target=self._work, name="loopwatch-judge", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def kept(self, position: int) -> None:
        """A request is kept; returns at once."""
        self._kept.put(position)

    @property
    def waiting(self) -> int:
        """Requests that wait to be judged, about."""
        return self._kept.qsize()

    def close(self, timeout_s: float) -> bool:
        """Judge what is kept and what is held, as nothing more comes; False where the time did not suffice for all.

        What is left is for the next start. Where it returns after all that, nothing is judged any more.
        """
        self._until = self._clock() + int(timeout_s * 1e9)
        self._kept.put(None)
        if self._thread.ident is not None:
            self._thread.join(timeout_s + LAST_S)
        return self.over and self._kept.empty() and not self._judging.held

    @property
    def over(self) -> bool:
        """Whether nothing is judged any more."""
        return not self._thread.is_alive()

    def _work(self) -> None:
        while not self._out_of_time():
            try:
                position = self._kept.get(timeout=TICK_S)
                if position is None:
                    break
                self._take(position)
            except Empty:
                pass
            self._safely(self._look)
        self._safely(lambda: self._judging.drain(self._out_of_time))

    def _look(self) -> None:
        """At what is held, and now and then at all runs."""
        now = self._clock()
        if now >= self._tick_at:
            self._tick_at = now + int(TICK_S * 1e9)
            self._judging.tick(now, self._out_of_time)
        if now >= self._expire_at:
            self._expire_at = now + int(EXPIRES_S * 1e9)
            self._judging.expire(now)

    def _out_of_time(self) -> bool:
        return self._until is not None and self._clock() > self._until

    def _take(self, position: int) -> None:
        try:
            request = self._store.read(position)
        except KeyError:
            return
        except OSError:
            log.exception("A kept request could not be read; it is not judged")
            self._judging.pass_on(position)
            return
        if not self._safely(lambda: self._judging.take(position, request, self._clock())):
            self._judging.pass_on(position)

    def _safely(self, work: Callable[[], None]) -> bool:
        """Whether it went well. Whatever fails in one request, the thread goes on with the others."""
        try:
            work()
        except Exception:
            log.exception("Loopwatch failed")
            return False
        return True
