"""How many parts a request may have: two bytes on the wire may be two hundred in memory, and are looked at one by one.

They are counted before anything is made of them. In protobuf that takes a glance at where each part begins.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from otel_loopwatch.gateway.receive.refusals import Reason, Refused

MAX_PARTS = 200_000
"""Resources, scopes and spans (log records, metrics) of one request: exporters send hundreds, collectors thousands."""
MAX_JSON_PARTS = 1_000_000
"""Objects and lists of a request in JSON."""
_RESOURCES, _SCOPES, _ITEMS = 1, 2, 2
"""Numbers of the fields, the same for each signal."""
_VARINT, _WIDE, _BYTES, _NARROW = 0, 1, 2, 5
"""How a field is written on the wire."""
_LONGEST_VARINT = 70
"""Bits."""


def check_json(body: bytes) -> None:
    """Raises :class:`Refused` where JSON has too many parts; what looks like one within a text counts, too."""
    if body.count(b"{") + body.count(b"[") > MAX_JSON_PARTS:
        raise _too_many()


def check_protobuf(body: bytes) -> None:
    """Raises :class:`Refused` where a request has too many parts, or is seen to be none while they are counted."""
    if next(islice(_parts(memoryview(body)), MAX_PARTS, None), None) is not None:
        raise _too_many()


def _parts(request: memoryview) -> Iterator[memoryview]:
    try:
        for of_resource in _messages(request, _RESOURCES):
            yield of_resource
            for of_scope in _messages(of_resource, _SCOPES):
                yield of_scope
                yield from _messages(of_scope, _ITEMS)
    except IndexError:
        raise Refused(Reason.MALFORMED, "the request is cut") from None


def _messages(outer: memoryview, number: int) -> Iterator[memoryview]:
    """What a field of a message holds, one by one. Raises ``IndexError`` where the message is cut."""
    at, end = 0, len(outer)
    while at < end:
        key, at = _varint(outer, at)
        kind = key & 7
        if kind == _BYTES:
            size, at = _varint(outer, at)
            if key >> 3 == number:
                yield outer[at : at + size]
            at += size
        elif kind == _VARINT:
            _, at = _varint(outer, at)
        elif kind in (_WIDE, _NARROW):
            at += 8 if kind == _WIDE else 4
        else:
            raise Refused(Reason.MALFORMED, "the request has a field of a kind that OTLP does not use")


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """A number, and where it ends."""
    number = data[at]
    at += 1
    if number < 128:
        return number, at
    number &= 127
    for bits in range(7, _LONGEST_VARINT, 7):
        byte = data[at]
        at += 1
        number |= (byte & 127) << bits
        if byte < 128:
            return number, at
    raise Refused(Reason.MALFORMED, "the request has a number that does not end")


def _too_many() -> Refused:
    return Refused(Reason.TOO_LARGE, "the request has too many parts")
