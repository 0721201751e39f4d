"""What `replay` costs beside parsing the same file, and how much memory a large file takes.

``python -m cost.replaying SIZE`` writes and replays a file of so many bytes and prints the memory that took, in bytes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from otel_loopwatch.cli.reading import Reading
from otel_loopwatch.settings import Options

from .process_memory import peak_bytes
from .rows import Part, Row
from .timing import Subject, interleaved
from .trace_file import write

SIZE = 8_000_000
ROUNDS = 3
LIMIT = 2.5
SIZES = (400_000_000, 800_000_000)
"""Of the large files: the first is more than `replay` holds at a time."""
PADDING = 16_000
"""Characters added to results of the large files, so that they have fewer calls to judge."""
GROWTH_LIMIT = 1.1

Peaks = Mapping[int, int]
"""Bytes by the size of the file."""


def rows() -> Iterator[Row]:
    """Against parsing; then spans and megabytes a second."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "traces.jsonl"
        spans = write(path, SIZE)
        megabytes = path.stat().st_size / 1e6
        measured = interleaved(
            {"parse": Subject(1, lambda: partial(parse, path)), "replay": Subject(1, lambda: partial(replay, path))},
            ROUNDS,
        )
    replayed, parsed = measured["replay"], measured["parse"]
    speeds = (
        f"{spans / one.microseconds * 1e6:,.0f} spans/s, {megabytes / one.microseconds * 1e6:,.1f} MB/s"
        for one in (replayed, parsed)
    )
    yield Row(Part.REPLAY, "replay", replayed.over(parsed), "x parsing the file", LIMIT, " against ".join(speeds))


def memory_rows(peaks: Peaks) -> Iterator[Row]:
    """How memory grows with a file that is twice as large."""
    small, large = SIZES
    what = f"memory for a file of {large / 1e6:,.0f} MB"
    unit = f"x that for {small / 1e6:,.0f} MB"
    detail = f"{peaks[large] / 1e6:,.0f} MB against {peaks[small] / 1e6:,.0f} MB"
    yield Row(Part.REPLAY, what, peaks[large] / peaks[small], unit, GROWTH_LIMIT, detail)


def parse(path: Path) -> None:
    """Every line, by the JSON library that `replay` uses."""
    with path.open("rb") as lines:
        for line in lines:
            msgspec.json.decode(line)


def replay(path: Path) -> int:
    """Every call through the engine; how many there were."""
    reading = Reading(Options())
    for _ in reading.judged([str(path)]):
        pass
    return reading.calls


def peak(size: int) -> int:
    """Bytes of memory that this process has needed at most, once it has replayed a file of so many bytes."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "large.jsonl"
        write(path, size, PADDING)
        replay(path)
    return peak_bytes()


if __name__ == "__main__":
    print(peak(int(sys.argv[1])))
