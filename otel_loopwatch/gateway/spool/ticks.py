"""Which requests of a segment are done: a file of offsets, each with a checksum of its own.

Not synced: a tick that a power cut takes means that its request is sent once more. A torn or damaged tick is none, for
the same reason: the one thing a tick must never do is to name another request.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

OFFSET = struct.Struct("<I")
TICK = struct.Struct("<II")


def tick(path: Path, offset: int) -> None:
    """Add an offset. Raises ``OSError``."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        os.write(file, TICK.pack(offset, crc32(OFFSET.pack(offset))))
    finally:
        os.close(file)


def ticked(path: Path) -> Iterator[int]:
    """The offsets in the file, which need not exist; a torn last one is cut off. Raises ``OSError``."""
    data = path.read_bytes() if path.exists() else b""
    whole = len(data) - len(data) % TICK.size
    if whole < len(data):
        os.truncate(path, whole)  # or those that are added would be torn, too
    for offset, checksum in TICK.iter_unpack(data[:whole]):
        if checksum == crc32(OFFSET.pack(offset)):
            yield offset
