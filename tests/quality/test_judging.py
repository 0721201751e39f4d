"""What counts as in time, late, missed, a false alarm and a false stop."""

from __future__ import annotations

from typing import Any

import pytest
from quality.detector import Call, Fired
from quality.judging import Caught, Judgement, judge, summary, wasted
from quality.watching import Firing, Watched, watch
from scoring import Scripted, call, case

NO, WARN, STOP = Fired.NOTHING, Fired.WARNED, Fired.STOPPED
LOOP: dict[str, Any] = {"loop": True, "by_step": 3, "kinds": ["identical"]}


@pytest.mark.parametrize(
    ("script", "more", "caught", "stopped", "false_alarm"),
    [
        pytest.param([NO, NO, WARN], {}, Caught.IN_TIME, False, False, id="at the last moment"),
        pytest.param([NO, NO, NO, WARN], {}, Caught.LATE, False, False, id="one call late"),
        pytest.param([], {}, Caught.MISSED, False, False, id="silent"),
        pytest.param([NO, WARN, NO, NO, NO, STOP], {}, Caught.IN_TIME, True, False, id="stopped by twice the step"),
        pytest.param([NO] * 6 + [STOP], {"calls": 8}, Caught.LATE, False, False, id="stopped too late"),
        pytest.param([WARN, NO, WARN], {"not_before": 2}, Caught.IN_TIME, False, True, id="early, then in time"),
        pytest.param([STOP], {"not_before": 2}, Caught.MISSED, False, True, id="early only"),
    ],
)
def test_loops(script: list[Fired], more: dict[str, Any], caught: Caught, stopped: bool, false_alarm: bool) -> None:
    """Any firing counts; a stop counts by twice the step; a firing before the loop can be told is a false alarm."""
    made = case(**LOOP, **more)
    judged = judge(made, watch(Scripted(script), made.calls))
    assert (judged.caught, judged.stopped, judged.false_alarm) == (caught, stopped, false_alarm)
    assert not judged.false_stop
    assert bool(judged.found) is (caught is not Caught.IN_TIME or false_alarm)


@pytest.mark.parametrize(
    ("script", "false_alarm", "false_stop", "found"),
    [
        ([], False, False, ""),
        ([NO, WARN], True, False, "false alarm at 2"),
        ([NO, WARN, STOP], True, True, "false stop at 3"),
    ],
)
def test_good_work(script: list[Fired], false_alarm: bool, false_stop: bool, found: str) -> None:
    """Any firing is a false alarm, and a stop a false stop as well."""
    made = case(loop=False)
    judged = judge(made, watch(Scripted(script), made.calls))
    assert (judged.caught, judged.false_alarm, judged.false_stop, judged.found) == (
        None,
        false_alarm,
        false_stop,
        found,
    )


@pytest.mark.parametrize(
    ("kind", "kinds", "right"),
    [
        ("identical", ["identical"], True),
        ("duplicate_write", ["identical"], True),
        ("drift", ["identical"], False),
        (None, ["identical"], False),
    ],
)
def test_kinds(kind: str | None, kinds: list[str], right: bool) -> None:
    """A write done twice may be called so wherever the call is identical."""
    made = case(loop=True, by_step=3, kinds=kinds)
    judged = judge(made, watch(Scripted([NO, WARN], kind), made.calls))
    assert judged.kind_right is right
    assert bool(judged.found) is (kind == "drift")


@pytest.mark.parametrize(
    ("calls", "count"),
    [
        pytest.param([call("a", "1"), call("b", "2")], 0, id="all new"),
        pytest.param([call("a", "1"), call("a", "2"), call("a", "3")], 2, id="asked again"),
        pytest.param([call("a", "1"), call("b", "1")], 1, id="brought again"),
        pytest.param([call("a", "1"), call("b", "1", tool="read")], 0, id="brought by another tool"),
        pytest.param([call("a", None), call("b", None)], 0, id="unknown results"),
        pytest.param([call(None, "1"), call(None, "2")], 0, id="unknown arguments"),
        pytest.param([call("a", error="no"), call("b", error="no")], 1, id="failed in the same way"),
    ],
)
def test_wasted_calls(calls: list[Call], count: int) -> None:
    """Those that asked, or brought, what had been asked or brought before."""
    assert wasted(calls) == count


def test_a_detector_that_breaks_is_counted_and_goes_on() -> None:
    """Its silence counts against it, its errors are shown."""
    watched = watch(Scripted([TypeError("odd"), WARN]), [call(), call()])
    assert watched == Watched((Firing(2, WARN),), broken=1)


def test_a_run_that_is_stopped_is_over() -> None:
    """On recorded runs nothing more is shown."""
    script = [WARN, STOP, STOP]
    assert watch(Scripted(script), [call()] * 3, until_stopped=True).firings == (Firing(1, WARN), Firing(2, STOP))
    assert len(watch(Scripted(script), [call()] * 3).firings) == 3


def test_the_figures_of_a_suite() -> None:
    """Every judgement is counted once under each heading it has earned."""
    judged = [
        Judgement("a", Caught.IN_TIME, kind_right=True, stopped=True, wasted=2),
        Judgement("b", Caught.LATE, wasted=6, false_alarm=True),
        Judgement("c", Caught.MISSED, broken=3),
        Judgement("d", false_alarm=True, false_stop=True),
        Judgement("e"),
    ]
    assert summary(judged) == {
        "loops": 3,
        "in_time": 1,
        "kind_right": 1,
        "late": 1,
        "missed": 1,
        "stopped": 1,
        "wasted_before_signal": 4,
        "legitimate": 2,
        "false_alarms": 2,
        "false_stops": 1,
        "broken_calls": 3,
    }
