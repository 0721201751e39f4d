"""Work that is given up on."""

from __future__ import annotations

import time
from threading import Event

import pytest

from otel_loopwatch.hooks.bounded import within


def test_work_that_is_done_in_time_gives_what_it_made() -> None:
    """Also nothing."""
    assert within(time.monotonic() + 10, lambda: 7) == 7
    assert within(time.monotonic() + 10, lambda: None) is None


def test_work_that_fails_raises_as_it_would_have() -> None:
    """In the thread that waits for it."""
    with pytest.raises(ZeroDivisionError):
        within(time.monotonic() + 10, lambda: 1 // 0)


def test_work_that_takes_too_long_is_left_behind() -> None:
    """Also where the time is over before it begins."""
    over = Event()
    with pytest.raises(TimeoutError):
        within(time.monotonic() - 1, over.wait)
    over.set()
