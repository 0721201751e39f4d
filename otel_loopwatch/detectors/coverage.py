"""no_progress, as seen in ranges: lines or rows that were read already are read again with shifted borders."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from xxhash import xxh3_64_intdigest as digest

from otel_loopwatch.canonical import encode
from otel_loopwatch.detectors.base import Step, Verdict
from otel_loopwatch.fingerprint import Reading
from otel_loopwatch.model import Kind
from otel_loopwatch.runs import Run

_STARTS = frozenset("offset start begin skip from first".split())
_LENGTHS = frozenset("limit length count num size max top per".split())
_ENDS = frozenset("end to last stop until".split())
_PAGES = frozenset("page p".split())
_UNITS = frozenset(
    "line lines row rows s ms sec secs seconds index idx number no byte bytes char chars pos position".split()
)
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
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
    if type(arguments) is not dict and not isinstance(arguments, Mapping):
        return None
    found = {_role(key): value for key, value in arguments.items() if type(value) is not str and _is_number(value)}
    if not found:
        return None
    start, length, end = found.get("start"), found.get("length"), found.get("end")
    if start is None:
        return _page(found.get("page"), length or 1)
    if length is not None and length > 0:
        return start, start + length
    return (start, end + 1) if end is not None and end >= start else None


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e15


@lru_cache(maxsize=1024)
def _role(key: str) -> str | None:
    """What a key says about a range: ``start_line``, ``startLine``, ``line_start`` and ``start_s`` are its start."""
    words = [word.lower() for word in _WORDS.findall(key)]
    if not words:
        return None
    rest = [word for word in words if word not in _UNITS] or words
    if set(rest) <= _PAGES or words in (["page", "number"], ["page", "no"]):
        return "page"
    if (
        rest == ["page", "size"]
        or rest[-1:] == ["page"]
        or (len(rest) == 1 and rest[0] in _LENGTHS)
        or words[:1] == ["lines"]
    ):
        return "length"
    if len(rest) != 1:
        return "length" if rest[:1] == ["max"] or rest[:1] == ["num"] else None
    return "start" if rest[0] in _STARTS else "end" if rest[0] in _ENDS else None


def _page(page: float | None, size: float) -> tuple[float, float] | None:
    return None if page is None or size <= 0 else (page * size, (page + 1) * size)


def _target(reading: Reading) -> int:
    rest = {key: value for key, value in reading.arguments.items() if _role(key) is None}
    return digest(encode(rest)) ^ reading.tool


def _share(ranges: list[tuple[float, float]], span: tuple[float, float]) -> float:
    low, high = span
    read = sum(max(0.0, min(high, b) - max(low, a)) for a, b in ranges)
    return read / (high - low) if high > low else 0.0


def _merge(ranges: list[tuple[float, float]], span: tuple[float, float]) -> list[tuple[float, float]]:
    merged: list[tuple[float, float]] = []
    for low, high in sorted([*ranges, span]):
        if merged and low <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return merged
