"""What a file is packed in, told by its first bytes: nothing, gzip, or zstd as ``zstd`` or the collector writes it."""

from __future__ import annotations

import gzip
import io
import struct
import zlib
from collections.abc import Iterator
from typing import IO, Any, cast

GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
LENGTH_BYTES = 4
BLOCK_BYTES = 1 << 16


class MissingPacker(Exception):
    """The file is packed with what this Python cannot unpack. The message says what to install."""


class BrokenPacking(Exception):
    """The packed data ends early or is damaged."""


def unpacked(raw: IO[bytes]) -> IO[bytes]:
    """The file's content as a stream, whose ``read`` raises :class:`BrokenPacking` where the data is damaged."""
    head = raw.read(LENGTH_BYTES + len(ZSTD_MAGIC))
    raw.seek(0)
    if head.startswith(GZIP_MAGIC):
        return _stream(_chunks(gzip.GzipFile(fileobj=raw), "gzip"))
    if head.startswith(ZSTD_MAGIC):
        return _stream(_chunks(_zstd().ZstdFile(raw), "zstd"))
    if head[LENGTH_BYTES:] == ZSTD_MAGIC:
        return _stream(_messages(raw))
    return raw


def _zstd() -> Any:
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]  # Python 3.14
    except ImportError:
        try:
            from backports import zstd  # type: ignore[import-not-found, no-redef, unused-ignore]
        except ImportError:
            raise MissingPacker("packed with zstd: pip install 'otel-loopwatch[zstd]' (or unzstd it first)") from None
    return zstd


def _chunks(packed: io.BufferedIOBase, name: str) -> Iterator[bytes]:
    try:
        while chunk := packed.read1(BLOCK_BYTES):
            yield chunk
    except (OSError, EOFError, zlib.error, _zstd_error()) as failure:
        raise BrokenPacking(f"broken {name} data ({failure})") from failure


def _zstd_error() -> type[Exception]:
    try:
        return cast("type[Exception]", _zstd().ZstdError)
    except MissingPacker:
        return EOFError


def _messages(raw: IO[bytes]) -> Iterator[bytes]:
    """Messages as the collector's file exporter packs them one by one, each after its length, made lines again."""
    zstd = _zstd()
    try:
        while length := raw.read(LENGTH_BYTES):
            size = struct.unpack(">I", length)[0]
            message = raw.read(size)
            if len(message) < size:
                raise EOFError("cut in a message")
            yield zstd.decompress(message) + b"\n"
    except (EOFError, struct.error, zstd.ZstdError) as failure:
        raise BrokenPacking(f"broken zstd data ({failure})") from failure


def _stream(chunks: Iterator[bytes]) -> IO[bytes]:
    return io.BufferedReader(_Chunks(chunks), BLOCK_BYTES)


class _Chunks(io.RawIOBase):
    """Chunks as a raw stream."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._source = chunks
        self._rest = b""

    def readable(self) -> bool:
        """It can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer with what comes next."""
        while not self._rest:
            chunk = next(self._source, None)
            if chunk is None:
                return 0
            self._rest = chunk
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size
