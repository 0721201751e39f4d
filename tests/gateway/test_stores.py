"""What both stores promise: requests by position, within their bytes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from gateway.storing import Clock, request

from otel_loopwatch.gateway.memory import MemoryStore
from otel_loopwatch.gateway.room import LONGEST_S, MIN_BYTES
from otel_loopwatch.gateway.signal import Signal
from otel_loopwatch.gateway.spool import Spool
from otel_loopwatch.gateway.store import Store, StoreFull

Open = Callable[[int, Clock], Store]


@pytest.fixture(params=["disk", "memory"])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    """Opens a store of either kind."""
    if request.param == "disk":
        return lambda max_bytes, clock: Spool(tmp_path / "spool", max_bytes, clock)
    return MemoryStore


@pytest.fixture
def clock() -> Clock:
    """The store's time."""
    return Clock()


@pytest.fixture
def store(open_store: Open, clock: Clock) -> Store:
    """A small one."""
    return open_store(MIN_BYTES, clock)


def test_requests_are_read_back_by_position(store: Store) -> None:
    """Of all signals, empty ones included, in the order of their receipt."""
    kept = [request(number, signal=signal) for number, signal in enumerate(Signal)]
    kept.append(request(3)._replace(body=b""))
    positions = [store.append(each) for each in kept]
    assert positions == sorted(set(positions))
    assert store.pending() == positions
    assert [store.read(position) for position in positions] == kept


def test_what_is_done_is_gone(store: Store) -> None:
    """In any order; a second time and positions that never were change nothing."""
    positions = [store.append(request(number)) for number in range(4)]
    for position in (positions[2], positions[0], positions[0], 10**12, -1):
        store.done(position)
    assert store.pending() == [positions[1], positions[3]]
    for position in (positions[2], 10**12, -1):
        with pytest.raises(KeyError):
            store.read(position)


def test_a_full_store_refuses_until_requests_are_done(store: Store) -> None:
    """Nothing is taken beyond its bytes, and all of them are there again."""
    positions = fill(store)
    assert MIN_BYTES - 5_400 < store.size <= MIN_BYTES
    for position in positions:
        store.done(position)
    assert fill(store)[0] > positions[-1]


def test_the_longer_nothing_leaves_the_longer_the_client_is_to_wait(store: Store, clock: Clock) -> None:
    """A second while requests are delivered, a minute at most."""
    positions = fill(store)
    waits = []
    for seconds in (0.2, 7, 1000):
        clock.now += seconds
        waits.append(refusal(store).retry_after_s)
    store.done(positions[1])
    assert [*waits, refusal(store, 60_000).retry_after_s] == [1, 8, LONGEST_S, 1]


def test_a_closed_store_takes_nothing(store: Store) -> None:
    """The client is to come again: to the next process."""
    store.append(request(1))
    store.close()
    store.close()
    assert "try again" in str(refusal(store))


def test_a_store_too_small_is_refused(open_store: Open, clock: Clock) -> None:
    """At set-up, with the rule."""
    with pytest.raises(ValueError, match="max_bytes is 65535; it must be at least 65536"):
        open_store(MIN_BYTES - 1, clock)


def fill(store: Store) -> list[int]:
    """As many requests as it takes."""
    positions = []
    with suppress(StoreFull):
        while store.size <= MIN_BYTES:
            positions.append(store.append(request(len(positions), 5_000)))
    return positions


def refusal(store: Store, size: int = 5_400) -> StoreFull:
    """What it says instead of taking a request."""
    with pytest.raises(StoreFull) as caught:
        store.append(request(0, size))
    return caught.value
