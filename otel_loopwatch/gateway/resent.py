"""Requests that come again: an exporter whose acknowledgement was lost sends the very same bytes."""

from __future__ import annotations

from collections import OrderedDict

import xxhash

MAX_REMEMBERED = 2000
"""Requests, the latest. Each takes 300 bytes and its marks, 150 for each call."""


class Known:
    """A request that came."""

    __slots__ = ("again", "marks", "spans")

    def __init__(self) -> None:
        self.spans = 0
        self.marks: bytes | None = None
        """None until all of it is judged."""
        self.again: list[int] = []
        """Positions at which it came again before that."""


class Resent:
    """The latest requests, by their bytes."""

    def __init__(self) -> None:
        self._known: OrderedDict[bytes, Known] = OrderedDict()

    def before(self, body: bytes) -> Known | None:
        """What is known of a request that came before."""
        return self._known.get(xxhash.xxh3_128_digest(body))

    def remember(self, body: bytes) -> Known:
        """It comes for the first time."""
        known = self._known[xxhash.xxh3_128_digest(body)] = Known()
        if len(self._known) > MAX_REMEMBERED:
            self._known.popitem(last=False)
        return known
