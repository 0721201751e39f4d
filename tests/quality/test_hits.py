"""Which recorded runs a detector hits, and who dominates whom."""

from __future__ import annotations

from typing import Any

import pytest
from quality.detector import Fired
from quality.hits import ALL, OTHERS, SHORT, Hit, by_source, frontier, hit, outdoing, summary
from quality.loading import Recording
from quality.watching import Firing, Watched
from scoring import call

WARN, STOP = Fired.WARNED, Fired.STOPPED


@pytest.mark.parametrize(
    ("firings", "warned", "stopped"),
    [
        ([], None, None),
        ([Firing(2, WARN), Firing(3, WARN)], 2, None),
        ([Firing(2, WARN), Firing(4, STOP)], 2, 4),
        ([Firing(3, STOP)], 3, 3),
    ],
)
def test_a_stop_is_a_warning_as_well(firings: list[Firing], warned: int | None, stopped: int | None) -> None:
    """What counts is the first of each."""
    run = Recording("made", "r", "failure", (call(),) * 5, loops=True)
    assert hit(run, Watched(tuple(firings))) == Hit("made", "failure", 5, warned, stopped, loops=True)


def test_the_figures_of_a_source() -> None:
    """Calls saved and calls before are those of failures; of loops that people marked, all count."""
    hits = [
        Hit("made", "failure", 10, warned=3, stopped=6),
        Hit("made", "failure", 10, warned=5, loops=True, broken=2),
        Hit("made", "failure", 10),
        Hit("made", "success", 10, warned=2, stopped=9),
        Hit("made", "unknown", 10, warned=4, stopped=4, loops=True),
    ]
    known = summary(hits)
    assert known["warned"]["failure"] == {"hit": 2, "runs": 3, "interval": [0.0943, 0.99160]}
    assert {outcome: share["hit"] for outcome, share in known["stopped"].items()} == {
        "success": 1,
        "failure": 1,
        "unknown": 1,
    }
    assert (known["calls_saved"], known["calls_of_failures"]) == (4, 30)
    assert known["calls_before"] == {"warned": 3, "stopped": 5}
    assert known["marked_loops"] == {"runs": 2, "warned": 2, "stopped": 1}
    assert (known["runs"], known["broken_calls"]) == (5, 2)


def test_where_there_are_no_runs_there_is_no_interval() -> None:
    """And nothing in the middle."""
    known = summary([Hit("made", "failure", 3)])
    assert known["warned"]["success"] == {"hit": 0, "runs": 0, "interval": None}
    assert known["calls_before"] == {"warned": None, "stopped": None}


def test_the_largest_source_is_also_left_out() -> None:
    """Every run counts under its source and under all."""
    groups = by_source([Hit("made", "failure", 3), Hit(SHORT, "failure", 3), Hit(SHORT, "success", 3)])
    assert {name: group["runs"] for name, group in groups.items()} == {"made": 1, OTHERS: 1, SHORT: 2, ALL: 3}


def point(good: int, bad: int) -> dict[str, Any]:
    """Figures of a detector that hits so many successes and failures."""
    return {"warned": {"success": {"hit": good}, "failure": {"hit": bad}}}


@pytest.mark.parametrize(
    ("good", "bad", "place"),
    [
        (2, 50, "equal"),
        (2, 49, "dominated"),
        (3, 50, "dominated"),
        (3, 40, "dominated"),
        (2, 51, "dominates"),
        (1, 50, "dominates"),
        (1, 49, "neither"),
        (3, 51, "neither"),
    ],
)
def test_the_frontier(good: int, bad: int, place: str) -> None:
    """How a point lies to ours, at 2 successes and 50 failures."""
    assert frontier(point(2, 50), point(good, bad), "warned") == place


def test_who_outdoes_the_first() -> None:
    """Those that were run on the source and dominate."""
    detectors = {"ours": point(2, 50), "better": point(2, 60), "worse": point(9, 50)}
    known = {name: {"corpora": {"made": figures}} for name, figures in detectors.items()}
    assert outdoing({**known, "slow": {"corpora": {}}}, "made", "warned") == {"better": (2, 60)}
