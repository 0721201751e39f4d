"""What a page is made of: signals joined to loops, and calls as rows of plain data."""

from __future__ import annotations

import json
from typing import Any

import pytest

from otel_loopwatch.cli.contents import contents
from otel_loopwatch.cli.reading import Judged
from otel_loopwatch.cli.report.loops import Loops, Seen
from otel_loopwatch.cli.report.record import Report
from otel_loopwatch.engine import Engine
from otel_loopwatch.model import Evidence, Kind, Level, LoopSignal, ToolCall
from otel_loopwatch.settings import Budget, Options, Settings

SECOND = 10**9


def signal(kind: Kind = Kind.IDENTICAL, level: Level = Level.WARNING, **more: object) -> LoopSignal:
    """A signal about `look` that counts three repeats."""
    told = {"tools": ("look",), "count": 3, "period": 1, "wasted_calls": 2, "evidence": Evidence.STRONG}
    words = {"run": "r", "reason": "", "advice": "", "call": 1}
    return LoopSignal(kind=kind, level=level, **(told | words | more))  # type: ignore[arg-type]


def seen(text: str) -> list[Seen]:
    """Calls of `look`, one per letter, equal letters being equal; a dot is a call of another tool."""
    return [
        Seen("other" if letter == "." else "look", number, frozenset([ord(letter)]))
        for number, letter in enumerate(text, 1)
    ]


WHERE = [
    ("from the span that the signal names", "aaabbb", signal(first_span_id=2), 2),
    ("so many equal calls back", "abacaba", signal(wasted_calls=3), 1),
    ("with others in between", "a..a.a", signal(), 1),
    ("with other requests of the tool in between", "axaya", signal(), 1),
    ("so many calls of its tools back, where they differ", "abcdef", signal(), 4),
    ("so many rounds back", ".abababab", signal(Kind.PING_PONG, period=2, wasted_calls=4), 4),
    ("at the first call, where fewer are known", "aa", signal(wasted_calls=9), 1),
    ("here, where no call is of its tools", "...", signal(), 3),
    ("here, where the span is another run's", "...", signal(first_span_id=77), 3),
    ("before any call", "", signal(Kind.BUDGET, tools=()), 0),
]


@pytest.mark.parametrize(("calls", "raised", "first"), [row[1:] for row in WHERE], ids=[row[0] for row in WHERE])
def test_a_loop_begins(calls: str, raised: LoopSignal, first: int) -> None:
    """Where its signal says, or where its repeats began."""
    loops = Loops()
    loops.signalled(raised, seen(calls))
    assert [(loop.first, loop.last) for loop in loops.found] == [(first, len(calls))]


CRITICAL = signal(level=Level.CRITICAL, wasted_calls=5)
JOINED = [
    ("a second level is the same loop", [signal(), CRITICAL], 1),
    ("another kind is another loop", [signal(), signal(Kind.NO_PROGRESS)], 2),
    ("another tool is another loop", [signal(), signal(tools=("other",))], 2),
    ("a shared tool is enough", [signal(), signal(tools=("other", "look"))], 1),
]


@pytest.mark.parametrize(("raised", "loops"), [row[1:] for row in JOINED], ids=[row[0] for row in JOINED])
def test_signals_are_joined(raised: list[LoopSignal], loops: int) -> None:
    """By kind and tools, as long as the run has not moved on."""
    found = Loops()
    for one in raised:
        found.signalled(one, seen("aaaaaa"))
    assert len(found.found) == loops


def test_a_loop_lasts_as_long_as_it_wastes_calls() -> None:
    """After the run has moved on, the same again is another loop."""
    loops = Loops()
    loops.signalled(signal(), seen("aaa"))
    loops.wasted(4)
    loops.recovered(7)
    loops.wasted(8)
    loops.signalled(signal(), seen("aaabbbbaaa"))
    assert [(loop.first, loop.last, loop.recovered) for loop in loops.found] == [(1, 4, 7), (8, 10, None)]


def call(number: int, **more: object) -> ToolCall:
    """The same look-up every two seconds, in 2026."""
    start = 1_780_000_000 * SECOND + 2 * number * SECOND
    told = {
        "run": "r",
        "tool": "look",
        "arguments": '{"at": "kettles"}',
        "result": "No policy covers kettles, only books.",
    }
    return ToolCall(**({"start_ns": start, "end_ns": start + SECOND} | told | more))  # type: ignore[arg-type]


def reported(calls: list[ToolCall], options: Options | None = None, *, content: bool = False) -> dict[str, Any]:
    """The only run of a report of calls."""
    options = options or Options()
    report, engine = Report(options, content=content), Engine(options.settings)
    for number, one in enumerate(calls, 1):
        observation = engine.observe(one)
        report.add(Judged(number, observation.signals, observation.recovered, one, observation, "dir/calls.json"))
    data = report.data()
    (run,) = data["runs"]
    rows = [dict(zip(data["columns"], row, strict=False)) for row in run["calls"]]
    json.dumps(data).encode()
    return run | {"calls": rows, "files": data["files"]}


def test_a_run_has_a_date_and_its_calls_count_from_it() -> None:
    """In milliseconds; of the file only its name is told."""
    run = reported([call(0), call(1)])
    assert run["start"] == "2026-05-28 20:26:40 UTC"
    assert [(row["start_ms"], row["took_ms"]) for row in run["calls"]] == [(0, 1000), (2000, 1000)]
    assert run["files"] == ["calls.json"]


@pytest.mark.parametrize("start", [0, -(10**30), 10**30, 10**400], ids=["none", "long ago", "far", "farther"])
def test_times_that_are_none_are_survived(start: int) -> None:
    """No date is shown, and spans of time are cut."""
    run = reported([call(0, start_ns=start, end_ns=0), call(1)])
    assert run["start"] is None
    assert all(abs(row["took_ms"]) <= 10**12 for row in run["calls"])


def test_fingerprints_are_keyed_where_spans_have_them_keyed() -> None:
    """With a key, a page does not let anybody check a guess."""
    plain, keyed = (reported([call(0)], options) for options in (Options(), Options(digest_key="secret")))
    for name in ("arguments_fingerprint", "result_fingerprint"):
        assert plain["calls"][0][name] != keyed["calls"][0][name]


def test_a_budget_is_a_loop_of_one_call() -> None:
    """It was passed there, wherever it was spent."""
    run = reported([call(n) for n in range(3)], Options(settings=Settings(budget=Budget(calls=1))))
    (loop,) = [loop for loop in run["loops"] if loop["kind"] == "budget"]
    assert (loop["first"], loop["last"]) == (2, 2)


VALUES: list[tuple[str, object, str | None]] = [
    ("unknown", None, None),
    ("text", "as it is", "as it is"),
    ("decoded", {"a": "ä"}, '{"a": "ä"}'),
    ("no JSON", {"a": {1, 2}}, '{"a": "{1, 2}"}'),
    ("no keys of JSON", {(1, 2): 3}, "{(1, 2): 3}"),
    ("long", "x" * 25, "x" * 20 + " … (5 characters more)"),
]


@pytest.mark.parametrize(("value", "text"), [row[1:] for row in VALUES], ids=[row[0] for row in VALUES])
def test_values_are_shown_as_text(value: object, text: str | None) -> None:
    """Whatever they are; a result that is not there gives way to the error."""
    made = ToolCall(run="r", tool="t", arguments=value, error="no such file")
    assert contents(made, 20, None) == (text, "no such file")
