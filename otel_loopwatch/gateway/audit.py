"""The audit log: every decision of a person, on disk before it takes effect."""

from __future__ import annotations

import errno
import logging
import os
import stat
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from threading import Lock

import msgspec

from otel_loopwatch.control.decisions import RunDecision
from otel_loopwatch.telemetry import names

log = logging.getLogger(names.SCOPE)

MODE = 0o600
"""Of a new file, and of one that was there: its owner's alone."""


class Unaudited(Exception):
    """The decision could not be written down, and must not take effect."""


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """One line: what somebody decided, and from where."""

    time: str
    """As RFC 3339 has it, UTC."""
    remote: str
    """Address of the client."""
    decision: RunDecision


class AuditLog:
    """A file of JSON lines that is only added to. For any thread.

    :raises ValueError: naming the path, where it is no plain file of ours or cannot be written.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._lock = Lock()
        try:
            self._file = _opened(self._path)
        except OSError as error:
            raise ValueError(f"audit is {str(path)!r}; it must be a file of ours to write: {error.strerror}") from error

    def write(self, decision: RunDecision, remote: str) -> None:
        """Add a record; when this returns it outlives a crash of the machine. Raises :class:`Unaudited`."""
        time = datetime.fromtimestamp(decision.at_ns / 1e9, timezone.utc).isoformat(timespec="milliseconds")
        line = msgspec.json.encode(Record(time=time, remote=remote, decision=decision)) + b"\n"
        with self._lock:
            size = os.fstat(self._file).st_size
            try:
                self._add(line)
            except OSError as error:
                self._take_back(size)
                raise Unaudited(f"the audit log cannot be written: {error.strerror}") from error

    def records(self) -> Iterator[Record]:
        """What was written so far, by this process and those before it; a line that is none is left out and logged."""
        with self._path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                record = _read(line)
                if record is None:
                    log.warning("Line %d of the audit log cannot be read, and is left out", number)
                else:
                    yield record

    def close(self) -> None:
        """Nothing more is written."""
        with self._lock:
            os.close(self._file)

    def _add(self, line: bytes) -> None:
        written = os.write(self._file, line)
        if written != len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(self._file)

    def _take_back(self, size: int) -> None:
        """What did not take effect must not be read as if it had; where even that fails, the line is torn."""
        try:
            os.ftruncate(self._file, size)
        except OSError:
            log.warning("A record that was not written whole stays in the audit log", exc_info=True)


def _read(line: bytes) -> Record | None:
    try:
        return msgspec.json.decode(line, type=Record)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def _opened(path: Path) -> int:
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    file = os.open(path, flags, MODE)
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise OSError(errno.EINVAL, "it is no plain file")
        os.fchmod(file, MODE)
        _mend(file)
        _keep_name(path)
    except BaseException:
        os.close(file)
        raise
    return file


def _mend(file: int) -> None:
    """A line that a crash cut off ends here, so that the next one begins a line of its own."""
    size = os.fstat(file).st_size
    if size and os.pread(file, 1, size - 1) != b"\n":
        os.write(file, b"\n")


def _keep_name(path: Path) -> None:
    """Have the file's name outlive a crash, too."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
