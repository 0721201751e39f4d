from __future__ import annotations

from typing import Any

import pytest
from engine.story import Part, call, fails, story

from otel_loopwatch import lines
from otel_loopwatch.engine import Engine
from otel_loopwatch.runs import Run

BOOK = [f"line {number} of the harbour book" for number in range(600)]
ROWS = [{"lamp": number, "pier": f"number {number}"} for number in range(60)]


def run_of(*parts: Part) -> Run:
    """The run after a story."""
    engine = Engine()
    for item in story(*parts):
        engine.observe(item)
    return next(iter(engine._runs))


def window(start: int, stop: int, before: str = "", after: str = "", **arguments: Any) -> Part:
    """Some lines of the book, asked for in words of their own."""
    text = "\n".join([*([before] if before else []), *BOOK[start:stop], *([after] if after else [])])
    return call("read_book", {"from_to": f"{start}-{stop}", **arguments}, text)


@pytest.mark.parametrize(
    ("parts", "rereads"),
    [
        ([window(0, 20), window(5, 15), window(2, 9)], 2),
        ([window(0, 20), window(20, 40), window(40, 60)], 0),
        ([window(0, 20), window(15, 35)], 0),
        ([window(0, 20), window(5, 15, before="lines 5 to 15 of it")], 1),
        ([window(0, 20), window(5, 15, before="lines 5 to 15 of it", after="585 lines are left")], 1),
        ([window(0, 20), window(5, 8, before="lines 5 to 8 of it")], 0),
        ([window(0, 20), window(5, 15), window(300, 340), window(6, 16)], 1),
        ([window(0, 40), window(5, 30), window(13, 43), window(6, 31)], 2),
        ([window(0, 20), window(5, 7)], 0),
        ([window(0, 20), window(0, 20), window(0, 20)], 0),
        ([call("read", {"n": 1}, ROWS[:9]), call("read", {"n": 2}, ROWS[3:8])], 1),
        ([call("read", {"n": 1}, ROWS[:9]), call("read", {"n": 2}, ROWS[9:18])], 0),
        ([window(0, 20), call("other_book", {"n": 1}, "\n".join(BOOK[5:15]))], 0),
        ([window(0, 20), call("edit", {"n": 1}, "ok"), window(5, 15)], 0),
        ([window(0, 20), fails("read_book", {"n": 1}, "\n".join(BOOK[5:15]))], 0),
        ([window(0, 20), call("read_book", {"n": 1}, "a\nb\nc\nd")], 0),
    ],
    ids=[
        "windows within",
        "paging forward",
        "overlapping windows",
        "a heading",
        "a heading and an end",
        "a heading on few lines",
        "news in between",
        "a little news in between",
        "too few lines",
        "one request again",
        "JSON items again",
        "other JSON items",
        "another tool",
        "a change of the world",
        "a failure",
        "lines too short",
    ],
)
def test_lines_that_were_seen_before(parts: list[Part], rereads: int) -> None:
    """Results of other requests without a new line, headings apart."""
    assert run_of(*parts).rereads == rereads


def test_a_log_that_grows_is_news() -> None:
    """The same request answered otherwise: what is read grows."""
    tail = [call("tail_log", {"n": 20}, "\n".join(BOOK[start : start + 20])) for start in range(6)]
    assert run_of(*tail).rereads == 0


def test_memory_is_bounded() -> None:
    """Neither the lines of a result nor those of a run are all remembered, and the oldest go first."""
    run = run_of(window(0, 600))
    assert len(run.lines) == lines.MOST
    run = run_of(
        [window(start, start + 150) for start in range(0, 600, 50)],
        [call("read", {"n": n}, "\n".join(f"{n} {line}" for line in BOOK)) for n in range(9)],
    )
    assert len(run.lines) == lines.REMEMBERED
