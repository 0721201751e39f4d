from __future__ import annotations

from collections.abc import Sequence

import pytest
from engine.story import Line, Part, Row, call, check, fails, fine, loop, name, spaced, stops, times, together, warns

from otel_loopwatch.detectors.cycle import NOISE
from otel_loopwatch.detectors.no_progress import AGAIN, KNOWN_LINES, SAME_STATE, STALE, STALE_WINDOW
from otel_loopwatch.model import Kind
from otel_loopwatch.outcomes import Grade
from otel_loopwatch.settings import Settings, Threshold, ToolPolicy

NO_PROGRESS = Kind.NO_PROGRESS
MANY = 16
STALE_ATTEMPTS, SAME_STATES = warns(NO_PROGRESS, STALE), warns(NO_PROGRESS, SAME_STATE)
RULES = call("read_rules", {"chapter": 4}, "Chapter four: who may open the gate and when")
UNEVEN = (1, 2, 1, 3, 2, 1, 3, 1, 2, 3, 1, 2, 2, 1, 3, 1)
"""Pages between two looks, so that nothing is periodic."""


def news(number: int, start: int) -> list[Part]:
    """Calls that each bring something new."""
    return [
        call("open_page", {"n": f"{n}k"}, f"Page {n}k tells how to tie knot {n}k") for n in range(start, start + number)
    ]


def between(line: Part, rounds: int = MANY) -> list[Part]:
    """A line again and again, with a varying number of new pages in between."""
    return [[line, news(UNEVEN[n], 3 * n)] for n in range(rounds)]


def nth(count: int) -> int:
    """Number of the call that is the ``count``-th look in `between`."""
    return count + sum(UNEVEN[: count - 1])


def shuffled(lines: Sequence[Part], rounds: int) -> list[Part]:
    """The same lines in another order each round."""
    orders = ((0, 1, 2, 3), (2, 0, 3, 1), (1, 3, 2, 0), (3, 0, 1, 2), (0, 2, 1, 3), (2, 3, 0, 1))
    return [[lines[index] for index in orders[n % len(orders)]] for n in range(rounds)]


DAYBREAK, MORSE = (
    "ash oak elm|the gate is open|a boat comes in|two men get out|they carry a trunk|it is very heavy|the gate is "
    "shut again|nobody has seen it|only a gull|and the wind".split("|"),
    "はじめに門が開く|小舟が岸に着く|二人の男が降りる|重い箱を運んでいる|門がまた閉まる|誰も見ていない|鴎が一羽だけ|風が強くなる|夜が明ける|人が集まる".split(
        "|"
    ),
)


def cut(text: list[str], first: int, last: int) -> Line:
    """Some lines of a text, by a command that no rule can read."""
    return call("bash", {"command": f"sed -n '{first + 1},{last}p' log.txt"}, "\n".join(text[first:last]))


CUTS = ((0, 4), (2, 6), (3, 7), (1, 6), (5, 9), (4, 8), (6, 10), (0, 5), (2, 7), (3, 9), (1, 8), (5, 10))
"""Windows that overlap."""
REREAD = warns(NO_PROGRESS, KNOWN_LINES)
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
    *(
        loop(
            f"lines in {language} are read again by other commands",
            cut(text, 0, 10),
            [cut(text, first, last) for first, last in CUTS],
            at=(1 + REREAD, NO_PROGRESS),
        )
        for language, text in (("English", DAYBREAK), ("Japanese", MORSE))
    ),
    loop(
        "rows of a list are found again by other questions",
        call("query", {"where": "all"}, [{"boat": f"boat {n}k"} for n in range(10)]),
        [call("query", {"where": f"nr {a} to {b}"}, [{"boat": f"boat {n}k"} for n in range(a, b)]) for a, b in CUTS],
        at=(1 + REREAD, NO_PROGRESS),
    ),
    loop(
        "known lines have a heading that counts",
        cut(DAYBREAK, 0, 10),
        [
            call("bash", {"command": f"grep {a}"}, "\n".join([f"hits for {a}{b}:", *DAYBREAK[a : b + 1]]))
            for a, b in CUTS
        ],
        at=(1 + REREAD, NO_PROGRESS),
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
        "a log is read window by window, with an overlap",
        [cut([f"line {m}k of the log" for m in range(90)], 3 * n, 3 * n + 4) for n in range(MANY)],
    ),
    fine(
        "a few windows are read again",
        cut(DAYBREAK, 0, 10),
        [cut(DAYBREAK, first, last) for first, last in CUTS[: REREAD - 1]],
    ),
    fine(
        "windows are read again after every edit",
        cut(MORSE, 0, 10),
        [[call("edit_file", {"path": "log.txt", "text": f"{a}{b}"}, "ok"), cut(MORSE, a, b)] for a, b in CUTS],
    ),
    fine(
        "news stand between windows that are read again",
        cut(DAYBREAK, 0, 10),
        [
            [
                cut(DAYBREAK, a, b),
                call("open_page", {"n": f"{a}{b}"}, f"{a} and {b}\nfirst {a}k\nthen {b}k\nlast {a}{b}k"),
            ]
            for a, b in CUTS
        ],
    ),
    fine(
        "a line or two are read again",
        cut(MORSE, 0, 10),
        [cut(MORSE, n, n + 2) for n in range(8)],
    ),
    fine(
        "windows are read again once a minute",
        cut(DAYBREAK, 0, 10),
        spaced([60.0], [cut(DAYBREAK, a, b) for a, b in CUTS]),
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
