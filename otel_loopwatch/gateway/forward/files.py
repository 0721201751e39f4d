"""Where there is no next: a file of OTLP JSON lines per signal, as the Collector's file exporter writes them."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from threading import Lock

from google.protobuf.message import DecodeError

from otel_loopwatch.gateway.forward.outcome import Again, Outcome, Refused, Taken
from otel_loopwatch.gateway.forward.services import REQUESTS
from otel_loopwatch.gateway.signal import Request
from otel_loopwatch.otlp import jsons

BLOCK_BYTES = 65_536
"""Read at once where the beginning of a line is looked for."""


class JsonLines:
    """Appends requests to ``traces.jsonl``, ``logs.jsonl`` and ``metrics.jsonl`` in a folder, for their owner alone.

    What was taken is on the disk. The files are opened for each line: they may be moved away at any time.

    :raises ValueError: where the folder cannot be made.
    """

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(f"folder is {str(folder)!r}; it must be one that can be written: {error}") from None
        self._folder = folder
        self._lock = Lock()

    def send(self, request: Request) -> Outcome:
        """Append its line; a full disk is a reason to try again."""
        try:
            line = jsons.line(REQUESTS[request.signal].FromString(request.body)) + b"\n"
        except (DecodeError, ValueError) as error:
            return Refused(type(error).__name__, str(error))
        try:
            with self._lock:
                _append(self._folder / f"{request.signal.value}.jsonl", line)
        except OSError as error:
            return Again(type(error).__name__, message=str(error))
        return Taken()

    def close(self) -> None:
        """Nothing is open."""


def _append(path: Path, line: bytes) -> None:
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        _cut(file)
        if os.write(file, line) < len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(file)
    finally:
        os.close(file)


def _cut(file: int) -> None:
    """Remove a line that a crash or a full disk cut off: it was not taken, so its request comes again."""
    size = end = os.fstat(file).st_size
    while end:
        start = max(0, end - BLOCK_BYTES)
        last = os.pread(file, end - start, start).rfind(b"\n")
        if last >= 0:
            end = start + last + 1
            break
        end = start
    if end < size:
        os.ftruncate(file, end)
