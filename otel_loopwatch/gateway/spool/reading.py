"""Files of a disk that may be failing."""

from __future__ import annotations

import errno
import os
from pathlib import Path

BLOCK_BYTES = 4096
"""What disks lose at a time."""


def lost(error: OSError) -> bool:
    """Whether the disk itself cannot give the bytes any more, so that another try is in vain."""
    return error.errno == errno.EIO


def salvaged(path: Path) -> bytes:
    """All of a file, with zeros where the disk cannot give it. Raises ``OSError`` for any other trouble."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        return b"".join(_block(file.fileno(), at, min(BLOCK_BYTES, size - at)) for at in range(0, size, BLOCK_BYTES))


def _block(file: int, offset: int, size: int) -> bytes:
    try:
        return os.pread(file, size, offset)
    except OSError as error:
        if not lost(error):
            raise
        return bytes(size)
