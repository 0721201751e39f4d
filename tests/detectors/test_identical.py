from __future__ import annotations

import pytest
from engine.story import Row, call, check, fine, loop, name, spaced, stops, times, together, warns

from otel_loopwatch.detectors.grading import PATIENT_REPEATS, REPEATS
from otel_loopwatch.detectors.identical import BLIND, SIBLINGS
from otel_loopwatch.detectors.no_progress import STALE
from otel_loopwatch.model import Kind, Outcome
from otel_loopwatch.outcomes import Grade
from otel_loopwatch.settings import Settings, Threshold, ToolPolicy

IDENTICAL = Kind.IDENTICAL
FIRST, LAST = warns(IDENTICAL), stops(IDENTICAL)
BRANCHES = "  main\n* feature/harbour-lights\n  release/4.2"
MANY = 20
STALE_ATTEMPTS = warns(Kind.NO_PROGRESS, STALE)
SOLD = [{"sku": "lamp", "sold": 14}, {"sku": "kettle", "sold": 3}]
SEVERAL = warns(IDENTICAL, SIBLINGS)
ONLY_TWICE = Threshold(2, 4)


def of(tool: str, **policy: object) -> Settings:
    """Settings with a policy for one tool."""
    return Settings(tools=((tool, ToolPolicy(**policy)),))  # type: ignore[arg-type]


