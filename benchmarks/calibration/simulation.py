"""Runs made up so that the assumption holds, or does not: how many good ones are stopped."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random
from statistics import fmean, stdev
from typing import NamedTuple

from otel_loopwatch.calibration import GoodRun, learn, score
from otel_loopwatch.calibration.score import effort_of

DRAWS = 1_000
NEW = 100
"""New good runs per draw."""
PER_TASK = 5
PAST = ((19, "1/20"), (20, "1/20"), (50, "1/20"), (200, "1/20"), (50, "1/10"), (200, "1/100"))
"""Past runs, alpha."""


class Coverage(NamedTuple):
    """Share of new good runs that are stopped: its mean over the draws, and the 95 % interval of that mean."""

    mean: float
    low: float
    high: float


def exchangeable(rng: Random) -> dict[tuple[int, str], Coverage]:
    """Every run has a task of its own."""
    return {(past, alpha): _coverage(_independent(past, Fraction(alpha), rng)) for past, alpha in PAST}


def repeated(rng: Random) -> dict[str, Coverage]:
    """Twenty tasks with five runs each, and new runs of new tasks: every run counted, and one per task."""
    draws = [_clustered(rng) for _ in range(DRAWS)]
    return {
        "every good run": _coverage(every for every, _ in draws),
        "one run per task": _coverage(one for _, one in draws),
    }


def _independent(past: int, alpha: Fraction, rng: Random) -> Iterator[float]:
    for _ in range(DRAWS):
        yield _stopped(
            [_run(rng, rng.random()) for _ in range(past)], [_run(rng, rng.random()) for _ in range(NEW)], alpha
        )


def _clustered(rng: Random) -> tuple[float, float]:
    past = [run for _ in range(20) for run in _of_task(rng)]
    new = [run for _ in range(NEW // PER_TASK) for run in _of_task(rng)]
    alpha = Fraction(1, 20)
    return _stopped([run._replace(task=run.run) for run in past], new, alpha), _stopped(past, new, alpha)


def _of_task(rng: Random) -> list[GoodRun]:
    hardness = rng.random()
    task = f"{hardness}"
    return [_run(rng, hardness)._replace(task=task) for _ in range(PER_TASK)]


def _run(rng: Random, hardness: float) -> GoodRun:
    """A hard task takes more calls, and more of them are in vain."""
    calls = 1 + int(rng.expovariate(1 / (2 + 30 * hardness**3)))
    in_vain = sum(rng.random() < 0.1 + 0.3 * hardness for _ in range(calls))
    key = f"{rng.random()}"
    return GoodRun(key, "agent", key, effort_of(calls, in_vain))


def _stopped(past: list[GoodRun], new: list[GoodRun], alpha: Fraction) -> float:
    line = learn(past, alpha).lines()["agent"]
    return fmean(score(run.effort, run.run) > line for run in new)


def _coverage(shares: Iterator[float]) -> Coverage:
    found = list(shares)
    mean, margin = fmean(found), 1.96 * stdev(found) / len(found) ** 0.5
    return Coverage(mean, mean - margin, mean + margin)
