"""OTLP/JSON to messages and back."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec
from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message

from otel_loopwatch.otlp.fields import JsonField, by_key, json_field

MAX_DEPTH = 100
"""Messages within messages: protobuf itself reads no more of them from bytes."""

M = TypeVar("M", bound=Message)


def parse(kind: type[M], body: bytes) -> M:
    """A message of a kind from JSON; keys that it does not know are ignored.

    :raises ValueError: with the reason on one line, for what is not such a message.
    """
    descriptor: Any = kind.DESCRIPTOR  # two classes in the stubs, one in truth
    try:
        return kind(**_read_message(descriptor, msgspec.json.decode(body), MAX_DEPTH))
    except RecursionError:
        raise ValueError("nested too deep") from None
    except msgspec.MsgspecError as error:
        raise ValueError(str(error)) from None


def line(message: Message) -> bytes:
    """A message as one JSON object on one line, without a line break at its end."""
    return msgspec.json.encode(_write_message(message))


def _read_message(descriptor: Descriptor, value: object, depth: int) -> dict[str, Any]:
    """What the constructor of a message takes."""
    if not isinstance(value, dict):
        raise ValueError("it must be an object")
    if not depth:
        raise ValueError("nested too deep")
    fields, found, key = by_key(descriptor), {}, ""
    try:
        for key, inner in value.items():
            field = fields.get(key)
            if field is not None and inner is not None:
                found[field.name] = _read_field(field, inner, depth - 1)
    except ValueError as error:
        raise ValueError(f"{key}: {error}") from None
    return found


def _read_field(field: JsonField, value: object, depth: int) -> Any:
    message, read = field.message, field.read
    if not field.repeated:
        return read(value) if message is None else _read_message(message, value, depth)
    if not isinstance(value, list):
        raise ValueError("it must be a list")
    return [read(item) if message is None else _read_message(message, item, depth) for item in value]


def _write_message(message: Message) -> dict[str, Any]:
    return {(field := json_field(told)).key: _write_field(field, value) for told, value in message.ListFields()}


def _write_field(field: JsonField, value: Any) -> Any:
    write = field.write if field.message is None else _write_message
    return [write(item) for item in value] if field.repeated else write(value)
