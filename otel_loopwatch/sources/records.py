"""JSON objects of a file: one document, or one per line, plain or gzipped; told by content, never by name."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

import msgspec

GZIP_MAGIC = b"\x1f\x8b"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
PEEKED_LINES = 5
MAX_BROKEN_KEPT = 100


class UnreadableFile(Exception):
    """A file that cannot be opened, or holds nothing of what is read here. The message is one line for people."""


class Broken(NamedTuple):
    """A part of a file that was skipped."""

    line: int
    """1-based line; 0 where the file is one document."""
    reason: str


class Records:
    """The objects of a file as ``(line, object)``, read anew by each iteration. Broken lines are counted and skipped.

    Lines are streamed; only a document that spans several lines is held as a whole.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.broken: list[Broken] = []
        """The first ``MAX_BROKEN_KEPT`` of what was skipped."""
        self.broken_count = 0
        self.size = 0
        """Bytes of the file."""
        self.position = 0
        """Bytes of the file read so far, for a progress bar."""
        self._in_lines = self._peek()

    def __iter__(self) -> Iterator[tuple[int, dict[str, Any]]]:
        self.broken.clear()
        self.broken_count = 0
        with self._open() as raw:
            stream = _unpacked(raw)
            yield from self._lines(raw, stream) if self._in_lines else self._document(stream)
            self.position = self.size

    def skip(self, line: int, reason: str) -> None:
        """Count a part that could not be used."""
        self.broken_count += 1
        if len(self.broken) < MAX_BROKEN_KEPT:
            self.broken.append(Broken(line, reason))

    def _open(self) -> IO[bytes]:
        try:
            self.size = self.path.stat().st_size
            return self.path.open("rb")
        except OSError as failure:
            raise UnreadableFile(f"{self.path}: {failure.strerror}") from failure

    def _peek(self) -> bool:
        """Whether the file holds one object per line: one of its first lines is an object by itself."""
        with self._open() as raw:
            lines = _non_empty(_unpacked(raw))
            try:
                peeked = [line for _, (_, line) in zip(range(PEEKED_LINES), lines, strict=False)]
            except (OSError, EOFError, zlib.error) as failure:
                raise UnreadableFile(f"{self.path}: broken gzip data ({failure})") from failure
        if not peeked:
            raise UnreadableFile(f"{self.path}: the file is empty")
        return any(isinstance(_decoded(line), dict) for line in peeked)

    def _lines(self, raw: IO[bytes], stream: IO[bytes]) -> Iterator[tuple[int, dict[str, Any]]]:
        number = 0
        try:
            for number, line in _non_empty(stream):
                self.position = raw.tell()
                yield from self._object(number, _decoded(line))
        except (OSError, EOFError, zlib.error) as failure:
            self.skip(number + 1, f"broken gzip data ({failure})")

    def _document(self, stream: IO[bytes]) -> Iterator[tuple[int, dict[str, Any]]]:
        try:
            yield from self._object(0, _decoded(stream.read()))
        except (OSError, EOFError, zlib.error) as failure:
            self.skip(0, f"broken gzip data ({failure})")

    def _object(self, line: int, value: object) -> Iterator[tuple[int, dict[str, Any]]]:
        if isinstance(value, dict):
            yield line, value
        else:
            self.skip(line, "not a JSON object")


def _unpacked(raw: IO[bytes]) -> IO[bytes]:
    packed = raw.read(len(GZIP_MAGIC)) == GZIP_MAGIC
    raw.seek(0)
    return cast("IO[bytes]", gzip.GzipFile(fileobj=raw)) if packed else raw


def _non_empty(stream: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(stream, 1):
        bare = line.removeprefix(BYTE_ORDER_MARK).strip() if number == 1 else line.strip()
        if bare:
            yield number, bare


def _decoded(text: bytes) -> Any:
    try:
        return msgspec.json.decode(text.removeprefix(BYTE_ORDER_MARK))
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None
