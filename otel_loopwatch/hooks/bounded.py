"""Work that may not take longer: a name that is looked up, a server that is silent, a pipe that stays open."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


def within(until_s: float, work: Callable[[], T]) -> T:
    """What the work returns or raises; ``TimeoutError`` if it is not done by then, on the monotonic clock.

    It is left behind in a daemon thread: sockets have deadlines of their own, but looking up a host has none.
    """
    done: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            failed.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(max(0.0, until_s - time.monotonic()))
    if failed:
        raise failed[0]
    if not done:
        raise TimeoutError("no answer in time")
    return done[0]
