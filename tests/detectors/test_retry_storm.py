from __future__ import annotations

from itertools import permutations

import pytest
from engine.story import Part, Row, call, check, fails, fine, loop, name, spaced, stops, times, together, warns

from otel_loopwatch.detectors.grading import PATIENT_REPEATS, REPEATS, Extra, more
from otel_loopwatch.detectors.retry_storm import (
    ANY_TOOL,
    COMES_BACK,
    COMES_BACK_ONCE,
    MANY_THINGS,
    NUMBERS_DIFFER,
    OTHER_ARGUMENTS,
    SPECIFIC,
    STUBBORN,
)
from otel_loopwatch.model import Kind, Outcome
from otel_loopwatch.outcomes import Grade
from otel_loopwatch.settings import Settings, Threshold, ToolPolicy

STORM = Kind.RETRY_STORM
FIRST, LAST = warns(STORM), stops(STORM)
MANY = 20
FULL = "cannot write: disk is full"
DENIED = "Permission denied for role reader"
LIMIT = "429 Too Many Requests"
PEOPLE = "ann bob carla dmitri eve farid gina hugo ines jan kim lea".split()
REPAIRS = [f"select tide, wind from harbour where pier = {n} order by tide" for n in range(MANY)]
UNEVEN = (1, 2, 1, 3, 2, 1, 3, 1, 2, 3, 1, 2, 2, 1, 3, 1)


SCATTERED = warns(STORM, OTHER_ARGUMENTS) + MANY_THINGS
"""Failures alike that are about one thing each."""
WAITED = warns(STORM, more(PATIENT_REPEATS[Grade.ERROR], NUMBERS_DIFFER)) - 1
FORM = [
    "Feld Stadt: nur Buchstaben erlaubt",
    "Feld Straße: Hausnummer fehlt",
    "Feld Land: zwei Buchstaben",
    "Feld Telefon: mit Vorwahl",
]
ADDRESSES, QUESTIONS = (
    list(map(" ".join, permutations(words))) for words in (("Hafen", "Ulm", "Nord"), ("tide", "of", "pier"))
)
"""The same words in all orders."""
UNSET = "The workspace has not been set up, so there is nothing to work on"
UNSET_JAPANESE = "作業場所がまだ用意されていないので何もできません。先に準備を済ませてください"
TOOLS = "read_file list_dir run_tests open_page grep view".split()


def work(number: int, start: int) -> list[Part]:
    """Edits that each change something."""
    return [call("edit_file", {"path": "a", "text": f"{n}k"}, "ok") for n in range(start, start + number)]


def nth(count: int) -> int:
    """Number of the call that is the ``count``-th try with `work` in between."""
    return count + sum(UNEVEN[: count - 1])


