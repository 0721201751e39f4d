"""Attributes and their values: protobuf to plain Python, and back."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

if TYPE_CHECKING:
    from google.protobuf.internal.containers import RepeatedCompositeFieldContainer

    from otel_loopwatch.telemetry.annotate import Value


def attributes(pairs: Iterable[KeyValue]) -> dict[str, Any]:
    """Key and value pairs as a dictionary; the last of equal keys counts."""
    found = {}
    for pair in pairs:
        value = pair.value
        found[pair.key] = value.string_value or any_value(value)  # most are texts
    return found


def any_value(value: AnyValue) -> Any:
    """The value of an ``AnyValue``, as :func:`otel_loopwatch.sources.otlp.any_value` gives it; bytes as base64."""
    kind = value.WhichOneof("value")
    if kind is None:
        return None
    inner = getattr(value, kind)
    if kind == "array_value":
        return [any_value(item) for item in inner.values]
    if kind == "kvlist_value":
        return attributes(inner.values)
    return b64encode(inner).decode() if kind == "bytes_value" else inner


def write(target: AnyValue, value: Value) -> None:
    """Have an ``AnyValue`` hold a value."""
    if isinstance(value, str):
        target.string_value = value
    elif isinstance(value, bool):
        target.bool_value = value
    elif isinstance(value, int):
        target.int_value = value
    elif isinstance(value, float):
        target.double_value = value
    else:
        target.array_value.values.extend(AnyValue(string_value=item) for item in value)


def write_pairs(target: RepeatedCompositeFieldContainer[KeyValue], values: Mapping[str, Value]) -> None:
    """Add key and value pairs to a list of them."""
    for key, value in values.items():
        write(target.add(key=key).value, value)
