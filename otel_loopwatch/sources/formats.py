"""What a reader of files is: something that recognises a record, and something that reads the file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from otel_loopwatch.sources.records import Record, Records
from otel_loopwatch.spans import SpanData
from otel_loopwatch.tracker.events import Tracked


@dataclass(frozen=True, slots=True)
class SpanFormat:
    """Files of spans: the tracker finds the calls in them."""

    name: str
    written_by: str
    """Programs, commands and buttons that write such files."""
    looks: str
    """What it is recognised by, for people whose file was not."""
    recognises: Callable[[Record], bool]
    """Whether a record, whatever is in it, is one of this format. Cheap; never raises."""
    read: Callable[[Records], Iterator[SpanData]]


@dataclass(frozen=True, slots=True)
class CallFormat:
    """Files of calls: what agents keep of their own work."""

    name: str
    written_by: str
    looks: str
    recognises: Callable[[Record], bool]
    read: Callable[[Records], Iterator[Tracked]]


Format = SpanFormat | CallFormat


OTHER_SIGNALS = {
    "resourceLogs": "log records",
    "resourceMetrics": "metrics",
    "scopeMetrics": "metrics",
    "body": "log records",
    "hrTimeObserved": "log records",
}
"""What stands between the spans of a file into which everything is written, by a key that tells it."""


def record_by_record(
    recognises: Callable[[Record], bool], spans: Callable[[Record], Iterable[SpanData | None]], what: str
) -> Callable[[Records], Iterator[SpanData]]:
    """A ``read`` for files whose records have nothing to do with each other. ``None`` is a span that is none."""

    def read(records: Records) -> Iterator[SpanData]:
        for line, record in records:
            if not recognises(record):
                other = next((OTHER_SIGNALS[key] for key in OTHER_SIGNALS if key in record), None)
                records.skip(line, f"not {what}") if other is None else records.pass_over(other)
                continue
            for span in spans(record):
                if span is None:
                    records.skip(line, "not a span")
                else:
                    yield span

    return read