LOOPS = [
    loop(
        "a shell lists the same branches",
        times(MANY, call("bash", {"command": "git branch"}, BRANCHES)),
        at=(FIRST, IDENTICAL),
        critical=LAST,
    ),
    loop(
        "a query is written with other key order and white space",
        times(
            MANY // 2,
            call("run_sql", '{"db": "shop", "query": "select sku, sold from daily"}', SOLD),
            call("run_sql", '{ "query":"select sku, sold from daily", "db":"shop" }', SOLD),
        ),
        at=(FIRST, IDENTICAL),
        critical=LAST,
    ),
    loop(
        "a page differs only in its clock",
        [call("read_page", {"tab": 3}, f"Departures at 14:02:{n:02d}\nGate B7 boarding") for n in range(MANY)],
        at=(FIRST, IDENTICAL),
        critical=LAST,
    ),
    loop(
        "an answer differs only in its request id",
        [
            call("get_invoice", {"id": 71}, {"request_id": f"q-{n}z", "total": 120, "currency": "EUR"})
            for n in range(MANY)
        ],
        at=(FIRST, IDENTICAL),
        critical=LAST,
    ),
    loop(
        "output names another temporary file each time",
        [
            call("compile", {"target": "site"}, f"see /tmp/build-{n}xyz/log.txt for details of the build")
            for n in range(MANY)
        ],
        at=(FIRST, IDENTICAL),
        critical=LAST,
    ),
    loop(
        "a null argument comes and goes",
        times(
            MANY // 2,
            call("read_ticket", {"key": "OPS-9"}, "Printer on floor two is out of paper again."),
            call("read_ticket", {"key": "OPS-9", "fields": None}, "Printer on floor two is out of paper again."),
        ),
        at=(FIRST, IDENTICAL),
        critical=LAST,
    ),
    loop(
        "a whole number is written as a float",
        times(
            MANY // 2,
            call("read_rows", {"sheet": "staff", "page": 2}, "ann, bob, carla, dmitri, eve"),
            call("read_rows", {"sheet": "staff", "page": 2.0}, "ann, bob, carla, dmitri, eve"),
        ),
        at=(FIRST, IDENTICAL),
        critical=LAST,
    ),
    loop(
        "a button is clicked and only says ok",
        times(MANY, call("click", {"ref": "e12"}, "ok")),
        at=(warns(IDENTICAL, REPEATS[Grade.ACK]), IDENTICAL),
    ),
    loop(
        "an empty list of tickets is read without a pause",
        times(MANY, call("list_tickets", {"queue": "vip"}, [])),
        at=(warns(IDENTICAL, REPEATS[Grade.EMPTY]), IDENTICAL),
    ),
    loop(
        "a job is polled without a pause",
        times(MANY, call("job_status", {"job": "nightly"}, "running")),
        at=(warns(IDENTICAL, REPEATS[Grade.PENDING]), IDENTICAL),
    ),
    loop(
        "a bare number comes back",
        times(MANY, call("count_rows", {"table": "users"}, "42")),
        at=(warns(IDENTICAL, REPEATS[Grade.SHORT]), IDENTICAL),
    ),
    loop(
        "the time of day is asked for",
        [call("now", {"zone": "UTC"}, f"10:15:{n:02d}") for n in range(MANY)],
        at=(warns(IDENTICAL, REPEATS[Grade.CLOCK]), IDENTICAL),
    ),
    loop(
        "arguments repeat and results were not captured",
        times(MANY, call("fetch", {"url": "https://example.org/menu"})),
        at=(FIRST + BLIND.warning, IDENTICAL),
    ),
    loop(
        "one response asks the same many times side by side",
        together(1, times(MANY, call("geocode", {"place": "Ulm"}, {"lat": 48.4, "lon": 9.99}))),
        at=(SEVERAL, IDENTICAL),
    ),
    loop(
        "each response has the same two siblings",
        [
            together(
                n,
                call("read_file", {"path": "a.toml"}, "name = 'harbour'\nversion = '2'"),
                call("read_file", {"path": "b.toml"}, "name = 'lights'\nversion = '7'"),
            )
            for n in range(MANY)
        ],
        at=(2 * FIRST, IDENTICAL),
        critical=2 * LAST,
    ),
    loop(
        "a page that says something is read once a minute",
        times(
            MANY, call("read_page", {"url": "https://example.org/status"}, "All systems work as they should", gap=60)
        ),
        at=(warns(IDENTICAL, PATIENT_REPEATS[Grade.INFORMATIVE]), IDENTICAL),
    ),
    loop(
        "a tool has tighter limits of its own",
        times(MANY, call("screenshot", {"tab": 1}, "A form with two fields and a grey button")),
        at=(ONLY_TWICE.warning, IDENTICAL),
        critical=ONLY_TWICE.critical,
        settings=of("screen*", thresholds={IDENTICAL: ONLY_TWICE}),
    ),
    loop(
        "a key that is declared volatile changes",
        [
            call("ask", {"q": "opening hours", "nonce": f"w{n}"}, "Open from nine to five on weekdays")
            for n in range(MANY)
        ],
        at=(FIRST, IDENTICAL),
        critical=LAST,
        settings=of("ask", volatile_keys=frozenset({"nonce"})),
    ),
    loop(
        "only one argument makes the call and that one stays",
        [call("render", {"doc": "menu", "seed": n}, "Rendered page one of the lunch menu") for n in range(MANY)],
        at=(FIRST, IDENTICAL),
        critical=LAST,
        settings=of("render", identity_keys=frozenset({"doc"})),
    ),
    loop(
        "even a tool that is meant to be polled is polled too often",
        times(MANY, call("watch_deploy", {"app": "shop"}, "Replica set scaled, traffic at old version")),
        at=(warns(IDENTICAL, REPEATS[Grade.PENDING]), IDENTICAL),
        settings=of("watch_deploy", polling=True),
    ),
    loop(
        "the application declares that the answer is pending",
        times(MANY, call("scan", {"host": "db1"}, "Port scan has been handed to worker nine", outcome=Outcome.PENDING)),
        at=(warns(IDENTICAL, REPEATS[Grade.PENDING]), IDENTICAL),
    ),
    loop(
        "a mailbox is looked at once a minute for a long time",
        times(MANY, call("list_mail", {"folder": "inbox"}, [], gap=60)),
        at=(warns(IDENTICAL, PATIENT_REPEATS[Grade.EMPTY]), IDENTICAL),
    ),
]

