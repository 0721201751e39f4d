from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from engine.story import Row, call, check, fails, fine, loop, name, spaced

from otel_loopwatch.calibration import UNNAMED, Calibration, GoodRuns
from otel_loopwatch.engine import Engine
from otel_loopwatch.model import Kind, ModelTurn
from otel_loopwatch.settings import Budget, Settings, ToolPolicy

BUDGET = Kind.BUDGET
LIMIT = 6
MANY = 20


def within(**limits: Any) -> Settings:
    """Settings with a budget."""
    return Settings(budget=Budget(**limits))


def learnt(**lines: float) -> Settings:
    """Settings with a line per agent, learnt from as few runs as can be."""
    agents = {agent: GoodRuns(1, (line,)) for agent, line in lines.items()}
    return Settings(calibration=Calibration(Fraction(1, 2), agents))


def news(number: int, tool: str = "open_page", gap: float = 5.0, **fields: Any) -> list[Any]:
    """Calls that each bring something new."""
    return [
        call(tool, {"n": f"{n}k"}, f"Page {n}k of {tool} tells of knot {n}k", gap=gap, **fields) for n in range(number)
    ]


def passed(sentence: str, *parts: Any, at: int, **limits: Any) -> Row:
    """A story that passes a limit: critical at once."""
    return loop(sentence, *parts, at=(at, BUDGET), critical=at, settings=within(**limits))


LOOPS = [
    passed("more calls than allowed", news(MANY), at=LIMIT + 1, calls=LIMIT),
    passed("no call is allowed", news(MANY), at=1, calls=0),
    passed(
        "more calls of one tool than allowed",
        [[page, call("paint", {"wall": n}, f"Wall {n}k is white now")] for n, page in enumerate(news(MANY))],
        at=2 * LIMIT + 1,
        calls_per_tool=LIMIT,
    ),
    passed("more tokens than allowed", news(MANY, tokens=100), at=LIMIT + 1, tokens=100 * LIMIT),
    passed("more time than allowed", news(MANY, gap=10), at=LIMIT + 2, seconds=10 * LIMIT),
    loop(
        "a tool that may be polled is counted as well",
        news(MANY, "job_status"),
        at=(LIMIT + 1, BUDGET),
        critical=LIMIT + 1,
        settings=Settings(budget=Budget(calls=LIMIT), tools=(("job_status", ToolPolicy(polling=True)),)),
    ),
    loop(
        "a run comes to more than good runs do",
        news(MANY),
        at=(LIMIT, BUDGET),
        critical=LIMIT,
        settings=learnt(**{UNNAMED: LIMIT}),
    ),
    loop(
        "a run that fails comes to it sooner",
        [fails("open_page", {"n": f"{n}k"}, f"Page {n}k is missing") for n in range(2)],
        news(MANY),
        at=(2, BUDGET),
        critical=2,
        settings=learnt(**{UNNAMED: LIMIT}),
    ),
    loop(
        "each agent is held against its own line",
        [[news(MANY, agent="quick"), news(MANY, agent="slow")]],
        at=(LIMIT, BUDGET),
        critical=LIMIT,
        settings=learnt(quick=LIMIT, slow=2 * MANY),
    ),
    passed(
        "two limits are passed one after the other",
        news(MANY, tokens=100),
        at=LIMIT + 1,
        calls=LIMIT,
        tokens=100 * (LIMIT + 4),
    ),
]

FINE = [
    fine("no limit is set", news(60, gap=600)),
    fine("calls stay within the limit", news(LIMIT), settings=within(calls=LIMIT)),
    fine(
        "each tool stays within the limit",
        [news(LIMIT, f"tool{n}") for n in range(5)],
        settings=within(calls_per_tool=LIMIT),
    ),
    fine("tokens stay within the limit", news(MANY, tokens=100), settings=within(tokens=100 * MANY)),
    fine("time stays within the limit", news(LIMIT + 1, gap=10), settings=within(seconds=10 * LIMIT)),
    fine(
        "each agent has a budget of its own",
        [news(LIMIT, agent=f"worker{n}") for n in range(4)],
        settings=within(calls=LIMIT),
    ),
    fine("a run comes to what good runs do", news(LIMIT - 1), settings=learnt(**{UNNAMED: LIMIT})),
    fine("nothing is known of the agent's good runs", news(MANY), settings=learnt(somebody=LIMIT)),
    fine(
        "too few good runs are known",
        news(MANY),
        settings=Settings(calibration=Calibration(Fraction(1, 20), {UNNAMED: GoodRuns(18)})),
    ),
    fine(
        "time before the first call does not count",
        spaced([9_000, 1], news(LIMIT)),
        settings=within(seconds=60),
    ),
]

ROWS = [*LOOPS, *FINE]


@pytest.mark.parametrize("row", ROWS, ids=name)
def test_budget(row: Row) -> None:
    """A limit that was set or learnt is critical when it is passed; what stays within is not spoken of."""
    check(row)


def test_a_model_response_spends_what_is_no_call() -> None:
    """Without a call no tool is over its limit; turns and tokens may be."""
    engine = Engine(within(calls_per_tool=0, turns=1, tokens=150))
    told = [
        [signal.reason for signal in engine.observe_turn(ModelTurn(run="story", end_ns=n, tokens=100))]
        for n in range(3)
    ]
    assert [len(reasons) for reasons in told] == [0, 2, 0]
    assert all(
        f"the budget of {limit}" in reason for limit, reason in zip(("1 turns", "150 tokens"), told[1], strict=True)
    )
