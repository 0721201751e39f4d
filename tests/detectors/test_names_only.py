from __future__ import annotations

import pytest
from engine.story import Row, call, check, fine, loop, name, times, warns

from otel_loopwatch.detectors.grading import ROUNDS
from otel_loopwatch.detectors.names_only import FAILING, IN_A_ROW
from otel_loopwatch.model import Kind
from otel_loopwatch.outcomes import Grade

LONG = 60
ROW = warns(Kind.NO_PROGRESS, IN_A_ROW)
TURNS = 2 * warns(Kind.PING_PONG, ROUNDS[Grade.NOTHING])

LOOPS = [
    loop("one tool is called for ever", times(LONG, call("search", None, None)), at=(ROW, Kind.NO_PROGRESS)),
    loop(
        "one tool fails for ever, nobody knows how",
        times(LONG, call("search", None, None, failed=True)),
        at=(warns(Kind.NO_PROGRESS, FAILING), Kind.NO_PROGRESS),
    ),
    loop(
        "two tools take turns for ever",
        times(LONG, call("read", None, None), call("write", None, None)),
        at=(TURNS, Kind.PING_PONG),
    ),
]

FINE = [
    fine("many files are read", times(ROW - 1, call("read_file", None, None))),
    fine("an edit is tested a few times", times(TURNS // 2 - 1, call("edit", None, None), call("test", None, None))),
    fine("a tool is asked once a minute", times(LONG, call("status", None, None, gap=60))),
    fine(
        "results are known and differ, arguments are not",
        [call("read_file", None, f"chapter {n} tells of the tide") for n in range(LONG)],
    ),
    fine(
        "arguments are known and differ, results are not",
        [call("read_file", {"path": f"{n}.md"}, None) for n in range(LONG)],
    ),
]


@pytest.mark.parametrize("row", [*LOOPS, *FINE], ids=name)
def test_names_only(row: Row) -> None:
    """Without content it takes a long row, and is never critical."""
    check(row)
