from __future__ import annotations

import pytest
from engine.story import Part, call, fails, story, times, together

from otel_loopwatch import failing as failing_module
from otel_loopwatch import streaks
from otel_loopwatch.engine import Engine
from otel_loopwatch.failing import REMEMBERED
from otel_loopwatch.records import Failing
from otel_loopwatch.words import Words, words_of_request

AGAIN = fails("book", {"who": "ann"}, "the pier is full")


def failing(*parts: Part) -> Failing | None:
    """The row of failures after a story."""
    engine = Engine()
    for item in story(*parts):
        engine.observe(item)
    return next(iter(engine._runs)).failing


@pytest.mark.parametrize(
    ("parts", "count", "again", "asked_again", "one_thing"),
    [
        ([AGAIN], 1, 0, False, True),
        ([times(4, AGAIN)], 4, 3, True, True),
        ([[fails("book", {"who": f"guest{n}"}, f"{'abcd'[n]} is not there") for n in range(4)]], 4, 0, False, False),
        ([[fails("book", {"who": f"guest{n}"}, "the pier is full") for n in range(4)]], 4, 3, False, False),
        (
            [[fails("find", {"q": q}, "boom") for q in ("red lamp here", "lamp red there", "here lamp there")]],
            3,
            2,
            False,
            True,
        ),
        ([AGAIN, call("look", {}, "the sea is grey and calm today"), AGAIN], 1, 0, False, True),
        ([AGAIN, fails("look", {}, "the sea is out of sight"), AGAIN], 1, 0, False, True),
        ([together(1, AGAIN, fails("book", {"who": "bob"}, "the pier is full"))], 1, 0, False, True),
        ([AGAIN, fails("book", {"who": "ann"}, "503 unavailable"), AGAIN], 1, 0, False, True),
    ],
    ids=[
        "one",
        "one request",
        "many things",
        "many things, one error",
        "reworded",
        "success",
        "another tool",
        "siblings",
        "an outage",
    ],
)
def test_failures_in_a_row(parts: list[Part], count: int, again: int, asked_again: bool, one_thing: bool) -> None:
    """Of one tool, whatever it was asked; one thing is tried where a request or its words come back."""
    row = failing(*parts)
    assert row is not None
    assert (row.count, row.again, row.asked_again, row.one_thing) == (count, again, asked_again, one_thing)


def test_a_success_ends_the_row() -> None:
    """Nothing is failing any more."""
    assert failing(AGAIN, call("book", {"who": "ann"}, "a place at the north pier is booked")) is None


def test_errors_and_requests_told_apart_are_few() -> None:
    """More make no difference."""
    row = failing([fails("book", {"who": f"guest{n}"}, f"{chr(97 + n)} is not there") for n in range(20)])
    assert row is not None
    assert (row.count, len(row.errors), len(row.requests)) == (20, REMEMBERED, REMEMBERED)


def test_words_of_a_request_are_taken_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that the streak of equal failures has looked at serve the row of failures as well."""
    taken: list[object] = []

    def count(arguments: object, exact: int | None) -> Words:
        taken.append(arguments)
        return words_of_request(arguments, exact)

    for module in (streaks, failing_module):
        monkeypatch.setattr(module, "words_of_request", count)
    row = failing(times(4, AGAIN))
    assert row is not None
    assert (row.words.requests, len(taken)) == (4, 4)
