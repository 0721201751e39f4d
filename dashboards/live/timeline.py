"""Simulated time: many plays at once, each moved on when its moment has come."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush
from itertools import count

from otel_loopwatch.testing.scripted import NS_PER_S, Clock

Play = Iterator[float]
"""Does something whenever it is moved on, and yields the seconds until it wants to be moved on again."""


class Timeline:
    """Moves the clock and, in the order of their moments, the plays that have begun."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._waiting: list[tuple[int, int, Play]] = []
        self._order = count()

    def begin(self, play: Play) -> None:
        """A play begins now."""
        heappush(self._waiting, (self.clock(), next(self._order), play))

    def go_on(self, until_ns: int) -> None:
        """Let everything happen up to a time, ns since the epoch."""
        while self._waiting and self._waiting[0][0] <= until_ns:
            self.clock.now_ns, _, play = heappop(self._waiting)
            pause_s = next(play, None)
            if pause_s is not None:
                at_ns = self.clock.now_ns + int(pause_s * NS_PER_S)
                heappush(self._waiting, (at_ns, next(self._order), play))
        self.clock.now_ns = until_ns
