"""Those who wait for a change: any thread tells of one, and each of them is woken once in its event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from threading import Lock
from typing import NamedTuple


class Change(str, Enum):
    """What changes."""

    RUN = "run"
    """Anything about a run, decisions and loops included."""
    DECISION = "decision"


class Topic(NamedTuple):
    """What is waited for."""

    change: Change
    run: str | None = None
    """Key of the run; None: every run."""


class Waiter:
    """Waits in the event loop in which it was made. Nothing is queued for it: what changed, it asks itself."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._event = asyncio.Event()
        self._woken = False

    def wake(self) -> None:
        """Something changed. From any thread; costs next to nothing until the waiter has looked."""
        if not self._woken:
            self._woken = True
            try:
                self._loop.call_soon_threadsafe(self._event.set)
            except RuntimeError:  # the loop was closed: nobody waits any more
                return

    async def changed(self, timeout_s: float) -> bool:
        """Wait for a change since this was asked last; False where there was none in that time."""
        try:
            await asyncio.wait_for(self._event.wait(), timeout_s)
        except asyncio.TimeoutError:
            return False
        self._event.clear()
        self._woken = False
        return True


class Waiters:
    """Waiters by topic."""

    def __init__(self) -> None:
        self._by_topic: dict[Topic, set[Waiter]] = {}
        self._lock = Lock()
        self.closed = False
        """Nobody is to wait any more."""

    @contextmanager
    def waiting(self, topic: Topic) -> Iterator[Waiter]:
        """A waiter for what happens within the ``with`` block."""
        waiter = Waiter()
        with self._lock:
            self._by_topic.setdefault(topic, set()).add(waiter)
        try:
            yield waiter
        finally:
            with self._lock:
                self._by_topic[topic].discard(waiter)
                if not self._by_topic[topic]:
                    del self._by_topic[topic]

    def wake(self, change: Change, run: str) -> None:
        """A run changed."""
        if not self._by_topic:
            return
        with self._lock:
            waiters = [
                waiter for topic in (Topic(change, run), Topic(change)) for waiter in self._by_topic.get(topic, ())
            ]
        for waiter in waiters:
            waiter.wake()

    def close(self) -> None:
        """Have everybody go: the server is about to end."""
        self.closed = True
        with self._lock:
            waiters = [waiter for some in self._by_topic.values() for waiter in some]
        for waiter in waiters:
            waiter.wake()

    def __len__(self) -> int:
        with self._lock:
            return sum(map(len, self._by_topic.values()))
