"""Trace and case files, recognised by what is in them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from otel_loopwatch.model import ToolCall
from otel_loopwatch.sources import cases, otlp
from otel_loopwatch.sources.records import Records, UnreadableFile
from otel_loopwatch.spans import SpanData

EXPECTED = (
    "expected OTLP/JSON traces (an object with `resourceSpans`) or cases (objects with `calls`), "
    "as one document or one per line, plain or gzipped"
)
SEARCHED_RECORDS = 100
_OTHER_SIGNALS = {"resourceLogs": "log records", "resourceMetrics": "metrics"}


class SpansFile:
    """A file of spans, in the file's order. ``records`` tells what was skipped and how far reading got."""

    def __init__(self, records: Records) -> None:
        self.records = records

    def __iter__(self) -> Iterator[SpanData]:
        for line, record in self.records:
            if not otlp.is_trace(record):
                self.records.skip(line, "not a trace document")
            for span in otlp.spans(record):
                if span is None:
                    self.records.skip(line, "not a span")
                else:
                    yield span


class CasesFile:
    """A file of cases: ``(case id, calls)``. ``records`` tells what was skipped and how far reading got."""

    def __init__(self, records: Records) -> None:
        self.records = records

    def __iter__(self) -> Iterator[tuple[str, list[ToolCall]]]:
        for line, record in self.records:
            if not cases.is_case(record):
                self.records.skip(line, "not a case")
                continue
            case = cases.case_id(record, line)
            read_calls = cases.calls(record, case)
            for _ in range(read_calls.count(None)):
                self.records.skip(line, "not a call")
            yield case, [call for call in read_calls if call is not None]


def read(path: str | Path) -> SpansFile | CasesFile:
    """The file, by its first record that is a trace or a case.

    ``UnreadableFile`` if it cannot be opened, or holds neither in its first ``SEARCHED_RECORDS`` records.
    """
    records = Records(path)
    seen: set[str] = set()
    for _, record in islice(records, SEARCHED_RECORDS):
        if otlp.is_trace(record):
            return SpansFile(records)
        if cases.is_case(record):
            return CasesFile(records)
        seen.update(record.keys() & _OTHER_SIGNALS.keys())
    held = f"holds {_OTHER_SIGNALS[min(seen)]}, not spans" if seen else "holds neither spans nor calls"
    raise UnreadableFile(f"{path}: {held}; {EXPECTED}")
