"""Arize Phoenix: spans and traces of its command ``px`` and of its REST interface."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from otel_loopwatch.dialects import openinference
from otel_loopwatch.dialects.values import first
from otel_loopwatch.sources import flat
from otel_loopwatch.sources.formats import SpanFormat, record_by_record
from otel_loopwatch.sources.records import Record
from otel_loopwatch.sources.scalars import objects
from otel_loopwatch.spans import SpanData

WHOLE = {"input.value", "output.value", "tool.parameters", "metadata", "llm.invocation_parameters"}
"""Attributes whose value may be an object: it is the value, no further level of names."""
MAX_LEVELS = 16


def _held(record: Record) -> list[Mapping[str, Any]]:
    held = first(record, "spans", "data")
    return objects(held) if isinstance(held, list) else [record]


def _is_phoenix(span: Mapping[str, Any]) -> bool:
    return isinstance(span.get("context"), Mapping) and "span_kind" in span and flat.is_span(span)


def _recognises(record: Record) -> bool:
    return any(_is_phoenix(span) for span in _held(record)[:1])


def _spans(record: Record) -> Iterator[SpanData | None]:
    for found in _held(record):
        span = flat.span(found)
        yield span and span._replace(attributes=_attributes(found, span.attributes))


def _attributes(found: Mapping[str, Any], attributes: Mapping[str, Any]) -> dict[str, Any]:
    """With their dotted names, and the kind that Phoenix keeps beside them."""
    dotted = dict(_dotted(attributes, "", MAX_LEVELS))
    dotted.setdefault(openinference.KIND, found["span_kind"] if isinstance(found["span_kind"], str) else None)
    return dotted


def _dotted(value: Any, name: str, levels: int) -> Iterator[tuple[str, Any]]:
    """``{"llm": {"input_messages": [{..}]}}`` as ``llm.input_messages.0..``."""
    inner = value if isinstance(value, Mapping) else dict(enumerate(value)) if _is_list_of_objects(value) else None
    if inner is None or name in WHOLE or levels == 0:
        yield name, value
        return
    for key, item in inner.items():
        yield from _dotted(item, f"{name}.{key}" if name else str(key), levels - 1)


def _is_list_of_objects(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)


FORMAT = SpanFormat(
    name="Phoenix JSON",
    written_by="`px trace get`, `px trace list` and `px span list` with `--format raw`, `/v1/projects/{project}/spans`",
    looks="objects with `context`, `span_kind` and `name`, alone, in a list, or under `spans` or `data`",
    recognises=_recognises,
    read=record_by_record(_recognises, _spans, "a Phoenix span"),
)
