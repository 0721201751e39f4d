from __future__ import annotations

from typing import Any

import pytest
from engine.story import Line, Row, call, check, fails, fine, loop, name, stops, story, warns

from otel_loopwatch.detectors.coverage import MAX_RANGES, MAX_TARGETS, range_of
from otel_loopwatch.engine import Engine
from otel_loopwatch.model import Kind
from otel_loopwatch.settings import Settings, Threshold, ToolPolicy

NO_PROGRESS = Kind.NO_PROGRESS
ENOUGH, TOO_MANY = warns(NO_PROGRESS), stops(NO_PROGRESS)
"""Ranges in a row that had been read."""
SHIFTS = (3, 11, 7, 15, 2, 9, 13, 5, 1, 8, 12, 4)
POLICY = ToolPolicy(thresholds={NO_PROGRESS: Threshold(2, 90)})


def lines(start: int, number: int, **fields: Any) -> Line:
    """Some lines of a file, with a text of their own."""
    return call("read_file", {"path": "sea.txt", "offset": start, "limit": number}, f"{start}k to {number}k", **fields)


def boats(page: int, **fields: Any) -> Line:
    """A page of a list."""
    return call("list_boats", {"pageNumber": page, "per_page": 10}, f"boats {page}a to {page}z", **fields)


LOOPS = [
    loop(
        "lines are read again with shifted borders",
        lines(0, 200),
        [lines(n, 100) for n in SHIFTS],
        at=(1 + ENOUGH, NO_PROGRESS),
        critical=1 + TOO_MANY,
    ),
    loop(
        "the same with first and last line",
        call("view", {"file": "a.c", "start_line": 1, "end_line": 300}, "the whole of it, from top to end"),
        [call("view", {"file": "a.c", "start_line": 1 + n, "end_line": 200 + n}, f"part {n}k of it") for n in SHIFTS],
        at=(1 + ENOUGH, NO_PROGRESS),
        critical=1 + TOO_MANY,
    ),
    loop(
        "rows of a table with small news at the edge",
        call("read_rows", {"table": "tides", "skip": 0, "top": 50}, "fifty rows of tides"),
        [call("read_rows", {"table": "tides", "skip": n, "top": 50}, f"rows {n}k") for n in range(1, 13)],
        at=(1 + ENOUGH, NO_PROGRESS),
        critical=1 + TOO_MANY,
    ),
    loop(
        "pages read once in order are then read in pieces",
        [lines(n * 50, 50) for n in range(8)],
        [lines(n * 20, 30) for n in SHIFTS],
        at=(8 + ENOUGH, NO_PROGRESS),
        critical=8 + TOO_MANY,
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
        critical=2 * TOO_MANY,
    ),
    *(
        loop(
            f"a part is asked for by {', '.join(one)}",
            call(tool, {"of": "tides", **whole}, "all of it, from its beginning to its end"),
            [call(tool, {"of": "tides", **dict(zip(one, (n, *more), strict=True))}, f"part {n}k") for n in SHIFTS],
            at=(1 + ENOUGH, NO_PROGRESS),
            critical=1 + TOO_MANY,
        )
        for tool, whole, one, more in (
            ("list_boats", {"page": 0, "page_size": 20}, ("page_size", "page"), (0,)),
            ("watch_video", {"start_s": 0, "end_s": 90.5}, ("start_s", "length_s"), (40,)),
            ("open_file", {"line_start": 0, "lines_to_read": 90}, ("lineStart", "lines_to_read"), (40,)),
            ("open_file", {"startLine": 0, "maxLines": 90}, ("startLine", "maxLines"), (40,)),
            ("hoere_ton", {"from_ms": 0, "until_ms": 90_000}, ("from_ms", "num_ms"), (40,)),
        )
    ),
    loop(
        "pages that were all turned are turned once more in another order",
        [boats(n) for n in range(max(SHIFTS) + 1)],
        [boats(n) for n in SHIFTS],
        at=(max(SHIFTS) + 1 + ENOUGH, NO_PROGRESS),
        critical=max(SHIFTS) + 1 + TOO_MANY,
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
    fine("pages have numbers and no size", [call("list", {"p": n}, f"page {n}k") for n in range(30)]),
    fine(
        "pages of growing size begin at the first one",
        [call("list", {"page": 0, "page_size": 2**n}, f"the first {2**n}k boats") for n in range(10)],
    ),
    fine(
        "a video is watched scene by scene",
        [call("watch", {"start_s": n * 4.5, "end_s": n * 4.5 + 4.4}, f"scene {n}k") for n in range(30)],
    ),
    fine(
        "a log that grows is read from the same line on",
        [
            call("read_log", {"start_line": 90, "max_lines": 50}, f"Pump is on, and the tank stands at {n}")
            for n in range(30)
        ],
    ),
    fine(
        "the same pages of a queue hold other jobs each time",
        [
            [call("list_jobs", {"page": p, "limit": 10}, f"jobs {n}k{p} and {n}k{p + 1}") for p in range(3)]
            for n in range(10)
        ],
    ),
    fine(
        "many charts are drawn over the same hours",
        [call("draw", {"chart": f"c{n}", "from": 0, "to": 24}, f"chart {n}k has been drawn") for n in range(30)],
    ),
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
        ({"line_start": 3, "line_end": 4}, (3, 5)),
        ({"startLine": 3, "endLine": 4}, (3, 5)),
        ({"start_s": 0.5, "stop_s": 2.5}, (0.5, 3.5)),
        ({"skip": 20, "max_rows": 10}, (20, 30)),
        ({"begin": 20, "lines_to_read": 10}, (20, 30)),
        ({"first": 20, "num_rows": 10}, (20, 30)),
        ({"page": 2, "per_page": 20}, (40, 60)),
        ({"page_no": 2, "pageSize": 20}, (40, 60)),
        ({"page": 2}, (2, 3)),
        ({"page": 2, "limit": -1}, None),
        ({"start_of_week": 1, "end": 4}, None),
        ({"1": 10, "limit": 4}, None),
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
