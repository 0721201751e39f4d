"""JSON objects of a file: one document, a list, or one object per line; told by content, never by name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from json import JSONDecodeError, JSONDecoder
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec

from otel_loopwatch.sources.packing import BrokenPacking, MissingPacker, unpacked

Record = Mapping[str, Any]
"""One JSON object of a file."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
PEEKED_LINES = 5
MAX_BROKEN_KEPT = 100
_SPACE = re.compile(r"\s*")


class UnreadableFile(Exception):
    """A file that cannot be opened, or holds nothing of what is read here. The message is one line for people."""


class Broken(NamedTuple):
    """A part of a file that was skipped."""

    line: int
    """1-based line; in a list, 1-based place; 0 where the file is one document."""
    reason: str


class Records:
    """The objects of a file as ``(line, object)``, read anew by each iteration. Broken ones are counted and skipped.

    Lines are streamed. Only a document that spans several lines is held as a whole: a list as its text, of which one
    object at a time is decoded; an object decoded, which takes several times the size of its file. A list within a
    line is read as the objects it holds.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.broken: list[Broken] = []
        """The first ``MAX_BROKEN_KEPT`` of what was skipped."""
        self.broken_count = 0
        self.passed: Counter[str] = Counter()
        """What was read, understood, and tells of no call or span, by what it is."""
        self.count = 0
        """Objects read so far."""
        self.size = 0
        """Bytes of the file."""
        self.position = 0
        """Bytes of the file read so far, for a progress bar."""
        self._in_lines = self._peek()

    def __iter__(self) -> Iterator[tuple[int, dict[str, Any]]]:
        self.broken.clear()
        self.passed.clear()
        self.broken_count = self.count = 0
        with self._open() as raw:
            stream = unpacked(raw)
            yield from self._lines(raw, stream) if self._in_lines else self._document(stream)
            self.position = self.size

    def skip(self, line: int, reason: str) -> None:
        """Count a part that could not be used."""
        self.broken_count += 1
        if len(self.broken) < MAX_BROKEN_KEPT:
            self.broken.append(Broken(line, reason))

    def pass_over(self, what: str) -> None:
        """Count a part that is sound and of no use here."""
        self.passed[what] += 1

    def _open(self) -> IO[bytes]:
        try:
            self.size = self.path.stat().st_size
            return self.path.open("rb")
        except OSError as failure:
            raise UnreadableFile(f"{self.path}: {failure.strerror}") from failure

    def _peek(self) -> bool:
        """Whether the file holds one object per line: one of its first lines is an object by itself."""
        peeked: list[bytes] = []
        with self._open() as raw:
            try:
                for _, line in islice(_non_empty(unpacked(raw)), PEEKED_LINES):
                    peeked.append(line)
            except (OSError, BrokenPacking, MissingPacker) as failure:
                if not peeked:
                    raise UnreadableFile(f"{self.path}: {failure}") from failure
        if not peeked:
            raise UnreadableFile(f"{self.path}: the file is empty")
        if peeked[0].startswith(b"["):
            return len(peeked) > 1 and isinstance(_decoded(peeked[0]), list)
        return any(isinstance(_decoded(line), dict) for line in peeked)

    def _lines(self, raw: IO[bytes], stream: IO[bytes]) -> Iterator[tuple[int, dict[str, Any]]]:
        number = 0
        try:
            for number, line in _non_empty(stream):
                self.position = raw.tell()
                value = _decoded(line)
                for item in value if isinstance(value, list) else (value,):
                    yield from self._object(number, item)
        except (OSError, BrokenPacking) as failure:
            self.skip(number + 1, str(failure))

    def _document(self, stream: IO[bytes]) -> Iterator[tuple[int, dict[str, Any]]]:
        try:
            text = stream.read().removeprefix(BYTE_ORDER_MARK)
        except (OSError, BrokenPacking) as failure:
            self.skip(0, str(failure))
            return
        for number, item in _items(text):
            yield from self._object(number, item)

    def _object(self, line: int, value: object) -> Iterator[tuple[int, dict[str, Any]]]:
        if isinstance(value, dict):
            self.count += 1
            yield line, value
        else:
            self.skip(line, "not a JSON object")


def _items(text: bytes) -> Iterator[tuple[int, Any]]:
    """The objects of a list, one by one; or the document; or the documents that follow each other in the text."""
    try:
        for number, item in enumerate(msgspec.json.decode(text, type=list[msgspec.Raw]), 1):
            yield number, _decoded(bytes(item))
        return
    except (msgspec.DecodeError, ValueError, RecursionError):
        pass
    value = _decoded(text)
    if value is not None:
        yield 0, value
    else:
        yield from _one_after_another(text)


def _one_after_another(text: bytes) -> Iterator[tuple[int, Any]]:
    """Indented documents without anything between them, as console exporters print them; what is none ends it."""
    rest, decoder, at, line = text.decode("utf-8", "replace"), JSONDecoder(), 0, 1
    while at < len(rest):
        found = _SPACE.match(rest, at)
        start = found.end() if found else at
        line += rest.count("\n", at, start)
        if start == len(rest):
            return
        try:
            value, at = decoder.raw_decode(rest, start)
        except (JSONDecodeError, RecursionError, ValueError):
            yield line, None
            return
        yield line, value
        line += rest.count("\n", start, at)


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
