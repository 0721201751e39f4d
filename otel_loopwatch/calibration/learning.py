"""From past good runs to a calibration: one run per agent and task, so that no task speaks more than once."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from otel_loopwatch.calibration.lines import Calibration, GoodRuns
from otel_loopwatch.calibration.score import score


class GoodRun(NamedTuple):
    """A past run that did what it should."""

    run: str
    agent: str
    task: str
    """Runs of one task resemble each other: they are not exchangeable with those of a task not seen before."""
    effort: int


def learn(runs: Iterable[GoodRun], alpha: Fraction) -> Calibration:
    """The calibration of these runs, in any order.

    Of a task's runs the one with the smallest tie-break is kept: a draw that knows nothing of how long the runs were,
    and comes out the same each time.
    """
    chosen: dict[tuple[str, str], tuple[float, str, int]] = {}
    for one in runs:
        drawn = (score(0, one.run), one.run, one.effort)
        key = (one.agent, one.task)
        chosen[key] = min(drawn, chosen.get(key, drawn))
    scores: dict[str, list[float]] = {}
    for (agent, _), (_, run, effort) in sorted(chosen.items()):
        scores.setdefault(agent, []).append(score(effort, run))
    return Calibration(alpha, {agent: GoodRuns.of(found, alpha) for agent, found in scores.items()})
