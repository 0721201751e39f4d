"""From past good runs to a calibration: one run per agent and task, so that no task speaks more than once."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from xxhash import xxh3_64_intdigest as digest

from otel_loopwatch.calibration.lines import Calibration, GoodRuns
from otel_loopwatch.calibration.score import score


class GoodRun(NamedTuple):
    """A past run that did what it should."""

    run: str
    agent: str
    task: str
    """Runs of one task resemble each other: they are not exchangeable with those of a task not seen before."""
    effort: int


LOT = 1
"""Seed of the lots: the tie-breaks have none, and of drawn runs they must be as random as of all others."""


def _lot(one: GoodRun) -> tuple[int, str]:
    return digest(one.run.encode("utf-8", "surrogatepass"), seed=LOT), one.run


def learn(runs: Iterable[GoodRun], alpha: Fraction) -> Calibration:
    """The calibration of these runs, in any order.

    Of a task's runs one is drawn by lot: knowing nothing of how long the runs were, and the same each time.
    """
    drawn: dict[tuple[str, str], GoodRun] = {}
    for one in sorted(runs, key=_lot):
        drawn.setdefault((one.agent, one.task), one)
    scores: dict[str, list[float]] = {}
    for agent, task in sorted(drawn):
        one = drawn[agent, task]
        scores.setdefault(agent, []).append(score(one.effort, one.run))
    return Calibration(alpha, {agent: GoodRuns.of(found, alpha) for agent, found in scores.items()})
