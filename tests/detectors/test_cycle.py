from __future__ import annotations

import pytest
from engine.story import Part, Row, call, check, fails, fine, loop, name, spaced, stops, times, warns

from otel_loopwatch.detectors.cycle import HOT_ROUNDS, NO_HALT, NOISE, PATIENCE
from otel_loopwatch.detectors.grading import ROUNDS, Extra, more
from otel_loopwatch.detectors.no_progress import AGAIN, STALE
from otel_loopwatch.model import Kind
from otel_loopwatch.outcomes import Grade
from otel_loopwatch.periods import LONGEST
from otel_loopwatch.settings import Settings, Threshold, ToolPolicy

PING_PONG, CYCLE = Kind.PING_PONG, Kind.CYCLE
MANY = 14
STALE_ATTEMPTS = warns(Kind.NO_PROGRESS, STALE)
INBOX = "Three letters: rent, dentist, lottery"
CALENDAR = "Monday is free, Tuesday is full of meetings"
CONTACTS = "Ann, Bob and Carla live in the same street"


def pages(number: int) -> list[Part]:
    """As many different pages with something on each."""
    return [call("open_page", {"url": f"/p{n}"}, f"Chapter {n}k: how to tie knot {n}k at sea") for n in range(number)]


LOOPS = [
    loop(
        "two pages take turns",
        times(MANY, pages(2)),
        at=(2 * warns(PING_PONG), PING_PONG),
        critical=2 * stops(PING_PONG),
    ),
    loop(
        "mail and calendar take turns",
        times(MANY, call("read_mail", {}, INBOX), call("read_calendar", {}, CALENDAR)),
        at=(2 * warns(PING_PONG), PING_PONG),
        critical=2 * stops(PING_PONG),
    ),
    loop(
        "three tools go round",
        times(
            MANY,
            call("read_mail", {}, INBOX),
            call("read_calendar", {}, CALENDAR),
            call("read_contacts", {}, CONTACTS),
        ),
        at=(3 * warns(CYCLE), CYCLE),
        critical=3 * stops(CYCLE),
    ),
    loop(
        "four pages go round",
        times(MANY, pages(4)),
        at=(4 * warns(CYCLE), CYCLE),
        critical=4 * stops(CYCLE),
    ),
    loop(
        "a longer round is first seen as nothing new",
        times(MANY, pages(7)),
        at=(7 + STALE_ATTEMPTS, Kind.NO_PROGRESS),
        critical=7 * stops(CYCLE),
    ),
    loop(
        "a round that is too long to be followed still brings nothing new",
        times(3, pages(LONGEST + 1)),
        at=(LONGEST + 1 + STALE_ATTEMPTS, Kind.NO_PROGRESS),
    ),
    loop(
        "a view is switched on and off with acks",
        times(MANY, call("show_grid", {"on": True}, "ok"), call("show_grid", {"on": False}, "ok")),
        at=(2 * warns(PING_PONG, ROUNDS[Grade.ACK]), PING_PONG),
    ),
    loop(
        "two empty lists take turns",
        times(MANY, call("list_issues", {"repo": "lamp"}, []), call("list_requests", {"repo": "lamp"}, [])),
        at=(2 * warns(PING_PONG, ROUNDS[Grade.EMPTY]), PING_PONG),
    ),
    loop(
        "two short answers take turns",
        times(MANY, call("get_flag", {"key": "a"}, "on"), call("get_flag", {"key": "b"}, "off")),
        at=(2 * warns(PING_PONG, ROUNDS[Grade.SHORT]), PING_PONG),
        critical=2 * stops(PING_PONG, ROUNDS[Grade.SHORT]),
    ),
    loop(
        "two errors take turns and each comes back unchanged",
        times(
            MANY,
            fails("open_door", {"id": 1}, "The door is locked from the inside: permission denied"),
            fails("find_key", {"id": 1}, "No such key on the board"),
        ),
        at=(2 * warns(PING_PONG), PING_PONG),
        critical=2 * stops(PING_PONG),
    ),
    loop(
        "two pages take turns once a minute",
        times(
            MANY,
            call("open_page", {"url": "/a"}, "A page that tells of knots", gap=60),
            call("open_page", {"url": "/b"}, "A page that tells of sails", gap=60),
        ),
        at=(2 * warns(Kind.NO_PROGRESS, AGAIN[Grade.INFORMATIVE]) - 1, Kind.NO_PROGRESS),
        critical=2 * (stops(PING_PONG) + PATIENCE),
    ),
    loop(
        "a search is reworded between looks at the same page",
        [[call("search_docs", {"q": f"knot {n}k"}, "Start at the table of contents"), pages(1)] for n in range(MANY)],
        at=(2 * (warns(PING_PONG) + NOISE), PING_PONG),
        critical=2 * stops(Kind.NO_PROGRESS, AGAIN[Grade.INFORMATIVE]),
    ),
    loop(
        "an edit is new each time and the build fails as before",
        [
            [
                call("edit_file", {"path": "a.c", "text": f"int a = {n};"}, "ok"),
                fails("build", {"target": "all"}, "a.c: expected a semicolon before return"),
            ]
            for n in range(MANY)
        ],
        at=(2 * (warns(PING_PONG) + NOISE), PING_PONG),
        critical=2 * (stops(PING_PONG) + NOISE),
    ),
    *(
        loop(
            f"{sentence} without any pause",
            times(MANY, call("job_status", {"job": 4}, answer, gap=0.2), call("sleep", {"s": 0}, "ok", gap=0.2)),
            at=(2 * warns(PING_PONG, HOT_ROUNDS), PING_PONG),
        )
        for sentence, answer in (
            ("a job is looked at and slept for", "running"),
            ("a job in JSON is looked at and slept for", {"state": "queued", "place": 3}),
        )
    ),
    loop(
        "a job is looked at and slept for with short pauses",
        times(MANY, call("job_status", {"job": 4}, "running"), call("sleep", {"s": 3}, "ok")),
        at=(2 * warns(PING_PONG, ROUNDS[Grade.PENDING]), PING_PONG),
    ),
    *(
        loop(
            f"two short answers in {language} take turns with growing pauses",
            spaced([1.6**n for n in range(MANY)], times(MANY // 2, flags)),
            at=(2 * warns(PING_PONG, more(ROUNDS[Grade.SHORT], NO_HALT)), PING_PONG),
        )
        for language, flags in (
            ("English", [call("get_flag", {"key": "a"}, "on"), call("get_flag", {"key": "b"}, "off")]),
            ("Turkish", [call("get_flag", {"key": "a"}, "açık"), call("get_flag", {"key": "b"}, "kapalı")]),
        )
    ),
    loop(
        "two pages that carry other tokens each time take turns",
        [
            [
                call("open_page", {"url": page}, f"Here is {page}. Your token: k{n + 11}x{n + 71}bfq")
                for page in ("the menu", "the wine list")
            ]
            for n in range(stops(PING_PONG) + 1)
        ],
        at=(2 * warns(PING_PONG), PING_PONG),
    ),
    loop(
        "a page and a job that still runs take turns",
        times(MANY, call("job_status", {"job": 4}, "running"), pages(1)),
        at=(2 * warns(PING_PONG), PING_PONG),
        critical=2 * stops(PING_PONG, Extra(0, 1)),
    ),
    loop(
        "a tool has tighter limits of its own",
        times(MANY, pages(2)),
        at=(4, PING_PONG),
        critical=6,
        settings=Settings(
            tools=(("open_*", ToolPolicy(thresholds={PING_PONG: Threshold(2, 3), CYCLE: Threshold(2, 3)})),)
        ),
    ),
]

FINE = [
    fine("two pages are each opened twice", times(warns(PING_PONG) - 1, pages(2))),
    fine("three pages are each opened twice", times(warns(CYCLE) - 1, pages(3))),
    fine(
        "two pages that carry other tokens each time are each opened twice",
        [
            [
                call("open_page", {"url": page}, f"Here is {page}. Your token: k{n + 11}x{n + 71}bfq")
                for page in ("the menu", "the wine list")
            ]
            for n in range(warns(PING_PONG) - 1)
        ],
    ),
    fine("many pages are opened once", pages(40)),
    fine(
        "tests run after every new edit until they pass",
        [
            [
                call("edit_file", {"path": "a.c", "text": f"int a = {n};"}, "ok"),
                call("run_tests", {}, f"{MANY - n} tests failed, the rest passed"),
            ]
            for n in range(MANY)
        ],
    ),
    fine(
        "tests pass after every new edit",
        [
            [
                call("edit_file", {"path": "a.c", "text": f"int a = {n};"}, "ok"),
                call("run_tests", {}, "All tests of the module have passed"),
            ]
            for n in range(MANY)
        ],
    ),
    fine(
        "a queue is worked off",
        [
            [call("next_job", {}, f"Please fold {n + 3} napkins"), call("finish_job", {"folded": n + 3}, "done")]
            for n in range(MANY)
        ],
    ),
    fine(
        "a wait and a look take turns while a job runs",
        times(
            warns(PING_PONG, ROUNDS[Grade.ACK]) + PATIENCE - 1,
            call("sleep", {"s": 50}, "ok", gap=50),
            call("job_status", {"job": 4}, "running", gap=50),
        ),
    ),
    fine(
        "a job is looked at and slept for a few times without any pause",
        times(
            warns(PING_PONG, HOT_ROUNDS) - 1,
            call("job_status", {"job": 4}, "running", gap=0.2),
            call("sleep", {"s": 0}, "ok", gap=0.2),
        ),
    ),
    fine(
        "two short answers take turns twice",
        times(warns(PING_PONG) - 1, call("get_flag", {"key": "a"}, "açık"), call("get_flag", {"key": "b"}, "kapalı")),
    ),
    fine(
        "two short answers take turns once a minute for a while",
        times(
            warns(PING_PONG) + PATIENCE - 1,
            call("get_flag", {"key": "a"}, "on", gap=60),
            call("get_flag", {"key": "b"}, "off", gap=60),
        ),
    ),
    fine(
        "a sensor and a log move on together",
        [
            [
                call("read_sensor", {"id": 4}, f"Water stands at {n + 17} centimetres today"),
                call("tail_log", {}, f"Line {n} of the log: pump is on"),
            ]
            for n in range(MANY)
        ],
    ),
    fine(
        "each user turn looks at mail and calendar",
        [
            [call("read_mail", {}, INBOX, user_turn=n), call("read_calendar", {}, CALENDAR, user_turn=n)]
            for n in range(MANY)
        ],
    ),
    fine(
        "the application declares progress in every round",
        [
            [call("read_mail", {}, INBOX, progress_version=n), call("read_calendar", {}, CALENDAR, progress_version=n)]
            for n in range(MANY)
        ],
    ),
    fine(
        "two tools take turns and what they said was not captured",
        [[call("ask", {"q": f"{n}k"}), call("answer", {"a": f"{n}k"})] for n in range(MANY)],
    ),
    fine(
        "ten files are looked at again before the work begins",
        pages(10),
        pages(STALE_ATTEMPTS - 1),
    ),
]

ROWS = [*LOOPS, *FINE]


@pytest.mark.parametrize("row", ROWS, ids=name)
def test_cycle(row: Row) -> None:
    """Attempts that go round with the same results are signalled; rounds that move are not."""
    check(row)
