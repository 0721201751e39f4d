"""How many bytes a store may hold, and when there may be room again."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

from otel_loopwatch.gateway.store import StoreFull

MIN_BYTES = 65_536
"""A store smaller than this would refuse single requests."""
LONGEST_S = 60
"""A client is never sent away for longer than this, seconds."""


class Room:
    """Counts bytes against a limit; for one thread at a time. ``clock`` gives seconds that never go back.

    :raises ValueError: where ``max_bytes`` is less than :data:`MIN_BYTES`.
    """

    def __init__(self, max_bytes: int, clock: Callable[[], float]) -> None:
        if max_bytes < MIN_BYTES:
            raise ValueError(f"max_bytes is {max_bytes}; it must be at least {MIN_BYTES}")
        self.max_bytes = max_bytes
        self.used = 0
        self._clock = clock
        self._freed_at = clock()

    def holds(self, size: int) -> bool:
        """Whether so many bytes more are within the limit."""
        return self.used + size <= self.max_bytes

    def require(self, size: int) -> None:
        """:raises StoreFull: where so many bytes more are too many."""
        if not self.holds(size):
            raise self.full()

    def full(self) -> StoreFull:
        """The refusal: the longer nothing was delivered, the later the client is to come back."""
        return StoreFull(min(max(1, ceil(self._clock() - self._freed_at)), LONGEST_S))

    def delivered(self) -> None:
        """A request has left, whether or not its bytes are free already."""
        self._freed_at = self._clock()
