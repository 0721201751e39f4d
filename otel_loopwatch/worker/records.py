"""What a worker tells, as records of topics, and where in the log it came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

HEADER = "loopwatch-source"
"""Header of everything told: offset of the message it follows from, and its place among what that led to."""


Headers = Mapping[str, str | bytes | None] | Sequence[tuple[str, str | bytes | None]]


class Record(NamedTuple):
    """What is put on a topic, into the partition with the number of the message's."""

    topic: str
    key: bytes | None
    value: bytes | None
    """None: what was told under this key is over."""


class Source(NamedTuple):
    """Where a record came from; those of one topic and partition rise."""

    offset: int
    place: int

    def headers(self) -> list[tuple[str, str | bytes | None]]:
        """As a record carries it."""
        return [(HEADER, f"{self.offset}.{self.place}".encode())]


def source_of(headers: Headers | None) -> Source | None:
    """Where a record came from, or None for one that is not ours."""
    pairs = headers.items() if isinstance(headers, Mapping) else headers or ()
    for name, value in pairs:
        if name == HEADER and isinstance(value, bytes):
            offset, _, place = value.partition(b".")
            if offset.isdigit() and place.isdigit():
                return Source(int(offset), int(place))
    return None
