from __future__ import annotations

import pytest
from engine.story import Row, call, check, fails, fine, loop, name, stops, times, together, warns

from otel_loopwatch.detectors.cycle import NOISE
from otel_loopwatch.detectors.no_progress import AGAIN, SAME_STATE, STALE, STALE_WINDOW
from otel_loopwatch.model import Kind
from otel_loopwatch.outcomes import Grade
from otel_loopwatch.settings import Settings, Threshold, ToolPolicy

NO_PROGRESS = Kind.NO_PROGRESS
MANY = 16
STALE_ATTEMPTS, SAME_STATES = warns(NO_PROGRESS, STALE), warns(NO_PROGRESS, SAME_STATE)
RULES = call("read_rules", {"chapter": 4}, "Chapter four: who may open the gate and when")
UNEVEN = (1, 2, 1, 3, 2, 1, 3, 1, 2, 3, 1, 2, 2, 1, 3, 1)
"""Pages between two looks, so that nothing is periodic."""


def news(number: int, start: int) -> list[object]:
    """Calls that each bring something new."""
    return [
        call("open_page", {"n": f"{n}k"}, f"Page {n}k tells how to tie knot {n}k") for n in range(start, start + number)
    ]


def between(line: object, rounds: int = MANY) -> list[object]:
    """A line again and again, with a varying number of new pages in between."""
    return [[line, news(UNEVEN[n], 3 * n)] for n in range(rounds)]


def nth(count: int) -> int:
    """Number of the call that is the ``count``-th look in `between`."""
    return count + sum(UNEVEN[: count - 1])


def shuffled(lines: list[object], rounds: int) -> list[object]:
    """The same lines in another order each round."""
    orders = ((0, 1, 2, 3), (2, 0, 3, 1), (1, 3, 2, 0), (3, 0, 1, 2), (0, 2, 1, 3), (2, 3, 0, 1))
    return [[lines[index] for index in orders[n % len(orders)]] for n in range(rounds)]


ROOMS = [call("look", {"room": r}, f"The {r} has a table and two chairs") for r in ("attic", "cellar", "hall", "shed")]

LOOPS = [
    loop(
        "a chapter is read again between pages that are new",
        between(RULES),
        at=(nth(warns(NO_PROGRESS, AGAIN[Grade.INFORMATIVE])), NO_PROGRESS),
        critical=nth(stops(NO_PROGRESS, AGAIN[Grade.INFORMATIVE])),
    ),
    loop(
        "an error comes back between pages that are new",
        between(fails("open_gate", {"id": 4}, "Gate four: permission denied")),
        at=(nth(warns(NO_PROGRESS, AGAIN[Grade.ERROR])), NO_PROGRESS),
        critical=nth(stops(NO_PROGRESS, AGAIN[Grade.ERROR])),
    ),
    loop(
        "an empty list comes back between pages that are new",
        between(call("list_alarms", {"site": 4}, [])),
        at=(nth(warns(NO_PROGRESS, AGAIN[Grade.EMPTY])), NO_PROGRESS),
    ),
    loop(
        "a bare number comes back between pages that are new",
        between(call("count_boats", {"pier": 4}, "17")),
        at=(nth(warns(NO_PROGRESS, AGAIN[Grade.SHORT])), NO_PROGRESS),
    ),
    loop(
        "the same rooms are looked at in ever other order",
        shuffled(ROOMS, 6),
        at=(len(ROOMS) + STALE_ATTEMPTS, NO_PROGRESS),
    ),
    loop(
        "the declared state stays while the page scrolls",
        [call("scroll_page", {"by": n}, f"Now at line {n * 40}k of the page", state="s1") for n in range(MANY)],
        at=(SAME_STATES, NO_PROGRESS),
    ),
    loop(
        "the declared state stays over responses with two siblings each",
        [together(n, times(2, news(1, n)[0]), call("zoom", {"n": n}, f"zoom {n}k", state="s1")) for n in range(MANY)],
        at=(3 * SAME_STATES, NO_PROGRESS),
    ),
    loop(
        "a tool has tighter limits of its own",
        between(RULES),
        at=(nth(2), NO_PROGRESS),
        critical=nth(4),
        settings=Settings(tools=(("read_*", ToolPolicy(thresholds={NO_PROGRESS: Threshold(2, 4)})),)),
    ),
    loop(
        "tests fail alike between edits that say nothing about it",
        [
            [
                call("edit_file", {"path": "lamp.py", "text": f"watts = {n}"}, "ok"),
                fails("run_tests", {"dir": "lamp"}, "lamp.py: expected 40 watts, undefined name watts"),
            ]
            for n in range(MANY)
        ],
        at=(2 * (warns(Kind.PING_PONG) + NOISE), Kind.PING_PONG),
        critical=2 * (stops(Kind.PING_PONG) + NOISE),
    ),
]

FINE = [
    fine(
        "a chapter is looked up a few times between pages that are new",
        between(RULES, warns(NO_PROGRESS, AGAIN[Grade.INFORMATIVE]) - 1),
    ),
    fine("a job is polled between pages that are new", between(call("job_status", {"id": 4}, "still running"))),
    fine(
        "a file is read again after every edit",
        [
            [
                call("edit_file", {"path": "lamp.py", "text": f"watts = {n}"}, "ok"),
                call("read_file", {"path": "rules.md"}, "Chapter four: who may open the gate and when"),
                news(UNEVEN[n], 3 * n),
            ]
            for n in range(MANY)
        ],
    ),
    fine("rooms are looked at once more", shuffled(ROOMS, 1), ROOMS, news(STALE_WINDOW, 0)),
    fine(
        "the declared state moves",
        [
            call("scroll_page", {"by": n}, f"Now at line {n * 40}k", state=f"s{n // (SAME_STATES - 1)}")
            for n in range(MANY)
        ],
    ),
    fine(
        "one response has many siblings in one declared state",
        together(1, [call("zoom", {"n": n}, f"zoom {n}k of the chart", state="s1") for n in range(MANY)]),
    ),
    fine(
        "the state is declared now and then only",
        [[call("zoom", {"n": n}, f"zoom {n}k", state=f"s{n}"), news(2, 2 * n)] for n in range(MANY)],
    ),
    fine(
        "the user asks for the chapter in every turn",
        [
            call("read_rules", {"chapter": 4}, "Chapter four: who may open the gate and when", user_turn=n)
            for n in range(MANY)
        ],
    ),
    fine(
        "the application declares progress between the looks",
        [
            [call("read_rules", {"chapter": 4}, "Who may open the gate", progress_version=n), news(UNEVEN[n], 3 * n)]
            for n in range(MANY)
        ],
    ),
    fine(
        "a tool with wider limits is looked at more often",
        between(RULES, 7),
        settings=Settings(tools=(("read_rules", ToolPolicy(thresholds={NO_PROGRESS: Threshold(8, 20)})),)),
    ),
    fine(
        "a clock is looked at between pages that are new",
        [[call("now", {}, f"10:15:{n:02d}"), news(UNEVEN[n], 3 * n)] for n in range(MANY)],
    ),
]

ROWS = [*LOOPS, *FINE]


@pytest.mark.parametrize("row", ROWS, ids=name)
def test_no_progress(row: Row) -> None:
    """What is known already and comes back between other work is signalled, in whatever order."""
    check(row)
