"""Long poll: an answer waits until there is something new to say."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from otel_loopwatch.gateway.waiters import Topic, Waiters

LONGEST_S = 30.0
"""That an answer is held back."""


async def passed(waiters: Waiters, topic: Topic, version: Callable[[], int], since: int, wait_s: float) -> None:
    """Return as soon as the version is above ``since``, or after ``wait_s``."""
    now = asyncio.get_running_loop().time
    until = now() + wait_s
    with waiters.waiting(topic) as waiter:
        while version() <= since and not waiters.closed and await waiter.changed(until - now()):
            pass
