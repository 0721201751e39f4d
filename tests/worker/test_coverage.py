"""Which messages must be read again."""

from __future__ import annotations

from otel_loopwatch.worker.coverage import Coverage


def test_the_oldest_live_trace_says_where_to_begin() -> None:
    """Whatever else was read since then; without a live trace, what comes next."""
    coverage = Coverage()
    assert coverage.low(3) == 3
    for offset, trace_id in enumerate((7, 8, 7, 9)):
        coverage.touch(trace_id, offset)
    assert coverage.low(4) == 0
    coverage.settle((7,))
    assert coverage.low(4) == 1
    coverage.settle((8, 9, 10))
    assert coverage.low(4) == 4


def test_a_trace_that_goes_on_after_it_was_saved_counts_from_there() -> None:
    """Its messages before are in the snapshot."""
    coverage = Coverage()
    coverage.touch(7, 0)
    coverage.settle((7,))
    coverage.touch(7, 5)
    assert coverage.low(6) == 5


def test_traces_that_began_before_an_offset_are_known() -> None:
    """Those alone."""
    coverage = Coverage()
    for offset, trace_id in enumerate((7, 8, 9)):
        coverage.touch(trace_id, offset)
    assert coverage.before(0) == []
    assert coverage.before(2) == [7, 8]
