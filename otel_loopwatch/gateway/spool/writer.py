"""The segment that grows: many threads append, and one sync serves all who wait for it."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path
from threading import Lock


class Writer:
    """A new file, appended to by one thread at a time and made durable by any. Raises ``OSError`` as files do."""

    def __init__(self, path: Path) -> None:
        self._file = _made(path)
        self.size = 0
        """Bytes written."""
        self._durable = 0
        self._failed = False
        self._syncing = Lock()

    def write(self, record: bytes) -> int:
        """Append a record; where it ends. After an error the file is not to be written to again."""
        written = os.write(self._file, record)
        self.size += written
        if written < len(record):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return self.size

    def make_durable(self, end: int) -> None:
        """Return when all bytes before ``end`` are on the disk.

        While one thread syncs, others write; the next one's sync is for all of them, and they find it done.
        """
        with self._syncing:
            if self._durable >= end:
                return
            if self._failed:  # the system drops what it could not write: a second sync would succeed for nothing
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            size = self.size
            try:
                os.fsync(self._file)
            except OSError:
                self._failed = True
                raise
            self._durable = size

    def close(self) -> None:
        """Make durable what can be, and write no more."""
        with suppress(OSError):
            self.make_durable(self.size)
        os.close(self._file)


def _made(path: Path) -> int:
    """The descriptor of a new file, whose name is there after a power cut."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            os.fsync(folder)
        except OSError:
            os.close(file)
            raise
        return file
    finally:
        os.close(folder)
