"""Where requests are kept between their receipt and their delivery: the contract of the spool and of the memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from otel_loopwatch.gateway.signal import Request


class StoreFull(Exception):
    """There is no room: the client is to try again, after ``retry_after_s`` at the earliest."""

    def __init__(self, retry_after_s: int = 1) -> None:
        super().__init__(f"no room; try again in {retry_after_s} s")
        self.retry_after_s = retry_after_s


class Store(Protocol):
    """Requests by position, in the order of their receipt. Methods may be called from any thread."""

    def append(self, request: Request) -> int:
        """Keep a request; its position. When this returns it may be acknowledged. Raises :class:`StoreFull`."""

    def read(self, position: int) -> Request:
        """The request at a position that is not done. Raises ``KeyError``, and ``OSError`` where a disk fails."""

    def done(self, position: int) -> None:
        """The request was delivered, or never will be: it need not be kept. Any order."""

    def pending(self) -> Sequence[int]:
        """Positions that are not done, in their order; after a restart, those an earlier process left."""

    @property
    def size(self) -> int:
        """Bytes kept."""

    def close(self) -> None:
        """Nothing more comes; what is kept stays for the next start, where it is on disk."""
