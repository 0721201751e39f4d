"""MLflow's traces, of all three versions of its spans: what differs between them is spelling, which ``flat`` knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from otel_loopwatch.sources import flat
from otel_loopwatch.sources.formats import SpanFormat, record_by_record
from otel_loopwatch.sources.records import Record
from otel_loopwatch.sources.scalars import mapping, objects
from otel_loopwatch.spans import SpanData


def _traces(record: Record) -> list[Mapping[str, Any]]:
    return objects(record["traces"]) if isinstance(record.get("traces"), list) else [record]


def _recognises(record: Record) -> bool:
    return any(
        isinstance(trace.get("info"), Mapping) and isinstance(mapping(trace.get("data")).get("spans"), list)
        for trace in _traces(record)[:1]
    )


def _spans(record: Record) -> Iterator[SpanData | None]:
    for trace in _traces(record):
        spans = mapping(trace.get("data")).get("spans")
        for span in spans if isinstance(spans, list) else ():
            yield flat.span(span) if isinstance(span, Mapping) else None


FORMAT = SpanFormat(
    name="MLflow trace",
    written_by="`mlflow traces get` and `mlflow traces search`, `Trace.to_json()`",
    looks="an object with `info` and `data` with `spans`",
    recognises=_recognises,
    read=record_by_record(_recognises, _spans, "an MLflow trace"),
)
