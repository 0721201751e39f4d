"""How far back one may have to read."""

from __future__ import annotations

from otel_loopwatch.worker.reach import Reach


def test_the_first_time_nothing_is_left_to_be_read_again() -> None:
    """Workers that die young get on all the same."""
    assert Reach(100, 60.0).limit(30, 5.0) == 30


def test_no_more_than_so_many_messages() -> None:
    """However fast they come."""
    reach = Reach(100, 60.0)
    reach.limit(0, 0.0)
    assert reach.limit(80, 1.0) == 0
    assert reach.limit(180, 2.0) == 80


def test_no_longer_ago_than_so_many_seconds() -> None:
    """However slowly they come: where we stood a minute ago is the limit."""
    reach = Reach(100, 60.0)
    for second, position in ((0, 0), (30, 5), (59, 9)):
        reach.limit(position, second)
    assert reach.limit(10, 89.0) == 0
    assert reach.limit(10, 90.0) == 5
    assert reach.limit(10, 200.0) == 10
