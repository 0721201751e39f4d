"""Requests kept in memory: as quick as it gets, and gone with the process."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from threading import Lock

from otel_loopwatch.gateway.room import Room
from otel_loopwatch.gateway.signal import Request

ENTRY_BYTES = 256
"""Counted for each request beside its body: empty ones take memory, too."""


class MemoryStore:
    """Keeps requests of ``max_bytes`` in all. ``clock`` gives seconds that never go back.

    :raises ValueError: where ``max_bytes`` is too small.
    """

    def __init__(self, max_bytes: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._room = Room(max_bytes, clock)
        self._lock = Lock()
        self._requests: dict[int, Request] = {}
        self._last = 0
        self._closed = False

    def append(self, request: Request) -> int:
        """Keep a request; its position. Raises ``StoreFull``, also once the store is closed."""
        size = _size(request)
        with self._lock:
            if self._closed:
                raise self._room.full()
            self._room.require(size)
            self._room.used += size
            self._last += 1
            self._requests[self._last] = request
            return self._last

    def read(self, position: int) -> Request:
        """The request at a position that is not done. Raises ``KeyError``."""
        with self._lock:
            return self._requests[position]

    def done(self, position: int) -> None:
        """The request need not be kept."""
        with self._lock:
            request = self._requests.pop(position, None)
            if request is not None:
                self._room.used -= _size(request)
                self._room.delivered()

    def pending(self) -> Sequence[int]:
        """Positions that are not done, in their order."""
        with self._lock:
            return list(self._requests)

    @property
    def size(self) -> int:
        """Bytes kept."""
        return self._room.used

    def close(self) -> None:
        """Nothing more comes."""
        with self._lock:
            self._closed = True


def _size(request: Request) -> int:
    return ENTRY_BYTES + len(request.body)
