"""Ids of what is told without any: the same for the same text, whoever tells it. The hook imports it: it is light."""

from __future__ import annotations

import xxhash

TRACE_ID_BYTES, SPAN_ID_BYTES = 16, 8


def digest(text: str, size: int) -> int:
    """A number of ``size`` bytes that stands for a text."""
    data = text.encode("utf-8", "surrogatepass")
    return xxhash.xxh3_128_intdigest(data) if size == TRACE_ID_BYTES else xxhash.xxh3_64_intdigest(data)
