"""Traces on the state topic."""

from __future__ import annotations

import pytest

from otel_loopwatch.worker.snapshots import Snapshot, key_of, latest

OLD, NEW = Snapshot(1, 10, b"old"), Snapshot(1, 20, b"new")


def test_the_snapshot_that_reaches_furthest_counts() -> None:
    """Also where a worker that had lost the partition wrote an older one after it."""
    assert latest([OLD.record(), NEW.record()]) == [NEW]
    assert latest([NEW.record(), OLD.record()]) == [NEW]


def test_a_trace_that_is_over_has_none() -> None:
    """A record without a value ends it; it may begin again."""
    assert latest([NEW.record(), (key_of(1), None)]) == []
    assert latest([NEW.record(), (key_of(1), None), OLD.record()]) == [OLD]


def test_snapshots_come_by_rising_offset() -> None:
    """So that the least recently active trace is the first to make room."""
    other = Snapshot(2, 15, b"")
    assert latest([NEW.record(), other.record()]) == [other, NEW]


@pytest.mark.parametrize("key", [b"no id", None])
@pytest.mark.parametrize("value", [b"", b"no state", OLD.record()[1][:-4]])
def test_what_is_no_snapshot_is_ignored(key: bytes | None, value: bytes) -> None:
    """Somebody else wrote it."""
    assert latest([(key, OLD.record()[1]), (key_of(2), value)]) == []
