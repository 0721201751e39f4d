from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sources.reading import lines, opened, tracked

from otel_loopwatch.sources import UnreadableFile

CASES = [{"id": f"k{number}", "calls": [{"tool": "look", "result": f"page {number}"}]} for number in range(20)]


@pytest.fixture
def compress() -> Callable[[bytes], bytes]:
    """What packs with zstd, where this Python can."""
    module: Any = pytest.importorskip("backports.zstd" if sys.version_info < (3, 14) else "compression.zstd")
    packed: Callable[[bytes], bytes] = module.compress
    return packed


def test_zstd_is_read(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    """One frame or several after each other, which may break within a line."""
    content = lines(CASES)
    assert len(tracked(opened(tmp_path, compress(content)))) == 40
    assert len(tracked(opened(tmp_path, compress(content[:333]) + compress(content[333:])))) == 40


def test_messages_the_collector_packs_one_by_one_are_lines(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    """Each has its length before it and no line end after it."""
    packed = [compress(lines([one]).strip()) for one in CASES]
    content = b"".join(struct.pack(">I", len(message)) + message for message in packed)
    assert len(tracked(opened(tmp_path, content))) == 40


@pytest.mark.parametrize("framed", [False, True], ids=["one stream", "messages"])
def test_a_cut_file_gives_what_it_holds(tmp_path: Path, framed: bool, compress: Callable[[bytes], bytes]) -> None:
    """What comes before the cut is read, the cut is counted."""
    first, second = compress(lines(CASES[:10])), compress(lines(CASES[10:]))
    content = first + second
    if framed:
        content = b"".join(struct.pack(">I", len(message)) + message for message in (first, second))
    file = opened(tmp_path, content[:-10])
    assert len(tracked(file)) >= 20
    assert [broken.reason[:16] for broken in file.records.broken] == ["broken zstd data"]


def test_broken_zstd_is_refused(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    """A file of nothing but the first bytes."""
    with pytest.raises(UnreadableFile, match="broken zstd data"):
        opened(tmp_path, compress(lines(CASES))[:8])


@pytest.mark.parametrize("head", [b"", b"\x00\x00\x01\x00"], ids=["one stream", "messages"])
def test_without_zstd_it_is_said_what_to_install(tmp_path: Path, head: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Python cannot unpack it, the message names the extra."""
    for name in ("compression", "compression.zstd", "backports", "backports.zstd"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(UnreadableFile, match=r"pip install 'otel-loopwatch\[zstd\]'"):
        opened(tmp_path, head + b"\x28\xb5\x2f\xfd" + b"\x00" * 50)
