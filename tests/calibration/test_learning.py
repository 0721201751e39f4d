"""What is held against the line, and which runs it is learnt from."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from random import Random

import pytest
from engine.story import call, fails, story, times
from hypothesis import given
from hypothesis import strategies as st

from otel_loopwatch.calibration import GoodRun, learn, score
from otel_loopwatch.engine import Engine
from otel_loopwatch.settings import Settings, ToolPolicy

HALF = Fraction(1, 2)
PAGE = call("open_page", {"n": 1}, "The first page tells of bowlines and of sheet bends.")
OTHER = call("open_page", {"n": 2}, "The second page is about splices in three-strand rope.")
LATER = call("open_page", {"n": 1}, "The first page was rewritten and now tells of anchors.")
UNKNOWN = call("open_page")
IGNORING = Settings(tools=(("open_page", ToolPolicy(ignore=True)),))

EFFORTS = [
    ("a call that brings something new counts once", [PAGE, OTHER], Settings(), [1, 2]),
    ("the same again counts three times", [PAGE, PAGE, OTHER, PAGE], Settings(), [1, 4, 5, 8]),
    ("the same call with another answer counts once", [PAGE, LATER], Settings(), [1, 2]),
    ("a failure counts three times", [fails("open_page", {"n": 9}, "No such page"), PAGE], Settings(), [3, 4]),
    ("what is unknown may be new", times(3, UNKNOWN), Settings(), [1, 2, 3]),
    ("a tool that is never judged counts once", times(3, PAGE), IGNORING, [1, 2, 3]),
]


@pytest.mark.parametrize(
    ("calls", "settings", "expected"), [row[1:] for row in EFFORTS], ids=[row[0] for row in EFFORTS]
)
def test_effort(calls: list[object], settings: Settings, expected: list[int]) -> None:
    """Calls, those that failed or brought nothing new three times."""
    engine = Engine(settings)
    assert [engine.observe(item).effort for item in story(calls)] == expected  # type: ignore[arg-type]


def test_effort_goes_on_after_a_restart() -> None:
    """It is part of what an engine saves."""
    first, second = story(PAGE, PAGE)
    engine, restarted = Engine(), Engine()
    engine.observe(first)
    restarted.restore(engine.save())
    assert restarted.observe(second).effort == 4


@given(st.integers(0, 10_000), st.text())
def test_tie_break_is_less_than_a_call_and_written_exactly(effort: int, run: str) -> None:
    """A score lies between its effort and the next, and reads back from six decimals as it was."""
    found = score(effort, run)
    assert effort <= found < effort + 1
    assert float(f"{found:.6f}") == found


def test_tie_break_is_the_same_everywhere() -> None:
    """It follows from the run's key by a fixed digest, even from one that is not valid Unicode."""
    assert score(3, "run-1") == 3.0 + score(0, "run-1")
    assert score(3, "run-1") != score(3, "run-2")
    assert score(0, "\ud800") == score(0, "\ud800")


def runs(*efforts: int, agent: str = "a", task: str | None = None) -> list[GoodRun]:
    """Good runs with these efforts, each of its own task or all of one."""
    return [GoodRun(f"{agent}-{task}-{n}", agent, task or f"task-{n}", effort) for n, effort in enumerate(efforts)]


def test_every_agent_has_a_line_of_its_own() -> None:
    """A long-winded agent does not raise the line of a quick one, nor does an agent with too few runs borrow one."""
    calibration = learn([*runs(*range(30)), *runs(*range(100, 130), agent="b"), *runs(1, agent="c")], Fraction(1, 20))
    lines = calibration.lines()
    assert 29 <= lines["a"] < 30
    assert 129 <= lines["b"] < 130
    assert lines["c"] == inf


def test_one_run_per_task_is_used() -> None:
    """Fifty runs of one task say no more than one of it."""
    calibration = learn([*runs(1, 2), *runs(*[90] * 50, task="hard")], HALF)
    assert calibration.agents["a"].runs == 3
    assert calibration.lines()["a"] < 90


@given(st.permutations(runs(5, 9, 2, task="x") + runs(1, 1, 8) + runs(7, 3, task="y")))
def test_order_of_the_runs_does_not_matter(shuffled: list[GoodRun]) -> None:
    """Which run of a task is used follows from the runs' keys."""
    assert learn(shuffled, HALF) == learn(sorted(shuffled), HALF)


def test_drawing_a_run_does_not_favour_small_tie_breaks() -> None:
    """Else the drawn scores would lie beneath those of other runs with the same effort, and stop more of them."""
    rng = Random(3)
    many = [GoodRun(f"{rng.random()}", "a", f"{task}", 5) for task in range(200) for _ in range(10)]
    top = learn(many, Fraction(199, 200)).agents["a"].top
    assert 0.4 < sum(value - 5 for value in top) / len(top) < 0.6
