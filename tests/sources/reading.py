"""What the tests of all readers share: a file of the test's own making, and the calls that are read from it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from otel_loopwatch.model import ToolCall
from otel_loopwatch.sources import CallsFile, SpansFile, read
from otel_loopwatch.tracker import Tracker, replay
from otel_loopwatch.tracker.events import Tracked

SECOND = 1_000_000_000
EPOCH = 1_700_000_000
"""2023-11-14T22:13:20Z in seconds."""


class Row(NamedTuple):
    """The records of a file, and the calls that must be read: the fields that matter of each."""

    case: str
    records: list[Any]
    expected: list[dict[str, Any]]
    skipped: int = 0


def case(row: Row) -> str:
    """Name of a row among the parameters of a test."""
    return row.case


def lines(records: Iterable[Any]) -> bytes:
    """One record per line."""
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def opened(tmp_path: Path, content: bytes) -> SpansFile | CallsFile:
    """The file as it is recognised; its name tells nothing."""
    path = tmp_path / "file"
    path.write_bytes(content)
    return read(path)


def tracked(file: SpansFile | CallsFile) -> list[Tracked]:
    """Everything that a file gives rise to."""
    return list(replay(file, Tracker())) if isinstance(file, SpansFile) else list(file)


def calls(file: SpansFile | CallsFile) -> list[ToolCall]:
    """The calls of a file."""
    return [told for told in tracked(file) if isinstance(told, ToolCall)]


def check(tmp_path: Path, row: Row, format_name: str) -> None:
    """The row is recognised as that format and read as expected."""
    file = opened(tmp_path, lines(row.records))
    found = calls(file)
    assert file.format.name == format_name
    assert len(found) == len(row.expected)
    for call, expected in zip(found, row.expected, strict=True):
        assert {field: getattr(call, field) for field in expected} == expected
    assert file.records.broken_count == row.skipped
