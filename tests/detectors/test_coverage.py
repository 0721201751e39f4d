from __future__ import annotations

from typing import Any

import pytest
from engine.story import Row, call, check, fails, fine, loop, name, story, warns

from otel_loopwatch.detectors.coverage import MAX_RANGES, MAX_TARGETS, range_of
from otel_loopwatch.engine import Engine
from otel_loopwatch.model import Kind
from otel_loopwatch.settings import Settings, Threshold, ToolPolicy

NO_PROGRESS = Kind.NO_PROGRESS
ENOUGH = warns(NO_PROGRESS)
"""Ranges in a row that had been read."""
SHIFTS = (3, 11, 7, 15, 2, 9, 13, 5, 1, 8, 12, 4)
POLICY = ToolPolicy(thresholds={NO_PROGRESS: Threshold(2, 90)})


def lines(start: int, number: int, **fields: Any) -> object:
    """Some lines of a file, with a text of their own."""
    return call("read_file", {"path": "sea.txt", "offset": start, "limit": number}, f"{start}k to {number}k", **fields)


LOOPS = [
    loop(
        "lines are read again with shifted borders",
        lines(0, 200),
        [lines(n, 100) for n in SHIFTS],
        at=(1 + ENOUGH, NO_PROGRESS),
    ),
    loop(
        "the same with first and last line",
        call("view", {"file": "a.c", "start_line": 1, "end_line": 300}, "the whole of it, from top to end"),
        [call("view", {"file": "a.c", "start_line": 1 + n, "end_line": 200 + n}, f"part {n}k of it") for n in SHIFTS],
        at=(1 + ENOUGH, NO_PROGRESS),
    ),
    loop(
        "rows of a table with small news at the edge",
        call("read_rows", {"table": "tides", "skip": 0, "top": 50}, "fifty rows of tides"),
        [call("read_rows", {"table": "tides", "skip": n, "top": 50}, f"rows {n}k") for n in range(1, 13)],
        at=(1 + ENOUGH, NO_PROGRESS),
    ),
    loop(
        "pages read once in order are then read in pieces",
        [lines(n * 50, 50) for n in range(8)],
        [lines(n * 20, 30) for n in SHIFTS],
        at=(8 + ENOUGH, NO_PROGRESS),
    ),
    loop(
        "a tool has tighter limits of its own",
        lines(0, 200),
        [lines(n, 100) for n in SHIFTS],
        at=(1 + 2, NO_PROGRESS),
        settings=Settings(tools=(("read_file", POLICY),)),
    ),
    loop(
        "two files, of which one is read again in pieces",
        lines(0, 200),
        [
            [lines(n, 100), call("read_file", {"path": "air.txt", "offset": 40 * m, "limit": 40}, f"air {m}k")]
            for m, n in enumerate(SHIFTS)
        ],
        at=(2 * ENOUGH, NO_PROGRESS),
    ),
]

FINE = [
    fine("a file is read to its end", [lines(n * 100, 100) for n in range(30)]),
    fine("a file is read with a small overlap", [lines(n * 80, 100) for n in range(30)]),
    fine("a file is read backwards", [lines(3_000 - n * 100, 100) for n in range(30)]),
    fine("a window gets wider and wider", [lines(max(0, 500 - 2**n), 2 * 2**n) for n in range(9)]),
    fine(
        "a file is read again after every edit",
        lines(0, 200),
        [[call("edit_file", {"path": "sea.txt", "text": f"{n}k"}, "ok"), lines(n, 100)] for n in SHIFTS],
    ),
    fine("a few pieces are looked at again", lines(0, 200), [lines(n, 100) for n in SHIFTS[: ENOUGH - 1]]),
    fine(
        "each piece is of another file",
        [call("read_file", {"path": f"{n}k.txt", "offset": 0, "limit": 50}, f"the text of {n}k") for n in range(30)],
    ),
    fine(
        "reading again fails",
        lines(0, 200),
        [fails("read_file", {"path": "sea.txt", "offset": n, "limit": 100}, f"{n}k: no such file") for n in SHIFTS],
    ),
    fine(
        "what was read was not captured",
        [call("read_file", {"path": "sea.txt", "offset": n, "limit": 100}) for n in SHIFTS],
    ),
    fine("pages have numbers", [call("list", {"page": n, "limit": 10}, f"page {n}k") for n in range(30)]),
]

ROWS = [*LOOPS, *FINE]


@pytest.mark.parametrize("row", ROWS, ids=name)
def test_coverage(row: Row) -> None:
    """Ranges that were read already are signalled when they are read again; reading on is not."""
    check(row)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"offset": 10, "limit": 5}, (10, 15)),
        ({"start": 10, "end": 14}, (10, 15)),
        ({"from": 1.5, "size": 2}, (1.5, 3.5)),
        ({"offset": 10}, None),
        ({"limit": 5}, None),
        ({"offset": True, "limit": 5}, None),
        ({"offset": "10", "limit": 5}, None),
        ({"offset": 10, "limit": 0}, None),
        ({"start": 10, "end": 9}, None),
        ({"offset": float("nan"), "limit": 5}, None),
        ({"offset": 10**400, "limit": 5}, None),
        (["offset", "limit"], None),
        ("offset", None),
        (None, None),
    ],
)
def test_a_range_is_read_from_arguments(arguments: Any, expected: tuple[float, float] | None) -> None:
    """A start with a length or an end makes a range; nothing else does."""
    assert range_of(arguments) == expected


def test_ranges_and_targets_are_bounded() -> None:
    """Scattered reads of many files leave no more behind than the limits say."""
    engine = Engine()
    scattered = [lines(n * 100, 1) for n in range(3 * MAX_RANGES)]
    many = [call("view", {"f": n, "offset": 1, "limit": 2}, f"{n}k") for n in range(3 * MAX_TARGETS)]
    for item in story(scattered):
        engine.observe(item)
    run = next(iter(engine._runs))
    assert [len(ranges) for ranges in run.ranges.values()] == [MAX_RANGES]
    for item in story(many):
        engine.observe(item)
    assert len(run.ranges) == MAX_TARGETS
    assert set(run.covered) <= set(run.ranges)