FINE = [
    fine(
        "a poll moves from percent to percent",
        [call("job_status", {"job": "import"}, f"running, {n * 4}% done") for n in range(MANY)],
    ),
    fine("a poll is patient", times(MANY, call("job_status", {"job": "nightly"}, "running", gap=60))),
    fine(
        "a poll waits longer each time",
        spaced([2.0 * 1.6**n for n in range(15)], times(15, call("job_status", {"job": "train"}, "still in progress"))),
    ),
    fine(
        "a file is looked at twice before the answer",
        times(FIRST - 1, call("read_file", {"path": "notes.md"}, "# Notes\nBuy a new lamp for the hall")),
        call("answer", {"text": "a lamp"}, "delivered"),
    ),
    fine(
        "the user asks for the same once more in every turn",
        [call("weather", {"city": "Oslo"}, "Light snow, minus two degrees", user_turn=n) for n in range(MANY)],
    ),
    fine(
        "tests run after every edit and fail less and less",
        [
            [
                call("edit_file", {"path": "a.py", "new": f"x = {n}"}, "ok"),
                call("run_tests", {"dir": "tests"}, f"{12 - n} of 12 tests failed in module parser"),
            ]
            for n in range(10)
        ],
    ),
    fine(
        "one response has a few equal siblings",
        together(1, times(SEVERAL - 1, call("roll_dice", {"sides": 6}, "You rolled a four with that die"))),
    ),
    fine(
        "siblings of one response look up different things with equal acks",
        [together(n, [call("warm_cache", {"key": f"k{n}-{m}"}, "ok") for m in range(5)]) for n in range(4)],
    ),
    fine(
        "the application declares progress before each repeat",
        [call("next_chunk", {}, "Chunk has been passed on to the reader", progress_version=n) for n in range(MANY)],
    ),
    fine(
        "the tool is never to be judged",
        times(MANY, call("heartbeat", {"id": 1}, "The service is alive and well today")),
        settings=of("heart*", ignore=True),
    ),
    fine(
        "every result was cut by its writer",
        times(MANY, call("dump", {"table": "log"}, "row one of the log, row two of the log", truncated=True)),
    ),
    fine("neither arguments nor results were captured", times(MANY, call("lookup"))),
    fine(
        "a digest of a growing file is different each time",
        [call("sha256sum", {"path": "app.log"}, f"{n:02x}" + "9ab3c4d5" * 7 + "abcdef  app.log") for n in range(MANY)],
    ),
    fine(
        "a table gets one more row each time",
        [call("run_sql", {"q": "select count(*) from jobs"}, f"The table now has {100 + n} rows") for n in range(MANY)],
    ),
    fine(
        "a list is read page by page",
        [call("list_orders", {"page": n}, f"order {n * 3}a, order {n * 3}b, order {n * 3}c") for n in range(MANY)],
    ),
    fine(
        "a list is read cursor by cursor",
        [call("list_users", {"cursor": f"c{n}"}, {"users": [f"u{n}"], "next": f"c{n + 1}"}) for n in range(MANY)],
    ),
    fine(
        "a tool has wider limits of its own",
        times(STALE_ATTEMPTS, call("screenshot", {"tab": 1}, "A form with two fields and a grey button")),
        settings=of("screenshot", thresholds={IDENTICAL: Threshold(12, 20)}),
    ),
    fine(
        "an ack comes a few times",
        times(warns(IDENTICAL, REPEATS[Grade.ACK]) - 1, call("scroll_down", {"by": 400}, "ok")),
    ),
    fine(
        "two agents each read the same file twice",
        times(2, call("read_file", {"path": "plan.md"}, "# Plan\nFirst the roof and then the walls", agent="mason")),
        times(2, call("read_file", {"path": "plan.md"}, "# Plan\nFirst the roof and then the walls", agent="roofer")),
    ),
]

ROWS = [*LOOPS, *FINE]


@pytest.mark.parametrize("row", ROWS, ids=name)
def test_identical(row: Row) -> None:
    """The same call with the same result is signalled when its evidence is enough, and good work is left alone."""
    check(row)
