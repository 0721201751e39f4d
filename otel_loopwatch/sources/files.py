"""Files of spans and of calls, recognised by what is in them: one reader each, in a registry."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from otel_loopwatch.sources import (
    cases,
    claude_session,
    codex_session,
    conversations,
    flat,
    jaeger,
    langfuse,
    langsmith,
    mini_swe,
    mlflow,
    openhands,
    otlp,
    otlp_logs,
    phoenix,
    swe_agent,
)
from otel_loopwatch.sources.formats import OTHER_SIGNALS, CallFormat, Format, SpanFormat
from otel_loopwatch.sources.records import Record, Records, UnreadableFile
from otel_loopwatch.spans import SpanData
from otel_loopwatch.tracker.events import Tracked

FORMATS: tuple[Format, ...] = (
    otlp.FORMAT,
    cases.FORMAT,
    jaeger.FORMAT,
    langfuse.FORMAT,
    mlflow.FORMAT,
    langsmith.FORMAT,
    phoenix.FORMAT,
    flat.FORMAT,
    claude_session.FORMAT,
    codex_session.FORMAT,
    swe_agent.FORMAT,
    openhands.FORMAT,
    mini_swe.FORMAT,
)
"""In order of precedence: Phoenix's and Jaeger's spans are also ``flat`` ones, with less in them."""
LAST_RESORT: tuple[Format, ...] = (otlp_logs.FORMAT, conversations.FORMAT)
"""Asked when no record is anything else: log records may stand before spans in one file of a collector, and the first
records of other formats may look like messages."""
SEARCHED_RECORDS = 100


class SpansFile:
    """A file of spans, in the file's order. ``records`` tells what was skipped and how far reading got."""

    def __init__(self, records: Records, format_: SpanFormat) -> None:
        self.records = records
        self.format = format_

    def __iter__(self) -> Iterator[SpanData]:
        return self.format.read(self.records)


class CallsFile:
    """A file of calls and ends of runs. ``records`` tells what was skipped and how far reading got."""

    def __init__(self, records: Records, format_: CallFormat) -> None:
        self.records = records
        self.format = format_

    def __iter__(self) -> Iterator[Tracked]:
        return self.format.read(self.records)


def read(path: str | Path) -> SpansFile | CallsFile:
    """The file, by the first of its records that is recognised.

    ``UnreadableFile`` if it cannot be opened, or none of its first ``SEARCHED_RECORDS`` records is.
    """
    records = Records(path)
    guessed: Format | None = None
    seen: set[str] = set()
    for _, record in islice(records, SEARCHED_RECORDS):
        found = _recognised(record, FORMATS)
        if found is not None:
            return _file(records, found)
        guessed = guessed or _recognised(record, LAST_RESORT)
        seen.update(record.keys() & OTHER_SIGNALS.keys())
    if guessed is not None:
        return _file(records, guessed)
    held = f"holds {OTHER_SIGNALS[min(seen)]}, not spans" if seen else "holds neither spans nor calls"
    raise UnreadableFile(f"{path}: {held}; {expected()}")


def expected() -> str:
    """What would have been recognised, on one line."""
    names = ", ".join(format_.name for format_ in (*FORMATS, *LAST_RESORT))
    return f"expected one of: {names}; as one document, a list, or one object per line, plain, gzipped or zstd"


def _recognised(record: Record, formats: tuple[Format, ...]) -> Format | None:
    return next((format_ for format_ in formats if format_.recognises(record)), None)


def _file(records: Records, format_: Format) -> SpansFile | CallsFile:
    return SpansFile(records, format_) if isinstance(format_, SpanFormat) else CallsFile(records, format_)
