"""What tests of the stores share."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from otel_loopwatch.gateway.room import MIN_BYTES
from otel_loopwatch.gateway.signal import Request, Signal
from otel_loopwatch.gateway.spool import Spool

DEADLINE_S = 10.0
"""For what another thread or process does: reached only where it does not."""
TRACES = Request(Signal.TRACES, b"spans of a request")


@dataclass(slots=True)
class Clock:
    """Seconds that pass when a test says so."""

    now: float = 1000.0

    def __call__(self) -> float:
        """The time."""
        return self.now


def request(number: int, size: int = 100, signal: Signal = Signal.TRACES) -> Request:
    """A request that no other number has."""
    return Request(signal, f"{number:010}".encode().ljust(size, b"."))


@contextmanager
def opened(folder: Path, max_bytes: int = MIN_BYTES, **arguments: Clock) -> Iterator[Spool]:
    """A spool, closed afterwards."""
    spool = Spool(folder, max_bytes, **arguments)
    try:
        yield spool
    finally:
        spool.close()


def segments(folder: Path) -> list[Path]:
    """Files of the requests, the oldest first."""
    return sorted(folder.glob("*.requests"))


def until(holds: Callable[[], object]) -> None:
    """Wait for what another thread or process does."""
    deadline = time.monotonic() + DEADLINE_S
    while not holds():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(0.001)
