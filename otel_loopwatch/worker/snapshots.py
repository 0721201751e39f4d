"""A trace as it is kept on the state topic: the record's key is the trace id in hex, no value means it is over."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from importlib import metadata
from typing import NamedTuple

import msgspec

from otel_loopwatch.tracker.runs import trace_key

FAST = 1
VERSION = metadata.version("otel-loopwatch")
"""Another version may keep something else of a trace: it begins anew."""


class Snapshot(NamedTuple):
    """What is known of a trace after all its messages up to an offset, which is the last it covers."""

    trace_id: int
    offset: int
    state: bytes
    """As :meth:`otel_loopwatch.stream.watch.StreamWatch.save` gives it."""

    def record(self) -> tuple[bytes, bytes]:
        """Key and value."""
        packed = zlib.compress(self.state, FAST)  # a quarter: brokers take a megabyte at most
        return key_of(self.trace_id), msgspec.msgpack.encode((VERSION, self.offset, packed))


def key_of(trace_id: int) -> bytes:
    """The key of a trace's records."""
    return trace_key(trace_id).encode()


def latest(records: Iterable[tuple[bytes | None, bytes | None]]) -> list[Snapshot]:
    """What holds after all these records, by rising offset; those that are no snapshots are ignored.

    Of several for one trace that which reaches furthest counts: a worker that lost the partition without noticing may
    have written an older one after it.
    """
    found: dict[bytes | None, Snapshot] = {}
    for key, value in records:
        snapshot = _read(key, value)
        if snapshot is None:
            found.pop(key, None)
        elif key not in found or found[key].offset <= snapshot.offset:
            found[key] = snapshot
    return sorted(found.values(), key=lambda snapshot: snapshot.offset)


def _read(key: bytes | None, value: bytes | None) -> Snapshot | None:
    try:
        version, offset, packed = msgspec.msgpack.decode(value or b"", type=tuple[str, int, bytes])
        return Snapshot(int(key or b"", 16), offset, zlib.decompress(packed)) if version == VERSION else None
    except (ValueError, msgspec.MsgspecError, zlib.error):
        return None
