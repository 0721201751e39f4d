"""A run that is halted in real time, for whoever watches its metrics from outside."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from live.jobs import Job
from live.runs import Run, Told

from otel_loopwatch.scenarios import SCENARIOS


def halted(job: Job, seen_before: Callable[[], None]) -> None:
    """A run that repeats itself until it is halted, once what an earlier one counted is seen.

    Its calls come one right after the other: a wait in between would pass for patience.
    """
    first, *again = SCENARIOS["identical"].steps[1:]
    early = Run(job, "night", Random(1))
    early.think()
    early.call(first)
    early.end()
    seen_before()
    looping = Run(job, "night", Random(2))
    looping.think()
    assert any(looping.call(step) is Told.TO_END for step in (first, *again))
    looping.end()
