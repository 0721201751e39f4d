"""Where tasks repeat, and where agents differ: what happens to runs of tasks never seen, and to every single agent."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from random import Random
from statistics import fmean
from typing import NamedTuple

from otel_loopwatch.calibration import Calibration, GoodRun, learn, score

from .runs import Course
from .trials import ALPHA, DRAWS, Found, splits

ROUNDS = 10
"""Of splits, for agents: there are many of them."""
TWO_THIRDS = 2 / 3
ENOUGH = 40
"""Good runs of an agent, so that half of them may have a finite line."""


class Task(NamedTuple):
    """All runs of one task, by one agent or by all of them."""

    good: list[Course]
    failing: list[Course]


def tasks(runs: Sequence[Course]) -> list[Task]:
    """The runs by task."""
    found: dict[str, Task] = defaultdict(lambda: Task([], []))
    for run in runs:
        (found[run.task].good if run.good else found[run.task].failing).append(run)
    return list(found.values())


def new_tasks(runs: Sequence[Course], rng: Random) -> dict[str, Found]:
    """Calibrated on two thirds of the tasks, all of their good runs or one per task; tried on the others.

    The share stopped is the mean over tasks: of a run of a task that nobody has seen.
    """
    every, one = list[Found](), list[Found]()
    known = tasks(runs)
    for _ in range(DRAWS):
        for past, new in splits(len(known), rng, TWO_THIRDS):
            good = [_good(run, rng) for index in past for run in known[index].good]
            apart = [run._replace(task=run.run) for run in good]
            every.append(_on(learn(apart, ALPHA), [known[index] for index in new], rng))
            one.append(_on(learn(good, ALPHA), [known[index] for index in new], rng))
    return {"every good run": _mean(every), "one run per task": _mean(one)}


def _good(run: Course, rng: Random) -> GoodRun:
    """Under a random key: which run of a task is taken, and how ties are broken, is chance."""
    return GoodRun(f"{rng.random()}", "all", run.task, run.steps[-1].effort)


def _on(calibration: Calibration, new: Sequence[Task], rng: Random) -> Found:
    line = calibration.lines().get("all", float("inf"))
    stopped = [fmean(run.steps[-1].effort + rng.random() > line for run in task.good) for task in new if task.good]
    failing = [run for task in new for run in task.failing]
    spared = sum(_spared(run, line - rng.random()) for run in failing)
    return Found(fmean(stopped), spared / max(1, sum(len(run.steps) for run in failing)))


def _spared(run: Course, line: float) -> int:
    efforts = [step.effort for step in run.steps[:-1]]
    return len(efforts) - bisect_right(efforts, line)


def _mean(found: Sequence[Found]) -> Found:
    return Found(fmean(one.stopped for one in found), fmean(one.saved for one in found))


def agents(runs: Sequence[Course], rng: Random) -> dict[str, tuple[float, float]]:
    """Mean and largest share of good runs stopped over agents with enough of them: one line for all, and one each."""
    good = [run for run in runs if run.good]
    names = [name for name in {run.agent for run in good} if sum(run.agent == name for run in good) >= ENOUGH]
    good = [run for run in good if run.agent in names]
    ways: dict[str, Callable[[Course], str]] = {"one line for all": lambda run: "all", "one line each": _agent}
    return {way: _spread(list(_per_agent(good, key, rng))) for way, key in ways.items()} if len(names) > 1 else {}


def _agent(run: Course) -> str:
    return run.agent


def _per_agent(good: Sequence[Course], key: Callable[[Course], str], rng: Random) -> Iterator[dict[str, float]]:
    for _ in range(ROUNDS):
        for past, new in splits(len(good), rng):
            calibrating = (good[index] for index in past)
            known = (GoodRun(run.run, key(run), run.run, run.steps[-1].effort) for run in calibrating)
            lines = learn(known, ALPHA).lines()
            stopped = defaultdict[str, list[bool]](list)
            for run in map(good.__getitem__, new):
                above = score(run.steps[-1].effort, run.run) > lines.get(key(run), float("inf"))
                stopped[run.agent].append(above)
            yield {agent: fmean(found) for agent, found in stopped.items()}


def _spread(found: Sequence[dict[str, float]]) -> tuple[float, float]:
    names = {name for one in found for name in one}
    means = [fmean(one[name] for one in found if name in one) for name in names]
    return fmean(means), max(means)
