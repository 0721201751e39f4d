from __future__ import annotations

from typing import Any

import pytest
from engine.story import Part, call, fails, story, times, together

from otel_loopwatch.attempts import MAX_MEMBERS, REMEMBERED
from otel_loopwatch.detectors.pace import Pace, pace_of
from otel_loopwatch.engine import MAX_TOOL_COUNTS, Engine
from otel_loopwatch.outcomes import Grade
from otel_loopwatch.records import Attempt
from otel_loopwatch.runs import Run
from otel_loopwatch.settings import Settings, ToolPolicy
from otel_loopwatch.streaks import BETWEEN, MAX_REQUESTS, MAX_TOOLS

PAGE = call("open_page", {"n": 1}, "Page one tells of knots")
PIER = call("open_page", {"n": 2}, "Page two tells of piers")


def run_of(*parts: Part, **policy: Any) -> Run:
    """The run after a story."""
    engine = Engine(Settings(tools=(("write_*", ToolPolicy(**policy)), ("frob*", ToolPolicy(**policy)))))
    for item in story(*parts):
        engine.observe(item)
    return next(iter(engine._runs))


def test_a_call_is_an_attempt() -> None:
    """One after the other, each with its place."""
    run = run_of(PAGE, PIER, PAGE)
    assert [(attempt.number, attempt.size) for attempt in run.attempts] == [(0, 1), (1, 1), (2, 1)]
    assert [attempt.new for attempt in run.attempts] == [True, True, False]


def test_siblings_are_one_attempt_in_any_order() -> None:
    """The same calls side by side are the same attempt; equal ones are counted, not kept."""
    run = run_of(together(1, PAGE, PIER, PAGE), together(2, PIER, PAGE))
    one, other = run.attempts
    assert one.call == other.call
    assert one.answer == other.answer
    assert (one.size, other.size) == (3, 2)
    assert one.tools == ("open_page",)
    assert other.stale


def test_the_newest_sibling_stands_last() -> None:
    """An equal sibling is the newest call again, so that memories per tool see its own answer."""
    look = call("look", {"at": "sea"}, "The sea is grey and calm today")
    run = run_of(together(1, look, PAGE, look))
    assert [member.tool for member in run.current.members] == ["open_page", "look"]
    assert all(streak.count == 1 for streak in run.streaks.values())


def test_one_unknown_sibling_makes_the_attempt_unknown() -> None:
    """What is not known of one is not known of all."""
    run = run_of(together(1, call("open_page", {}, "Page three tells of lamps and ropes"), call("look")))
    assert (run.current.call, run.current.request, run.current.answer) == (None, None, None)
    assert run.current.grade is Grade.INFORMATIVE


def test_an_attempt_failed_when_all_of_it_failed() -> None:
    """One sibling that worked is enough."""
    broken = fails("look", {"at": "sea"}, "no such place")
    assert run_of(together(1, broken, PAGE)).current.failed is False
    assert run_of(together(1, broken, fails("look", {"at": "sky"}, "no such place"))).current.failed is True


def test_a_response_with_very_many_calls_is_several_attempts() -> None:
    """What is kept of one attempt is bounded."""
    run = run_of(together(1, [call("look", {"at": n}, f"place {n}k") for n in range(2 * MAX_MEMBERS + 1)]))
    assert [len(attempt.members) for attempt in run.attempts] == [MAX_MEMBERS, MAX_MEMBERS, 1]


@pytest.mark.parametrize(
    ("between", "policy", "changed"),
    [
        (call("write_file", {"path": "a"}, "The file is now two pages long"), {}, True),
        (call("frobnicate", {"path": "a"}, "done"), {}, True),
        (call("frobnicate", {"path": "a"}, "The lamp is on and bright"), {"side_effect": True}, True),
        (call("write_file", {"path": "a"}, "done"), {"side_effect": False}, False),
        (call("write_file", {"path": "a"}, "done"), {"polling": True}, False),
        (fails("write_file", {"path": "a"}, "no such folder"), {}, False),
        (call("write_file", None, "done"), {}, False),
        (call("wait", {"s": 3}, "done"), {}, False),
        (call("look", {"at": "sea"}, "The sea is grey and calm today"), {}, False),
    ],
)
def test_a_change_of_the_world_makes_everything_new(between: Part, policy: dict[str, Any], changed: bool) -> None:
    """A write that succeeded, by name, by policy or because it only says "done", starts an epoch."""
    run = run_of(PAGE, between, PAGE, **policy)
    assert run.current.stale is not changed
    assert run.epoch == changed


