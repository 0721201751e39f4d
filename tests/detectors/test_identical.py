from __future__ import annotations

from typing import Any

import pytest
from engine.story import Line, Row, call, check, fine, loop, name, spaced, stops, times, together, warns

from otel_loopwatch.detectors.grading import IDS_DIFFER, PATIENT_REPEATS, REPEATS
from otel_loopwatch.detectors.identical import (
    BLIND,
    NUMBERS_VARY,
    PRESSED,
    RESPELLED,
    SIBLINGS,
    TIME_ASKED,
    WITHOUT_PAUSE,
    WRITTEN,
)
from otel_loopwatch.detectors.no_progress import STALE
from otel_loopwatch.model import Kind, Outcome
from otel_loopwatch.outcomes import Grade
from otel_loopwatch.settings import Settings, Threshold, ToolPolicy

IDENTICAL = Kind.IDENTICAL
FIRST, LAST = warns(IDENTICAL), stops(IDENTICAL)
BRANCHES = "  main\n* feature/harbour-lights\n  release/4.2"
MANY = 20
LONG = stops(IDENTICAL, WITHOUT_PAUSE) + 2
STALE_ATTEMPTS = warns(Kind.NO_PROGRESS, STALE)
SOLD = [{"sku": "lamp", "sold": 14}, {"sku": "kettle", "sold": 3}]
SEVERAL = warns(IDENTICAL, SIBLINGS)
ONLY_TWICE = Threshold(2, 4)


def of(tool: str, **policy: Any) -> Settings:
    """Settings with a policy for one tool."""
    return Settings(tools=((tool, ToolPolicy(**policy)),))


def measured(text: str, number: int, *values: float, **fields: Any) -> list[Line]:
    """One question, and answers in which a number is another one each time."""
    return [call("measure", {"at": "pier 4"}, text.format(values[n % len(values)]), **fields) for n in range(number)]


ROOMS = "attic cellar hall shed barn".split()
ANSWERS: tuple[Any, ...] = ([], "keins", "なし")
SPELLINGS = ("lamp shade", "Lamp Shade", "LAMP  SHADE", "lamp  Shade", "Lamp shade")
DEGREES = [20.5 + 7 * n % MANY for n in range(MANY)]
"""Up and down."""