LOOPS = [
    loop(
        "the same command fails alike",
        times(MANY, fails("bash", {"command": "make"}, FULL)),
        at=(FIRST, STORM),
        critical=LAST,
    ),
    loop(
        "the error is told in the result",
        times(MANY, call("run_sql", {"q": "drop table x"}, f"Error: {DENIED}")),
        at=(FIRST, STORM),
        critical=LAST,
    ),
    loop(
        "the error is told in a field of the result",
        times(MANY, call("post_form", {"id": 4}, {"error": "field email is required"})),
        at=(FIRST, STORM),
        critical=LAST,
    ),
    loop(
        "the error names another request each time",
        [fails("call_api", {"id": 4}, f"request id: {n}a4, {DENIED}") for n in range(MANY)],
        at=(FIRST, STORM),
        critical=LAST,
    ),
    loop(
        "a rate limit is run into without a pause",
        times(MANY, fails("call_api", {"id": 4}, LIMIT)),
        at=(warns(STORM, REPEATS[Grade.RETRYABLE]), STORM),
        critical=stops(STORM, REPEATS[Grade.RETRYABLE]),
    ),
    loop(
        "an error that will not pass is waited out",
        times(MANY, fails("open_door", {"id": 4}, DENIED, gap=60)),
        at=(warns(STORM, PATIENT_REPEATS[Grade.ERROR]), STORM),
        critical=stops(STORM, PATIENT_REPEATS[Grade.ERROR]),
    ),
    loop(
        "other words run into the same error",
        [fails("run_sql", {"q": q}, "the reader is not let into that room") for q in REPAIRS],
        at=(SCATTERED, STORM),
    ),
    loop(
        "the same words in other places run into the same error",
        [fails("search", {"q": q}, "query parser: expected a field name") for q in QUESTIONS * 3],
        at=(warns(STORM, COMES_BACK), STORM),
        critical=max(stops(STORM, COMES_BACK), len(QUESTIONS) + 1),
    ),
    loop(
        "a command fails alike in spite of the edits between",
        [
            [fails("build", {"t": "all"}, "lamp.c: undefined symbol"), work(UNEVEN[n], 3 * n)]
            for n in range(len(UNEVEN))
        ],
        at=(nth(warns(STORM, STUBBORN)), STORM),
        critical=nth(stops(STORM, STUBBORN)),
    ),
    loop(
        "a failure without a word",
        times(MANY, fails("ping", {"host": "db"})),
        at=(warns(STORM, REPEATS[Grade.NOTHING]), STORM),
    ),
    loop(
        "a rate limit is waited out very often",
        times(MANY, fails("call_api", {"id": 4}, LIMIT, gap=60)),
        at=(warns(STORM, PATIENT_REPEATS[Grade.RETRYABLE]), STORM),
    ),
    loop(
        "a tool has tighter limits of its own",
        times(MANY, fails("bash", {"command": "make"}, FULL)),
        at=(2, STORM),
        critical=4,
        settings=Settings(tools=(("bash", ToolPolicy(thresholds={STORM: Threshold(2, 4)})),)),
    ),
    loop(
        "a tool that may be polled fails as well",
        times(MANY, fails("job_status", {"id": 4}, "no such job")),
        at=(FIRST, STORM),
        critical=LAST,
        settings=Settings(tools=(("job_status", ToolPolicy(polling=True)),)),
    ),
    *(
        loop(
            f"a form is not understood: {len(errors)} errors come back over and over",
            [fails("fill_form", {"text": a}, errors[n % len(errors)]) for n, a in enumerate(ADDRESSES * 2)],
            at=(warns(STORM, COMES_BACK), STORM),
            critical=max(stops(STORM, COMES_BACK), len(ADDRESSES) + 1),
        )
        for errors in (FORM[:2], FORM[:3])
    ),
    loop(
        "errors come back, but no request does",
        [fails("fill_form", {"text": a}, FORM[n % 2]) for n, a in enumerate(ADDRESSES)],
        at=(warns(STORM, COMES_BACK), STORM),
    ),
    loop(
        "one of four errors comes back",
        [fails("fill_form", {"text": a}, FORM[n]) for a, n in zip(ADDRESSES, (0, 1, 2, 0, 3), strict=False)],
        at=(warns(STORM, COMES_BACK_ONCE), STORM),
    ),
    loop(
        "the same request comes back among others, and fails in two ways",
        [
            fails("unlock", {"key": PEOPLE[n // 2] if n % 2 else "master"}, ("It is stuck", "It does not fit")[n % 2])
            for n in range(10)
        ],
        at=(warns(STORM, COMES_BACK), STORM),
        critical=stops(STORM, COMES_BACK),
    ),
    *(
        loop(
            f"{len(set(tools))} tools run into one error: {error[:8]}",
            [fails(tool, {"n": f"{n}k"}, error) for n, tool in enumerate(tools)],
            at=(warns(STORM, ANY_TOOL), STORM),
        )
        for tools, error in ((TOOLS * 2, UNSET), (TOOLS[:3] * 3, UNSET_JAPANESE))
    ),
    loop(
        "tools run into one error that names each of them",
        [fails(tool, {"n": f"{n}k"}, f"{tool} is not allowed before a login") for n, tool in enumerate(TOOLS * 2)],
        at=(warns(STORM, ANY_TOOL), STORM),
    ),
    *(
        loop(
            f"the error tells of other numbers each time: {error}",
            [fails("load_van", {"name": "nightly"}, error.format(40 + 7 * n % MANY)) for n in range(MANY)],
            at=(warns(STORM, NUMBERS_DIFFER), STORM),
        )
        for error in ("queue holds {} jobs and no more fit in", "在队列中已有{}个任务，无法再添加")
    ),
    *(
        loop(
            f"the error names what all requests are about: {error}",
            [fails(tool, {"q": q.format(person)}, error) for person in PEOPLE],
            at=(warns(STORM, OTHER_ARGUMENTS) - 1, STORM),
            critical=stops(STORM, OTHER_ARGUMENTS),
        )
        for tool, q, error in (
            ("click", "open lamp cabinet with {}", "the lamp cabinet is nailed up"),
            ("klicke", "Schrank der Lampe öffnen: {}", "der Schrank Lampe ist zugenagelt"),
        )
    ),
    loop(
        "arguments were not captured, and the error is about their form",
        times(MANY, fails("book_table", None, "missing required parameter: guests")),
        at=(warns(STORM, OTHER_ARGUMENTS) - 1, STORM),
        critical=stops(STORM, OTHER_ARGUMENTS),
    ),
    loop(
        "the application declares the failure",
        times(MANY, call("fetch", {"id": 4}, "A page that says nothing of it", outcome=Outcome.FATAL)),
        at=(warns(Kind.IDENTICAL), Kind.IDENTICAL),
        critical=stops(Kind.IDENTICAL),
    ),
]

FINE = [
    fine(
        "a command fails twice and is then put right",
        times(FIRST - 1, fails("bash", {"command": "make"}, FULL)),
        call("bash", {"command": "rm -r cache"}, ""),
        call("bash", {"command": "make"}, "built lamp and shade"),
    ),
    fine(
        "a rate limit is waited out with longer gaps",
        spaced([1.0 * 2**n for n in range(8)], times(8, fails("call_api", {"id": 4}, LIMIT))),
    ),
    fine(
        "each try fails in another way",
        [
            fails("bash", {"command": f"make part{n}k"}, f"part{n}k.c: line {n} is wrong: undefined {n}k")
            for n in range(MANY)
        ],
    ),
    fine(
        "failures become fewer",
        [
            [
                call("edit_file", {"path": "a", "text": f"{n}k"}, "ok"),
                fails("run_tests", {}, f"{MANY - n} tests failed"),
            ]
            for n in range(MANY)
        ],
    ),
    fine(
        "many things do not exist, with other work between",
        [
            [fails("find_user", {"name": person}, "no such user"), call("open_page", {"n": f"{n}k"}, f"Page {n}k")]
            for n, person in enumerate(PEOPLE)
        ],
    ),
    fine(
        "siblings of one response all fail alike",
        together(1, [fails("find_user", {"name": person}, "no such user") for person in PEOPLE]),
    ),
    fine("equal siblings of one response all fail alike", together(1, times(5, fails("ping", {"host": "db"}, FULL)))),
    fine(
        "a few users do not exist",
        [fails("find_user", {"name": person}, "no such user") for person in PEOPLE[: SCATTERED - 1]],
    ),
    fine(
        "the user asks to try again in every turn",
        [fails("open_door", {"id": 4}, DENIED, user_turn=n) for n in range(MANY)],
    ),
    fine("errors were cut by their writer", times(MANY, fails("bash", {"command": "make"}, FULL, truncated=True))),
    fine("nothing but the failure is known, for other arguments", [fails("ping", {"host": p}) for p in PEOPLE]),
    fine(
        "a tool with wider limits fails more often",
        times(7, fails("flaky", {"id": 4}, FULL)),
        settings=Settings(tools=(("flaky", ToolPolicy(thresholds={STORM: Threshold(9, 20)})),)),
    ),
    fine(
        "a tool that is never to be judged fails",
        times(MANY, fails("flaky", {"id": 4}, FULL)),
        settings=Settings(tools=(("flaky", ToolPolicy(ignore=True)),)),
    ),
    fine(
        "a few words of failure are the same for many things",
        [fails("call_up", {"who": p}, "nobody picks up the phone"[: SPECIFIC - 1]) for p in PEOPLE],
    ),
    fine(
        "a download goes on a little further each time it fails",
        [fails("sync", {"from": "attic"}, f"stopped with {90 - n} boxes left to carry") for n in range(MANY)],
    ),
    fine(
        "a form is filled in step by step, and each error is a new one",
        [fails("fill_form", {"text": a}, error) for a, error in zip(ADDRESSES, FORM, strict=False)],
        call("fill_form", {"text": "Ulm"}, "Die Anmeldung ist angekommen"),
    ),
    fine(
        "two errors take turns over many things",
        [fails("unlock", {"key": p}, ("It is stuck", "It does not fit")[n % 2]) for n, p in enumerate(PEOPLE)],
    ),
    fine(
        "errors come back once a minute",
        [fails("fill_form", {"text": a}, FORM[n % 2], gap=60) for n, a in enumerate(ADDRESSES)],
    ),
    fine(
        "something works between errors that come back",
        [
            [
                fails("fill_form", {"text": a}, FORM[0]),
                fails("fill_form", {"text": a + "!"}, FORM[1]),
                call("fill_form", {"text": a + "?"}, f"Angenommen: {a}"),
            ]
            for a in ADDRESSES
        ],
    ),
    fine(
        "several tools say in a word that there is nothing",
        [fails(tool, {"n": f"{n}k"}, "No such page here"[: SPECIFIC - 1]) for n, tool in enumerate(TOOLS * 2)],
    ),
    fine(
        "several tools fail, each in its own way",
        [
            fails(tool, {"n": f"{n}k"}, f"Nothing that {PEOPLE[n]} could work on was ever set up here")
            for n, tool in enumerate(TOOLS * 2)
        ],
    ),
    fine(
        "several tools fail alike until the workspace is set up",
        [fails(tool, {"n": f"{n}k"}, UNSET) for n, tool in enumerate(TOOLS[: warns(STORM, ANY_TOOL) - 1])],
        call("set_up", {"path": "."}, "ok"),
        [call(tool, {"n": f"{n}k"}, f"{tool} works") for n, tool in enumerate(TOOLS)],
    ),
    fine(
        "several tools fail alike once a minute",
        [fails(tool, {"n": f"{n}k"}, UNSET, gap=60) for n, tool in enumerate(TOOLS * 2)],
    ),
    fine(
        "the error tells of other numbers a few times",
        [
            fails("load_van", {"name": "nightly"}, f"queue holds {40 + n} jobs and no more fit in")
            for n in range(warns(STORM, NUMBERS_DIFFER) - 1)
        ],
    ),
    fine(
        "the error tells of other numbers after each longer pause",
        spaced(
            [2.0**n for n in range(WAITED)],
            [fails("load_van", {"name": "nightly"}, f"queue holds {48 - n} jobs") for n in range(WAITED)],
        ),
    ),
    fine(
        "the error does not name what the requests share",
        [
            fails("click", {"q": f"open lamp cabinet with {person}"}, "that is nailed up")
            for person in PEOPLE[: SCATTERED - 1]
        ],
    ),
    fine(
        "arguments were not captured, and the error is not about their form",
        times(SCATTERED - 1, fails("find_user", None, "nobody of that name lives here")),
    ),
    fine(
        "an outage passes",
        times(warns(STORM, REPEATS[Grade.RETRYABLE]) - 1, fails("call_api", {"id": 4}, LIMIT)),
        call("call_api", {"id": 4}, {"rows": [1, 2, 3, 4]}),
    ),
]

ROWS = [*LOOPS, *FINE]


@pytest.mark.parametrize("row", ROWS, ids=name)
def test_retry_storm(row: Row) -> None:
    """The same failure again and again is signalled; failures that change, wait or end are not."""
    check(row)


def test_patience_for_other_arguments_is_in_the_table() -> None:
    """The rows above count on repairs being given more tries than repeats."""
    assert OTHER_ARGUMENTS.warning > Extra(0, 0).warning
