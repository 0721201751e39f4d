"""One process per folder."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

LOCK = "lock"
"""Name of the file. It stays: what counts is who holds it, and the system lets go of it when the process dies."""


def hold(folder: Path) -> int:
    """The descriptor that holds the folder until it is closed.

    :raises ValueError: where another process holds it.
    :raises OSError: where the file cannot be made.
    """
    file = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        raise ValueError(
            f"folder is {str(folder)!r}; it must be used by one gateway only, and another one runs"
        ) from None
    return file
