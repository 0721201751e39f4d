"""The requests of one file, and which of them are done."""

from __future__ import annotations

import os
import re
import secrets
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path

from otel_loopwatch.gateway.signal import Request
from otel_loopwatch.gateway.spool.reading import lost, salvaged
from otel_loopwatch.gateway.spool.records import HEAD_BYTES, MARK_BYTES, SHAPE, decode, scan
from otel_loopwatch.gateway.spool.ticks import tick, ticked

REQUESTS = ".requests"
DONE = ".done"
NAME = re.compile(rf"[0-9]{{10}}-[0-9a-f]{{{2 * MARK_BYTES}}}{re.escape(REQUESTS)}")


class Segment:
    """Known by its number and its mark. For one thread at a time; only :meth:`read` may be called by any.

    Takes five bytes of memory per request.
    """

    def __init__(self, path: Path) -> None:
        number, _, mark = path.stem.partition("-")
        self.path = path
        self.number = int(number)
        self.mark = bytes.fromhex(mark)
        self.size = 0
        """Bytes of the file."""
        self.damaged = 0
        """Places in it that could not be read."""
        self.left = 0
        """Requests that are not done."""
        self._offsets = array("I")
        self._done = bytearray()

    def add(self, offset: int) -> None:
        """A request was written there."""
        self._offsets.append(offset)
        self._done.append(False)
        self.left += 1

    def holds(self, offset: int) -> bool:
        """Whether a request that is not done stands there."""
        return self._index(offset) is not None

    def read(self, offset: int) -> Request | None:
        """The request there; None where it cannot be read any more, or the segment is gone. Raises ``OSError``."""
        try:
            with self.path.open("rb") as file:
                head = os.pread(file.fileno(), HEAD_BYTES, offset)
                length = SHAPE.unpack_from(head, MARK_BYTES)[0] if len(head) == HEAD_BYTES else 0
                return decode(self.mark, head + os.pread(file.fileno(), min(length, self.size), offset + HEAD_BYTES))
        except FileNotFoundError:
            return None
        except OSError as error:
            if not lost(error):
                raise
            return None

    def finish(self, offset: int) -> bool:
        """The request there is done; False where it was before."""
        index = self._index(offset)
        if index is None:
            return False
        self._done[index] = True
        self.left -= 1
        return True

    def tick(self, offset: int) -> None:
        """Write down that it is done, for the next start. Raises ``OSError``."""
        tick(self.path.with_suffix(DONE), offset)

    def pending(self) -> Iterator[int]:
        """Offsets of the requests that are not done, in their order."""
        return (offset for offset, done in zip(self._offsets, self._done, strict=True) if not done)

    def delete(self) -> None:
        """Remove its files: the requests first, for they alone would all come back. Raises ``OSError``."""
        self.path.unlink(missing_ok=True)
        self.path.with_suffix(DONE).unlink(missing_ok=True)

    def _index(self, offset: int) -> int | None:
        index = bisect_left(self._offsets, offset)
        known = index < len(self._offsets) and self._offsets[index] == offset and not self._done[index]
        return index if known else None


def new(folder: Path, number: int) -> Segment:
    """An empty segment, whose file is still to be made."""
    return Segment(folder / f"{number:010}-{secrets.token_hex(MARK_BYTES)}{REQUESTS}")


def found(folder: Path) -> list[Segment]:
    """The segments an earlier process left, in their order; ticks of one that is gone go, too. Raises ``OSError``."""
    for path in folder.glob(f"*{DONE}"):
        if not path.with_suffix(REQUESTS).exists():
            path.unlink()
    return [_recovered(path) for path in sorted(folder.iterdir()) if NAME.fullmatch(path.name)]


def _recovered(path: Path) -> Segment:
    segment = Segment(path)
    data = salvaged(path)
    records = scan(segment.mark, data)
    segment.size = len(data)
    segment.damaged = records.damaged
    segment.left = len(records.offsets)
    segment._offsets = records.offsets
    segment._done = bytearray(segment.left)
    for offset in ticked(path.with_suffix(DONE)):
        segment.finish(offset)
    return segment
