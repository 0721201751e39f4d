"""Requests on disk: appended to segments, read back by position, ticked off, recovered after a crash."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from threading import Lock

from otel_loopwatch.gateway.room import Room
from otel_loopwatch.gateway.signal import Request
from otel_loopwatch.gateway.spool import segment as segments
from otel_loopwatch.gateway.spool.lock import hold
from otel_loopwatch.gateway.spool.records import HEAD_BYTES, encode
from otel_loopwatch.gateway.spool.segment import Segment
from otel_loopwatch.gateway.spool.writer import Writer

log = logging.getLogger("otel_loopwatch")

SEGMENT_BYTES = 64 * 2**20
"""A segment of this size grows no more."""
SEGMENTS = 8
"""A full spool has so many at least: a request that stays holds back the bytes of its own segment only."""
OFFSETS = 2**32
"""A position is the number of the segment times this, plus the offset in it: it needs no table, and always rises."""


class Spool:
    """Keeps requests in a folder, of ``max_bytes`` in all. ``clock`` gives seconds that never go back.

    What was appended is on the disk, not only on its way there. After a power cut one that is done may come back; one
    that is not done is there. Folder and files are for their owner alone: they hold what users sent.

    :raises ValueError: where the folder cannot be used or another process uses it, or ``max_bytes`` is too small.
    """

    def __init__(self, folder: Path, max_bytes: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._room = Room(max_bytes, clock)
        self._segment_bytes = min(SEGMENT_BYTES, max_bytes // SEGMENTS)
        self._lock = Lock()
        self._folder = folder
        self._writer: Writer | None = None
        self._closed = False
        self._failing = False
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with ExitStack() as held:
                held.callback(os.close, hold(folder))
                self._recover()
                self._held = held.pop_all()
        except OSError as error:
            raise ValueError(f"folder is {str(folder)!r}; it must be one that can be written: {error}") from None

    def append(self, request: Request) -> int:
        """Keep a request; its position. Raises ``StoreFull``, also once the spool is closed and while the disk fails.

        Where the disk failed the request may still be there after a restart, as a duplicate of its next try.
        """
        try:
            with self._lock:
                writer, position, end = self._write(request)
            self._make_durable(writer, position, end)
        except OSError as error:
            self._tell(error)
            raise self._room.full() from error
        self._failing = False
        return position

    def read(self, position: int) -> Request:
        """The request at a position that is not done.

        Raises ``KeyError``, also for one that is damaged, and ``OSError`` where it cannot be read now.
        """
        number, offset = divmod(position, OFFSETS)
        with self._lock:
            segment = self._segments.get(number)
            if segment is None or not segment.holds(offset):
                raise KeyError(position)
        request = segment.read(offset)
        if request is None:
            self._lose(position)
            raise KeyError(position)
        return request

    def done(self, position: int) -> None:
        """The request need not be kept."""
        with self._lock:
            if self._finish(position):
                self._room.delivered()

    def pending(self) -> Sequence[int]:
        """Positions that are not done, in their order; after a restart, those an earlier process left."""
        with self._lock:
            kept = list(self._segments.items())
            return [number * OFFSETS + offset for number, segment in kept for offset in segment.pending()]

    @property
    def size(self) -> int:
        """Bytes of all segments: a request that is done counts until its segment goes."""
        return self._room.used

    @property
    def damaged(self) -> int:
        """Places found since the start that cannot be read; at each of them at least one request is lost."""
        return self._damaged

    def close(self) -> None:
        """Nothing more comes; what is kept stays for the next start."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._seal()
                self._held.close()

    def _recover(self) -> None:
        left = segments.found(self._folder)
        self._segments = {each.number: each for each in left}
        self._number = max(self._segments, default=0)
        self._room.used = sum(each.size for each in left)
        self._damaged = sum(each.damaged for each in left)
        if self._damaged:
            log.warning("%s is damaged in %d places: requests are lost", self._folder, self._damaged)
        self._roll()

    def _write(self, request: Request) -> tuple[Writer, int, int]:
        """The segment's writer, the position, and where in the segment the record ends."""
        writer = self._writer_for(HEAD_BYTES + len(request.body))
        segment, offset = self._newest, writer.size
        try:
            end = writer.write(encode(segment.mark, request))
        except OSError:
            self._seal()  # no record may follow half a one
            raise
        finally:
            self._room.used += writer.size - offset
            segment.size = writer.size
        segment.add(offset)
        return writer, segment.number * OFFSETS + offset, end

    def _writer_for(self, size: int) -> Writer:
        if self._closed:
            raise self._room.full()
        if not self._room.holds(size) and self._newest.size and not self._newest.left:
            self._roll()
        self._room.require(size)
        if self._writer is None or self._writer.size >= self._segment_bytes:
            return self._roll()
        return self._writer

    def _make_durable(self, writer: Writer, position: int, end: int) -> None:
        """Outside the lock: others write meanwhile."""
        try:
            writer.make_durable(end)
        except OSError:
            with self._lock:
                self._finish(position)
                if self._writer is writer:
                    self._seal()
            raise

    def _roll(self) -> Writer:
        """Begin a new segment, and drop those that only waited for it: the newest one's name keeps the number."""
        self._seal()
        self._number += 1
        segment = segments.new(self._folder, self._number)
        self._writer = Writer(segment.path)
        self._segments[segment.number] = segment
        for each in tuple(self._segments.values()):
            self._drop_if_done(each)
        return self._writer

    @property
    def _newest(self) -> Segment:
        return next(reversed(self._segments.values()))

    def _seal(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _lose(self, position: int) -> None:
        """A record that is damaged, unless it was done while it was read."""
        with self._lock:
            if self._finish(position):
                self._damaged += 1
                log.warning("Request %d in %s is damaged: it is lost", position, self._folder)

    def _finish(self, position: int) -> bool:
        number, offset = divmod(position, OFFSETS)
        segment = self._segments.get(number)
        if self._closed or segment is None or not segment.finish(offset):
            return False
        if not self._drop_if_done(segment):
            with suppress(OSError):  # then it comes once more after a restart
                segment.tick(offset)
        return True

    def _drop_if_done(self, segment: Segment) -> bool:
        if segment.left or segment is self._newest:
            return False
        del self._segments[segment.number]
        self._room.used -= segment.size
        with suppress(OSError):  # then it goes at the next start
            segment.delete()
        return True

    def _tell(self, error: OSError) -> None:
        """Once, until the disk takes requests again."""
        if not self._failing:
            self._failing = True
            log.error("No request can be kept in %s: %s", self._folder, error)
