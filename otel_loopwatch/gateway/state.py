"""What one gateway knows at its end and the next one goes on with: a restart must lose no loop, and tell none twice."""

from __future__ import annotations

import logging
import os
from contextlib import suppress
from importlib import metadata
from pathlib import Path

import msgspec
import xxhash

from otel_loopwatch.control.decisions import RunDecision
from otel_loopwatch.gateway.reaction import KnownRun
from otel_loopwatch.telemetry import names

log = logging.getLogger(names.SCOPE)

DIGEST_BYTES = 8
"""xxh3-64 of all that follows, big-endian."""
MODE = 0o600


def _version() -> str:
    try:
        return metadata.version("otel-loopwatch")
    except metadata.PackageNotFoundError:  # it runs from where it was written
        return ""


VERSION = _version()
"""Another version may keep something else of a trace: it begins anew."""


class State(msgspec.Struct, kw_only=True):
    """All of it, as it is written."""

    traces: list[bytes]
    """Each as the stream's watch saves it."""
    known: list[KnownRun]
    """What is to be written onto spans of agents."""
    decisions: list[RunDecision]
    """Of Loopwatch, the oldest first: those of people are in the audit log."""
    judged: dict[int, bytes]
    """Positions of requests that were judged and not delivered, with their packed marks."""
    version: str = VERSION


class StateFile:
    """Written at the end, read at the next start, and gone when that is done: the state of a start before is none."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def write(self, state: State) -> None:
        """Have the file be there, whole or not at all, for its owner alone. Raises ``OSError``."""
        data = msgspec.msgpack.encode(_writable(state))
        beside = self._path.with_suffix(".new")
        file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, MODE)
        with os.fdopen(file, "wb") as writing:
            writing.write(xxhash.xxh3_64_digest(data))
            writing.write(data)
            writing.flush()
            os.fsync(file)
        beside.replace(self._path)

    def read(self) -> State | None:
        """What was written; None where nothing was. What is damaged is told in the log, and ignored."""
        try:
            return _read(self._path.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValueError, msgspec.MsgspecError) as error:
            log.warning("%s cannot be used, live runs begin anew: %s", self._path, error)
            return None

    def remove(self) -> None:
        """It was read."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)


def _read(data: bytes) -> State:
    digest, state = data[:DIGEST_BYTES], data[DIGEST_BYTES:]
    if digest != xxhash.xxh3_64_digest(state):
        raise ValueError("it is damaged")
    version = msgspec.msgpack.decode(state, type=_Versioned).version
    if version != VERSION:
        raise ValueError(f"it was written by version {version[:40]!r}")
    return msgspec.msgpack.decode(state, type=State)


class _Versioned(msgspec.Struct):
    version: str


def _writable(state: State) -> State:
    """Without what MessagePack cannot hold: names that are not Unicode."""
    known, decisions = filter(_is_writable, state.known), filter(_is_writable, state.decisions)
    return msgspec.structs.replace(state, known=list(known), decisions=list(decisions))


def _is_writable(part: KnownRun | RunDecision) -> bool:
    try:
        msgspec.msgpack.encode(part)
    except (UnicodeError, OverflowError):
        return False
    return True
