"""A request as bytes, framed so that damage costs the records it touches and no others.

``mark (8) | length of the body (4) | signal (1) | xxh3-64 of all but itself (8) | body``, integers little-endian. The
mark is random and the segment's own: no client can send bytes that would be taken for a record of it.
"""

from __future__ import annotations

import struct
from array import array
from dataclasses import dataclass, field

import xxhash

from otel_loopwatch.gateway.signal import Request, Signal

MARK_BYTES = 8
SHAPE = struct.Struct("<IB")
DIGEST_BYTES = 8
HEAD_BYTES = MARK_BYTES + SHAPE.size + DIGEST_BYTES
CODES = {Signal.TRACES: 1, Signal.LOGS: 2, Signal.METRICS: 3}
"""On disk; never to be changed."""
SIGNALS = {code: signal for signal, code in CODES.items()}


@dataclass(slots=True)
class Found:
    """What a segment's bytes hold."""

    offsets: array[int] = field(default_factory=lambda: array("I"))
    """Of the whole records, rising."""
    damaged: int = 0
    """Places that cannot be read; a last record that was cut off is none: nobody was told that it is kept."""


def encode(mark: bytes, request: Request) -> bytes:
    """The request as a record."""
    shape = SHAPE.pack(len(request.body), CODES[request.signal])
    return b"".join((mark, shape, _digest(mark, shape, request.body), request.body))


def decode(mark: bytes, data: bytes, offset: int = 0) -> Request | None:
    """The request of the record at an offset; None where there is no whole one."""
    shape = data[offset + MARK_BYTES : offset + MARK_BYTES + SHAPE.size]
    if len(shape) < SHAPE.size:
        return None
    length, code = SHAPE.unpack(shape)
    body = data[offset + HEAD_BYTES : offset + HEAD_BYTES + length]
    digest = data[offset + HEAD_BYTES - DIGEST_BYTES : offset + HEAD_BYTES]
    if data[offset : offset + MARK_BYTES] != mark or digest != _digest(mark, shape, body) or code not in SIGNALS:
        return None
    return Request(SIGNALS[code], body)


def scan(mark: bytes, data: bytes) -> Found:
    """All whole records, also those after a damaged place."""
    found = Found()
    end = 0
    at = data.find(mark)
    while at >= 0:
        request = decode(mark, data, at)
        if request is None:
            at = data.find(mark, at + 1)
            continue
        found.damaged += at > end
        found.offsets.append(at)
        end = at + HEAD_BYTES + len(request.body)
        at = data.find(mark, end)
    found.damaged += end < len(data) and not _cut_off(mark, data, end)
    return found


def _digest(mark: bytes, shape: bytes, body: bytes) -> bytes:
    digest = xxhash.xxh3_64(mark + shape)
    digest.update(body)
    return digest.digest()


def _cut_off(mark: bytes, data: bytes, offset: int) -> bool:
    """Whether the bytes from an offset on are the beginning of a record whose rest was never written."""
    head = data[offset : offset + HEAD_BYTES]
    if len(head) < HEAD_BYTES:
        return head[:MARK_BYTES] == mark[: len(head)]
    length, _ = SHAPE.unpack_from(head, MARK_BYTES)
    return head.startswith(mark) and offset + HEAD_BYTES + int(length) > len(data)
