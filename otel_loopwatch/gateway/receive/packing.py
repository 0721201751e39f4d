"""gzip, never unpacked beyond the limit."""

from __future__ import annotations

import zlib

from otel_loopwatch.gateway.receive.refusals import Reason, Refused

MAX_MEMBERS = 16
"""Of one body: exporters write one, and a body of a million empty ones would take minutes."""
_GZIP = 16 + zlib.MAX_WBITS


def unpacked(body: bytes, content_encoding: str, limit: int) -> bytes:
    """The body as it was before it was packed, of at most ``limit`` bytes.

    :raises Refused: for what unpacks to more, what is broken or cut, and for other encodings.
    """
    named = content_encoding.strip().lower()
    if named in ("", "identity"):
        return body
    if named != "gzip":
        raise Refused(Reason.CONTENT_ENCODING, "the content encoding must be gzip or identity")
    return _gunzipped(body, limit)


def _gunzipped(body: bytes, limit: int) -> bytes:
    """Member by member: a gzip file may have several."""
    parts: list[bytes] = []
    room = limit
    while body:
        if len(parts) == MAX_MEMBERS:
            raise Refused(Reason.MALFORMED, "the gzip of the body has too many members")
        part, body = _member(body, room)
        parts.append(part)
        room -= len(part)
    return b"".join(parts)


def _member(body: bytes, room: int) -> tuple[bytes, bytes]:
    """The first member, unpacked, and what comes after it."""
    unpacking = zlib.decompressobj(_GZIP)
    try:
        part = unpacking.decompress(body, room + 1)
    except zlib.error:
        raise Refused(Reason.MALFORMED, "the body is no gzip") from None
    if len(part) > room:
        raise Refused(Reason.TOO_LARGE, "the body is too large when unpacked")
    if not unpacking.eof:
        raise Refused(Reason.MALFORMED, "the gzip of the body is cut")
    return part, unpacking.unused_data
