"""Where a record came from."""

from __future__ import annotations

import pytest

from otel_loopwatch.worker.records import HEADER, Headers, Source, source_of


@pytest.mark.parametrize("source", [Source(0, 0), Source(2**40, 17)])
def test_a_record_says_where_it_came_from(source: Source) -> None:
    """Among whatever other headers there are."""
    assert source_of([("traceparent", b"00"), *source.headers()]) == source
    assert source_of(dict(source.headers())) == source


@pytest.mark.parametrize(
    "headers", [None, [], [(HEADER, None)], [(HEADER, b"x.1")], [(HEADER, b"1")], [("other", b"1.1")]]
)
def test_a_record_of_others_says_nothing(headers: Headers | None) -> None:
    """It is passed over."""
    assert source_of(headers) is None


def test_sources_rise_with_the_log() -> None:
    """First by message, then by place."""
    assert Source(1, 9) < Source(2, 0) < Source(2, 1) < Source(10, 0)
