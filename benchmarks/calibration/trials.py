"""Calibrate on half of the good runs, look at the other half and at the failing ones; again and again."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from random import Random
from statistics import fmean
from typing import NamedTuple

from otel_loopwatch.calibration import GoodRuns

from .runs import Course
from .scores import EITHER, Score

ALPHA = Fraction(1, 20)
SPLITS_PER_DRAW = 20
"""Tie-breaks, which run ids decide, are drawn anew after so many splits: which ids runs got is chance."""
DRAWS = 50
"""With the splits per draw, 1,000 splits."""
SAMPLES = 200
"""Samples of a bootstrap over runs."""


class Scored(NamedTuple):
    """A set of runs under one score."""

    good: list[float]
    """What each good run came to."""
    failing: list[float]
    """What failing runs had come to before each of their calls but the first, sorted: what a stop would have spared."""
    calls: int
    """All calls of the failing runs."""


class Found(NamedTuple):
    """Shares: of good runs stopped, of failing runs' calls saved."""

    stopped: float
    saved: float


class Halves(NamedTuple):
    """Good runs, and failing ones."""

    good: Sequence[Course]
    failing: Sequence[Course]


def halves(runs: Iterable[Course]) -> Halves:
    """The runs by outcome."""
    known = list(runs)
    return Halves([run for run in known if run.good], [run for run in known if not run.good])


def ties(runs: Halves, rng: Random) -> list[float]:
    """A number below 1 for each run, the good ones first."""
    return [rng.random() for _ in range(len(runs.good) + len(runs.failing))]


def scored(score: Score, runs: Halves, broken: Sequence[float]) -> Scored:
    """The runs under a score, with these tie-breaks."""
    tie = iter(broken)
    finals = [list(score(course.steps))[-1] + next(tie) for course in runs.good]
    courses = [(list(score(course.steps)), next(tie)) for course in runs.failing]
    before = sorted(value + number for values, number in courses for value in values[:-1])
    return Scored(finals, before, sum(len(values) for values, _ in courses))


def trials(scores: Iterable[Score], runs: Halves, rng: Random) -> Iterator[list[Found]]:
    """Split by split, under one draw of tie-breaks: what each score comes to on the same runs."""
    broken = ties(runs, rng)
    sets = [scored(score, runs, broken) for score in scores]
    for past, new in splits(len(runs.good), rng):
        yield [_found(one, past, new) for one in sets]


def splits(number: int, rng: Random, share: float = 0.5) -> Iterator[tuple[list[int], list[int]]]:
    """Random parts of so many: a share of them, and the rest."""
    cut = int(number * share)
    order = list(range(number))
    for _ in range(SPLITS_PER_DRAW):
        rng.shuffle(order)
        yield order[:cut], order[cut:]


def _found(one: Scored, past: Sequence[int], new: Sequence[int]) -> Found:
    line = GoodRuns.of((one.good[index] for index in past), ALPHA).line(ALPHA)
    stopped = fmean(one.good[index] > line for index in new)
    return Found(stopped, (len(one.failing) - bisect_right(one.failing, line)) / one.calls)


def either(runs: Halves, rng: Random) -> Iterator[Found]:
    """The first of two lines, each with half of alpha."""
    broken = ties(runs, rng)
    finals = [_both(run)[-1] for run in runs.good]
    before = [_both(run)[:-1] for run in runs.failing]
    calls = sum(len(run.steps) for run in runs.failing)
    for past, new in splits(len(runs.good), rng):
        lines = [
            GoodRuns.of((finals[index][k] + broken[index] for index in past), ALPHA / 2).line(ALPHA / 2) for k in (0, 1)
        ]
        stopped = fmean(_crosses(finals[index], broken[index], lines) for index in new)
        spared = (
            _crosses(pair, tie, lines)
            for pairs, tie in zip(before, broken[len(runs.good) :], strict=True)
            for pair in pairs
        )
        yield Found(stopped, sum(spared) / calls)


def _both(run: Course) -> list[tuple[int, int]]:
    one, other = (score(run.steps) for score in EITHER)
    return list(zip(one, other, strict=True))


def _crosses(pair: tuple[int, int], tie: float, lines: Sequence[float]) -> bool:
    return pair[0] + tie > lines[0] or pair[1] + tie > lines[1]


def bootstrap(scores: Sequence[Score], runs: Halves, rng: Random) -> Iterator[list[Found]]:
    """Per sample of the runs, drawn with replacement: what each score comes to on average."""
    for _ in range(SAMPLES):
        drawn = Halves(rng.choices(runs.good, k=len(runs.good)), rng.choices(runs.failing, k=len(runs.failing)))
        yield average(trials(scores, drawn, rng))


def average(found: Iterable[Sequence[Found]]) -> list[Found]:
    """Means over the trials, per score."""
    columns = zip(*found, strict=True)
    return [Found(fmean(one.stopped for one in column), fmean(one.saved for one in column)) for column in columns]


def interval(values: Iterable[float], share: float = 0.95) -> tuple[float, float]:
    """The middle share of some values."""
    ordered = sorted(values)
    cut = int(len(ordered) * (1 - share) / 2)
    return ordered[cut], ordered[-1 - cut]
