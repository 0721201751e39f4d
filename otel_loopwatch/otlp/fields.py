"""How each field of a message is written in OTLP/JSON, by its descriptor.

The rules are protobuf's own mapping to JSON, with the exceptions of the OTLP specification ("JSON Protobuf Encoding"):
ids are hexadecimal, enums are integers only, and keys are in lowerCamelCase only. ``google.protobuf.json_format`` must
not be used for it: it takes hexadecimal ids for base64 and gives other ids without a word.
"""

from __future__ import annotations

import binascii
import math
from base64 import b64decode, b64encode
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from google.protobuf.descriptor import Descriptor, FieldDescriptor

IDS = frozenset({"trace_id", "span_id", "parent_span_id"})
"""Fields that are hexadecimal."""
WIDE = frozenset(
    {
        FieldDescriptor.TYPE_INT64,
        FieldDescriptor.TYPE_UINT64,
        FieldDescriptor.TYPE_SINT64,
        FieldDescriptor.TYPE_FIXED64,
        FieldDescriptor.TYPE_SFIXED64,
    }
)
"""Integers that JSON has as text: JavaScript's numbers do not hold them."""
FLOATS = frozenset({FieldDescriptor.TYPE_DOUBLE, FieldDescriptor.TYPE_FLOAT})
_UNUSUAL = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_LONGEST_INTEGER = 20
_LABEL_REPEATED = 3

Convert = Callable[[Any], Any]


class JsonField(NamedTuple):
    """A field of a message, and how JSON has it."""

    name: str
    key: str
    """In JSON."""
    repeated: bool
    message: Descriptor | None
    """Of what the field holds, where it holds messages."""
    read: Convert
    """From JSON's value to the field's, for anything but messages. Raises ``ValueError`` for what is no such value."""
    write: Convert
    """From the field's value to JSON's, for anything but messages."""


@cache
def by_key(descriptor: Descriptor) -> dict[str, JsonField]:
    """The fields of a message by their keys in JSON."""
    return {field.json_name: json_field(field) for field in descriptor.fields}


@cache
def json_field(field: FieldDescriptor) -> JsonField:
    """How JSON has a field."""
    return JsonField(
        field.name, field.json_name, _is_repeated(field), field.message_type, _reader(field), _writer(field)
    )


def _reader(field: FieldDescriptor) -> Convert:
    if field.type == FieldDescriptor.TYPE_STRING:
        return _text
    if field.type == FieldDescriptor.TYPE_BYTES:
        return _hexadecimal if field.name in IDS else _base64
    if field.type == FieldDescriptor.TYPE_BOOL:
        return _boolean
    if field.type == FieldDescriptor.TYPE_ENUM:
        return _number
    return _float if field.type in FLOATS else _integer


def _writer(field: FieldDescriptor) -> Convert:
    if field.type == FieldDescriptor.TYPE_BYTES:
        return bytes.hex if field.name in IDS else _as_base64
    if field.type in FLOATS:
        return _as_number
    return str if field.type in WIDE else _as_it_is


def _is_repeated(field: FieldDescriptor) -> bool:
    """Whether a field is a list: protobuf 5 has no property for it, protobuf 7 no label."""
    return bool(getattr(field, "is_repeated", getattr(field, "label", None) == _LABEL_REPEATED))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("it must be text")
    return value


def _hexadecimal(value: object) -> bytes:
    try:
        return bytes.fromhex(_text(value))
    except ValueError:
        raise ValueError("it must be hexadecimal") from None


def _base64(value: object) -> bytes:
    text = _text(value).replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("it must be base64") from None


def _boolean(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("it must be true or false")
    return value


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError("it must be an integer, not the name of a value")
    return value


def _integer(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and len(value) <= _LONGEST_INTEGER and value.removeprefix("-").isdecimal():
        return int(value)
    raise ValueError("it must be an integer, as a number or as text")


def _float(value: object) -> float:
    try:
        if isinstance(value, str):
            return _UNUSUAL[value] if value in _UNUSUAL else float(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(value)
    except (ValueError, OverflowError):
        pass
    raise ValueError("it must be a number")


def _as_base64(value: bytes) -> str:
    return b64encode(value).decode()


def _as_number(value: float) -> float | str:
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _as_it_is(value: Any) -> Any:
    return value