def test_the_same_write_again_changes_nothing() -> None:
    """An edit that was made before is no progress."""
    edit = call("write_file", {"path": "a", "text": "x"}, "ok")
    assert run_of(edit, PAGE, edit).epoch == 1


@pytest.mark.parametrize(
    ("parts", "anew"),
    [
        ([PAGE, call("open_page", {"n": 1}, "Page one tells of ropes")], True),
        ([PAGE, PIER, call("open_page", {"n": 1}, "Page one tells of ropes")], True),
        ([PAGE, PAGE], False),
        ([PAGE, PIER], False),
        ([PAGE, call("open_page")], False),
        ([PAGE], False),
    ],
)
def test_an_answer_that_changed(parts: list[Part], anew: bool) -> None:
    """The newest request was answered otherwise before; an unknown one was not."""
    assert run_of(parts).answers_anew is anew


def test_repeat_max_counts_within_an_epoch() -> None:
    """The most often made attempt, as long as nothing changed."""
    edit = call("write_file", {"path": "a", "text": "x"}, "ok")
    assert run_of(times(3, PAGE, PIER)).repeat_max == 3
    assert run_of(times(3, PAGE), edit, times(2, PAGE)).repeat_max == 3


def test_memories_are_bounded() -> None:
    """Attempts, what was seen, failures, streaks and their requests."""
    window = Settings().window
    run = run_of([fails(f"tool{n % 40}", {"n": n}, f"{n}k is not there") for n in range(400)])
    assert len(run.attempts) == window
    assert len(run.seen) == len(run.failures) == REMEMBERED
    assert len(run.streaks) == MAX_TOOLS
    assert len(run.tool_calls) <= MAX_TOOL_COUNTS
    run = run_of([call("look", {"n": f"x{n}"}, "The sea is grey and calm today") for n in range(40)])
    assert [len(streak.requests) for streak in run.streaks.values()] == [MAX_REQUESTS]


@pytest.mark.parametrize(
    ("parts", "count", "apart"),
    [
        ([[call("look", {"n": n}, "grey sea") for n in range(4)]], 4, False),
        ([[[call("look", {"n": n}, "grey sea"), PAGE] for n in range(4)]], 4, True),
        ([[[call("look", {"n": n}, "grey sea"), times(BETWEEN, PAGE)] for n in range(4)]], 4, True),
        ([[[call("look", {"n": n}, "grey sea"), times(BETWEEN + 1, PAGE)] for n in range(4)]], 1, False),
        ([[call("look", {"n": n}, f"sea {n // 2}") for n in range(4)]], 2, False),
        ([[call("look", {"n": n}) for n in range(4)]], 1, False),
        ([[[call("look", {"n": n}, "grey sea"), call("edit", {"n": n}, "ok")] for n in range(4)]], 1, False),
        ([together(1, [call("look", {"n": n}, "grey sea") for n in range(4)])], 1, False),
    ],
    ids=["in a row", "apart", "far apart", "too far", "another answer", "unknown", "a change", "siblings"],
)
def test_a_streak_of_equal_answers(parts: list[Part], count: int, apart: bool) -> None:
    """Per tool, with little else in between; siblings are one."""
    streaks = [streak for streak in run_of(*parts).streaks.values() if streak.last >= 0]
    look = max(streaks, key=lambda streak: len(streak.requests))
    assert (look.count, look.apart) == (count, apart)


def attempt(second: float) -> Attempt:
    """An attempt at a second."""
    return Attempt(0, [], int(second * 1e9), 0, 0, 0, None, None)


@pytest.mark.parametrize(
    ("seconds", "pace"),
    [
        ([], Pace.BUSY),
        ([0], Pace.BUSY),
        ([0, 1], Pace.BUSY),
        ([0, 10], Pace.PATIENT),
        ([0, 10, 20], Pace.PATIENT),
        ([0, 10, 19], Pace.BUSY),
        ([0, 1, 3, 7], Pace.BACKING_OFF),
        ([0, 1, 2.5, 4.75], Pace.BACKING_OFF),
        ([0, 1, 2, 3], Pace.BUSY),
        ([0, 0, 1, 3], Pace.BACKING_OFF),
        ([0, 0.1, 0.3, 0.7], Pace.BUSY),
        ([5, 4, 3], Pace.BUSY),
    ],
)
def test_pace(seconds: list[float], pace: Pace) -> None:
    """Long gaps are patient, growing ones a back-off; everything else is busy."""
    assert pace_of([attempt(second) for second in seconds], 10.0) is pace
