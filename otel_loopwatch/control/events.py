"""Server-sent events, as they are read (HTML standard, 9.2.6): the part of it that a gateway speaks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

MAX_LINE = 65_536
"""Bytes; a longer line is none of a gateway's."""


class Lines(Protocol):
    """What is read."""

    def readline(self, limit: int) -> bytes:
        """The next line with its end, at most so many bytes of it; empty at the end of the stream."""


class ServerEvent(NamedTuple):
    """One event; of a comment or a field alone, all parts are empty: something was heard."""

    name: str = ""
    data: bytes = b""
    id: str = ""


def events(stream: Lines) -> Iterator[ServerEvent]:
    """One item per line: the event that it completes, or an empty one. Raises ValueError where a line has no end."""
    fields: dict[bytes, bytes] = {}
    while line := stream.readline(MAX_LINE):
        if not line.endswith(b"\n") and len(line) >= MAX_LINE:
            raise ValueError(f"a line of more than {MAX_LINE} bytes")
        name, _, value = line.strip(b"\r\n").partition(b":")
        if name:
            fields[name] = value.removeprefix(b" ")
        if line.strip(b"\r\n") or b"data" not in fields:
            yield ServerEvent()
            continue
        yield ServerEvent(
            fields.get(b"event", b"message").decode("utf-8", "replace"),
            fields[b"data"],
            fields.get(b"id", b"").decode("utf-8", "replace"),
        )
        fields.clear()
