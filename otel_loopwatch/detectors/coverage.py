"""no_progress, as seen in ranges: lines or rows that were read already are read again with shifted borders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xxhash import xxh3_64_intdigest as digest

from otel_loopwatch.canonical import encode
from otel_loopwatch.detectors.base import Step, Verdict
from otel_loopwatch.fingerprint import Reading
from otel_loopwatch.model import Kind
from otel_loopwatch.runs import Run

_STARTS = ("offset", "start", "start_line", "startLine", "line_start", "from_line", "begin", "skip", "from")
_LENGTHS = (
    "limit",
    "length",
    "count",
    "num_lines",
    "page_size",
    "pageSize",
    "per_page",
    "perPage",
    "lines",
    "size",
    "max_lines",
    "top",
)
_ENDS = ("end", "end_line", "line_end", "to_line", "last_line", "stop", "endLine", "to")
_PAGES = ("page", "page_number", "pageNumber", "page_no", "pageNo", "p")
_START_SET = frozenset((*_STARTS, *_PAGES))
COVERED = 0.8
"""Share of a range that must have been read before."""
MAX_RANGES = 32
"""Separate ranges remembered per target; of more, the last ones are forgotten."""
MAX_TARGETS = 8
"""Targets (files, tables) remembered per run."""


def observe(run: Run, reading: Reading, changed: bool) -> None:
    """Note the range the call asked for. A change of the world makes everything unread."""
    span = range_of(reading.arguments)
    if changed or (span is not None and run.answers_anew):
        run.ranges.clear()
        run.covered.clear()
    if span is None or reading.failed or reading.raw is None:
        return
    target = _target(reading)
    ranges = run.ranges.setdefault(target, [])
    run.covered[target] = run.covered.get(target, 0) + 1 if _share(ranges, span) >= COVERED else 0
    run.ranges[target] = _merge(ranges, span)[:MAX_RANGES]
    while len(run.ranges) > MAX_TARGETS:
        oldest = next(iter(run.ranges))
        del run.ranges[oldest]
        run.covered.pop(oldest, None)


def read_again(step: Step) -> Verdict | None:
    """Ranges in a row that were read before."""
    if range_of(step.reading.arguments) is None:
        return None
    count = step.run.covered.get(_target(step.reading), 0)
    graded = step.level(Kind.NO_PROGRESS, count)
    if graded is None:
        return None
    return Verdict(
        kind=Kind.NO_PROGRESS,
        level=graded,
        count=count,
        wasted=count,
        evidence=step.attempt.grade.evidence,
        tools=step.attempt.tools,
        first_span_id=step.run.last(count)[0].span_id,
        why=f"read {count} ranges in a row that had been read before",
    )


def range_of(arguments: Any) -> tuple[float, float] | None:
    """The half-open range that arguments such as ``offset`` and ``limit`` ask for; ``None`` without one."""
    if not isinstance(arguments, Mapping) or _START_SET.isdisjoint(arguments):
        return None
    start, length = _number(arguments, _STARTS), _number(arguments, _LENGTHS)
    if start is None:
        return _page(_number(arguments, _PAGES), length or 1)
    end = _number(arguments, _ENDS)
    if length is not None and length > 0:
        return start, start + length
    return (start, end + 1) if end is not None and end >= start else None


def _page(page: float | None, size: float) -> tuple[float, float] | None:
    return None if page is None or size <= 0 else (page * size, (page + 1) * size)


def _number(arguments: Mapping[str, Any], names: tuple[str, ...]) -> float | None:
    for name in names:
        value = arguments.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e15:
            return float(value)
    return None


def _target(reading: Reading) -> int:
    skip = (*_STARTS, *_PAGES, *_LENGTHS, *_ENDS)
    rest = {key: value for key, value in reading.arguments.items() if key not in skip}
    return digest(encode(rest)) ^ reading.tool


def _share(ranges: list[tuple[float, float]], span: tuple[float, float]) -> float:
    low, high = span
    read = sum(max(0.0, min(high, b) - max(low, a)) for a, b in ranges)
    return read / (high - low)


def _merge(ranges: list[tuple[float, float]], span: tuple[float, float]) -> list[tuple[float, float]]:
    merged: list[tuple[float, float]] = []
    for low, high in sorted([*ranges, span]):
        if merged and low <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return merged
