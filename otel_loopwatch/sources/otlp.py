"""OTLP/JSON traces, as the collector, Alloy, the SDKs, Tempo, Grafana and Jaeger's ``/api/v3`` write them."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from otel_loopwatch.ids import SPAN_ID_BYTES, TRACE_ID_BYTES
from otel_loopwatch.sources.formats import SpanFormat, record_by_record
from otel_loopwatch.spans import SpanData, SpanEvent

RESOURCE_KEYS = ("resourceSpans", "resource_spans", "batches")
"""``batches`` is what Tempo and Grafana call them."""
_SCOPE_KEYS = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
ERROR_CODES = (2, "2", "STATUS_CODE_ERROR")


def is_trace(record: Mapping[str, Any]) -> bool:
    """Whether an object is an OTLP trace document, Tempo's ``{"trace": document}`` or Jaeger's ``{"result": ..}``."""
    return any(isinstance(_unwrapped(record).get(key), list) for key in RESOURCE_KEYS)


def spans(record: Mapping[str, Any]) -> Iterator[SpanData | None]:
    """The spans of a document in its order; ``None`` for each that cannot be read."""
    for service, scope, span in items(_unwrapped(record), RESOURCE_KEYS, _SCOPE_KEYS, ("spans",)):
        yield _span(span, scope, service)


def items(
    document: Mapping[str, Any], resources: Sequence[str], scopes: Sequence[str], leaves: Sequence[str]
) -> Iterator[tuple[str, str, Any]]:
    """What a document of any signal holds, as ``(service, scope, item)``, by the keys of its three levels."""
    for of_resource in _objects(document, *resources):
        resource = attributes(_mapping(of_resource.get("resource")).get("attributes"))
        service = _text(resource.get("service.name"))
        for of_scope in _objects(of_resource, *scopes):
            scope = _mapping(of_scope.get("scope") or of_scope.get("instrumentationLibrary"))
            for leaf in leaves:
                for item in _list(of_scope.get(leaf)):
                    yield service, _text(scope.get("name")), item


def attributes(pairs: object) -> dict[str, Any]:
    """A list of ``{"key", "value"}`` as a dictionary; what has no such shape is left out."""
    found = {}
    for pair in _list(pairs):
        if isinstance(pair, dict) and isinstance(key := pair.get("key"), str):
            value = pair.get("value")
            text = value.get("stringValue") if type(value) is dict and len(value) == 1 else None
            found[key] = any_value(value) if text is None else text  # most are texts: 0.2 us each instead of 0.5
    return found


def any_value(value: object) -> Any:
    """The value of an ``AnyValue``; bytes stay base64 text."""
    if not isinstance(value, dict) or not value:
        return None
    kind, inner = next(iter(value.items()))
    if kind == "intValue":
        return _integer(inner)
    if kind == "arrayValue":
        return [any_value(item) for item in _list(_mapping(inner).get("values"))]
    if kind == "kvlistValue":
        return attributes(_mapping(inner).get("values"))
    return inner


def _span(span: object, scope: str, service: str) -> SpanData | None:
    if not isinstance(span, dict):
        return None
    try:
        get, status = span.get, _mapping(span.get("status"))
        return SpanData(
            _id(get("traceId"), TRACE_ID_BYTES),
            _id(get("spanId"), SPAN_ID_BYTES),
            _id(get("parentSpanId"), SPAN_ID_BYTES),
            _text(get("name")),
            scope,
            attributes(get("attributes")),
            tuple(_events(events)) if (events := get("events")) else (),
            status.get("code") in ERROR_CODES,
            _text(status.get("message")),
            _integer(get("startTimeUnixNano")),
            _integer(get("endTimeUnixNano")),
            service,
        )
    except (ValueError, RecursionError):
        return None


def _events(events: object) -> Iterator[SpanEvent]:
    for event in _list(events):
        if isinstance(event, dict):
            yield SpanEvent(_text(event.get("name")), attributes(event.get("attributes")))


def _id(text: object, size: int) -> int:
    """An id of ``size`` bytes: hex as OTLP/JSON demands, or base64 as Grafana writes it. ``ValueError`` if neither."""
    if not isinstance(text, str) or not text:
        return 0
    if len(text) == 2 * size:
        return int.from_bytes(bytes.fromhex(text), "big")
    try:
        return int.from_bytes(base64.b64decode(text, validate=True), "big")
    except binascii.Error:
        raise ValueError(f"not an id: {text[:40]}") from None


def _integer(value: object) -> int:
    if isinstance(value, str) and (value.isdecimal() or value.lstrip("-").isdecimal()) and len(value) <= 20:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _unwrapped(record: Mapping[str, Any]) -> Mapping[str, Any]:
    inner = next((record[key] for key in ("trace", "result") if isinstance(record.get(key), dict)), None)
    return record if inner is None else inner


def _objects(outer: Mapping[str, Any], *keys: str) -> Iterator[dict[str, Any]]:
    for key in keys:
        yield from (item for item in _list(outer.get(key)) if isinstance(item, dict))


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


FORMAT = SpanFormat(
    name="OTLP/JSON traces",
    written_by="the collector's and Alloy's `file` exporters, Tempo's API (v1 and v2), Grafana's \"Download traces\"",
    looks="an object with `resourceSpans` (or `batches`)",
    recognises=is_trace,
    read=record_by_record(is_trace, spans, "a trace document"),
)
