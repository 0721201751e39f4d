"""Medians and ratios over turns; what a turn costs comes from a clock of the test's own."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial

import pytest
from cost import timing
from cost.timing import Measured, Subject, interleaved, pinned


def test_the_median_of_the_rounds_counts() -> None:
    """One slow round changes nothing."""
    assert Measured((3.0, 1.0, 900.0, 2.0, 2.5)).microseconds == 2.5


@pytest.mark.parametrize(
    ("mine", "other", "ratio"),
    [
        ((2.0, 4.0, 6.0), (1.0, 2.0, 3.0), 2.0),
        ((2.0, 40.0, 2.0), (1.0, 20.0, 1.0), 2.0),
        ((1.0, 9.0, 1.0), (2.0, 2.0, 2.0), 0.5),
    ],
    ids=["steady", "a slow spell of both", "a slow round of one"],
)
def test_a_ratio_is_that_of_figures_of_the_same_round(
    mine: tuple[float, ...], other: tuple[float, ...], ratio: float
) -> None:
    """The median of the rounds' ratios."""
    assert Measured(mine).over(Measured(other)) == ratio


def test_subjects_take_turns_after_one_portion_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Preparation is outside the clock; a figure is the time of a portion over its operations."""
    now, order = [0], list[str]()
    monkeypatch.setattr(timing.time, "process_time_ns", lambda: now[0])

    def work(name: str, nanoseconds: int) -> None:
        order.append(name)
        now[0] += nanoseconds

    def prepare(name: str, nanoseconds: int) -> Callable[[], None]:
        now[0] += 10**9
        return partial(work, name, nanoseconds)

    subjects = {"a": Subject(10, partial(prepare, "a", 20_000)), "b": Subject(1, partial(prepare, "b", 3_000))}
    assert interleaved(subjects, rounds=2) == {"a": Measured((2.0, 2.0)), "b": Measured((3.0, 3.0))}
    assert order == ["a", "b"] * 3


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says on which cores a process may run")
def test_a_pinned_process_may_use_one_core_and_then_all_again() -> None:
    """Those it had before."""
    allowed = os.sched_getaffinity(0)
    with pinned() as core:
        assert os.sched_getaffinity(0) == {core}
    assert os.sched_getaffinity(0) == allowed
