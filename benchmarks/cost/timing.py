"""CPU time per operation, as medians of turns that several subjects take on one core."""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median

ROUNDS = 9


@dataclass(frozen=True, slots=True)
class Subject:
    """Something whose cost is measured."""

    operations: int
    """How many of them a portion of the work holds."""
    prepare: Callable[[], Callable[[], object]]
    """Makes the next portion, outside the clock; calling that does the work."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Microseconds of CPU per operation, one figure per round."""

    rounds: tuple[float, ...]

    @property
    def microseconds(self) -> float:
        """The median."""
        return median(self.rounds)

    def over(self, other: Measured) -> float:
        """How many times the other's cost: the median of the rounds' ratios, so that a slow spell disturbs no ratio."""
        return median(mine / theirs for mine, theirs in zip(self.rounds, other.rounds, strict=True))


@contextmanager
def pinned() -> Iterator[int | None]:
    """Keep this process, and those it starts, on the last core it may use; ``None`` where the system cannot."""
    if sys.platform != "linux":
        yield None
        return
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(allowed)})
    try:
        yield max(allowed)
    finally:
        os.sched_setaffinity(0, allowed)


def interleaved(subjects: Mapping[str, Subject], rounds: int = ROUNDS) -> dict[str, Measured]:
    """Every subject in every round, after a portion each to get warm."""
    for subject in subjects.values():
        subject.prepare()()
    gc.collect()
    gc.freeze()  # what is there already is not looked through again in every round
    turns = [[_microseconds(subject) for subject in subjects.values()] for _ in range(rounds)]
    gc.unfreeze()
    return {name: Measured(column) for name, column in zip(subjects, _columns(turns), strict=True)}


def _microseconds(subject: Subject) -> float:
    work = subject.prepare()
    gc.collect()
    started = time.process_time_ns()
    work()
    return (time.process_time_ns() - started) / subject.operations / 1000


def _columns(turns: Sequence[Sequence[float]]) -> list[tuple[float, ...]]:
    return list(zip(*turns, strict=True))