LOOPS = [
    *(
        loop(
            f"a number goes up and down: {text}",
            measured(text, MANY, *DEGREES),
            at=(warns(IDENTICAL, NUMBERS_VARY), IDENTICAL),
        )
        for text in (
            "The water at the pier has {} degrees",
            "Das Wasser am Steg hat heute {} Grad, sagt der Wärter",
            "码头的水温现在是{}度，风力不大，适合出海捕鱼和游泳",
        )
    ),
    *(
        loop(
            f"a page carries another token each time: {text}",
            [call("open_page", {"url": "/menu"}, text.format(f"k{n + 11}x{n + 71}bfq")) for n in range(MANY)],
            at=(warns(IDENTICAL, IDS_DIFFER), IDENTICAL),
        )
        for text in (
            "Soup, fish and cake. Your token: {}",
            "本日のお品書き：汁物、焼き魚、菓子。合言葉 {} をお持ちください",
        )
    ),
    *(
        loop(
            f"the same is asked in ever other spelling, and the answer is {answer or 'empty'!r}",
            [call("find_part", {"name": SPELLINGS[n % 5]}, answer) for n in range(MANY)],
            at=(warns(IDENTICAL, RESPELLED), Kind.DRIFT),
            critical=stops(IDENTICAL, RESPELLED),
        )
        for answer in ANSWERS
    ),
    loop(
        "a mailbox is looked at, each time for another reason",
        [call("list_mail", {"folder": "inbox", "reason": f"look number {n}"}, []) for n in range(MANY)],
        at=(warns(IDENTICAL, REPEATS[Grade.EMPTY]), Kind.DRIFT),
    ),
    *(
        loop(
            f"a job is asked for without any pause: {answer}",
            times(LONG, call("job_status", {"job": "nightly"}, answer, gap=0.2)),
            at=(warns(IDENTICAL, WITHOUT_PAUSE), IDENTICAL),
            critical=stops(IDENTICAL, WITHOUT_PAUSE),
        )
        for answer in ("running", {"status": "in_progress", "job": "nightly"})
    ),
    *(
        loop(
            f"one and the same write is done each time: {answer}",
            times(MANY, call(tool, {"key": "harbour", "text": "open"}, answer)),
            at=(warns(IDENTICAL, WRITTEN), IDENTICAL),
        )
        for tool, answer in (("update_record", "updated"), ("write_file", {"ok": True}), ("set_flag", "saved"))
    ),
    *(
        loop(
            f"{tool} is pressed very often",
            times(MANY, call(tool, {"key": "down"}, answer)),
            at=(warns(IDENTICAL, PRESSED), IDENTICAL),
        )
        for tool, answer in (
            ("press_key", "ok"),
            ("tap", "Tapped at 40, 60"),
            ("scroll", "選択は三行目のままです。画面は動きません"),
        )
    ),
    loop(
        "one response asks many times among others",
        together(
            1,
            [call("geocode", {"place": f"place {n}"}, f"{n} north and {n} east of here") for n in range(3)],
            times(MANY, call("geocode", {"place": "Köln"}, "Köln liegt am Rhein, nicht am Meer")),
        ),
        at=(3 + SEVERAL, IDENTICAL),
        critical=3 + stops(IDENTICAL, SIBLINGS),
    ),
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
        at=(warns(IDENTICAL, TIME_ASKED), IDENTICAL),
        critical=stops(IDENTICAL, TIME_ASKED),
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
        critical=stops(IDENTICAL, SIBLINGS),
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
        "a page is read twice and carries another token each time",
        [
            call("open_page", {"url": "/menu"}, f"Soup, fish and cake. Your token: k{n + 11}x{n + 71}bfq")
            for n in range(warns(IDENTICAL, IDS_DIFFER) - 1)
        ],
    ),
    fine(
        "a page carries another token and another dish each time",
        [
            call("open_page", {"url": "/menu"}, f"{dish} and cake. Your token: k{n + 11}x{n + 71}bfq")
            for n, dish in enumerate("Suppe Fisch Kohl Brot Käse Tee".split())
        ],
    ),
    fine("a level only rises", measured("The water at the pier stands at {} cm", MANY, *range(40, 40 + MANY))),
    fine(
        "a backlog in Chinese only falls",
        measured("在队列中还剩{}个任务没有完成，请耐心等待", MANY, *range(90, 90 - MANY, -1)),
    ),
    fine("a backlog only falls", measured("Noch warten {} Briefe auf eine Antwort", MANY, *range(90, 90 - MANY, -1))),
    fine(
        "a number goes up and down a few times",
        measured("The water at the pier has {} degrees", warns(IDENTICAL, NUMBERS_VARY) - 1, *DEGREES),
    ),
    fine(
        "a number is read once a minute",
        measured("The water at the pier has {} degrees", MANY, *DEGREES, gap=60),
    ),
    fine(
        "a few spellings are tried",
        [call("find_part", {"name": SPELLINGS[n]}, []) for n in range(warns(IDENTICAL, RESPELLED) - 1)],
    ),
    fine(
        "each spelling finds something else",
        [call("find_part", {"name": s}, f"one is kept in the {r}") for s, r in zip(SPELLINGS, ROOMS, strict=True)],
    ),
    *(
        fine(
            f"a job is asked for a few times without any pause: {answer}",
            times(warns(IDENTICAL, WITHOUT_PAUSE) - 1, call("job_status", {"job": "nightly"}, answer, gap=0.2)),
        )
        for answer in ("running", {"status": "queued"})
    ),
    fine(
        "the time of day is asked for a few times",
        [call("now", {"zone": "UTC"}, f"10:15:{n:02d}") for n in range(warns(IDENTICAL, TIME_ASKED) - 1)],
    ),
    fine(
        "the time of day is asked for once a minute",
        [call("now", {"zone": "UTC"}, f"10:{n:02d}:00", gap=60) for n in range(MANY)],
    ),
    fine(
        "many records are written, each once",
        [call("update_record", {"key": f"r{n}", "text": "open"}, "updated") for n in range(MANY)],
    ),
    fine(
        "a record is written twice",
        times(warns(IDENTICAL, WRITTEN) - 1, call("update_record", {"key": "harbour", "text": "open"}, "updated")),
    ),
    fine(
        "everything is saved a few times, and nothing is said of what",
        times(warns(IDENTICAL, REPEATS[Grade.ACK]) - 1, call("save_all", {}, "saved")),
    ),
    fine(
        "a key is pressed a few times",
        times(warns(IDENTICAL, PRESSED) - 1, call("press_key", {"key": "down"}, "ok")),
    ),
    fine("keys are pressed in turn", [call("press_key", {"key": key}, "ok") for key in "the lamp is blue"]),
    fine(
        "a key moves through a menu",
        [call("press_key", {"key": "down"}, f"Gewählt: {dish}") for dish in "Suppe Fisch Kohl Brot Käse Tee".split()],
    ),
    fine(
        "one response looks up many places",
        together(1, [call("geocode", {"place": f"place {n}"}, f"{n} north of here") for n in range(MANY)]),
    ),
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
        "a digest of a growing file is different the few times",
        [
            call("sha256sum", {"path": "app.log"}, f"{n:02x}" + "9ab3c4d5" * 7 + "abcdef  app.log")
            for n in range(FIRST - 1)
        ],
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
