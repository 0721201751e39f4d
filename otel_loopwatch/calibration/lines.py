"""What is kept of the good runs, and the line that follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf

from otel_loopwatch.calibration.conformal import rank

UNNAMED = "(unnamed)"
"""Stands for an agent whose spans do not name it."""


@dataclass(frozen=True, slots=True)
class GoodRuns:
    """The good runs of one agent. The line is worked out from them, so that feedback can move it."""

    runs: int
    """How many there were, one per task."""
    top: tuple[float, ...] = ()
    """Their highest scores, rising, from the line on; none where there were too few runs."""
    mistaken: tuple[str, ...] = ()
    """Keys of runs that were stopped and should not have been. Each counts as a good run with an infinite score."""

    @classmethod
    def of(cls, scores: Iterable[float], alpha: Fraction) -> GoodRuns:
        """What is to be kept of these scores."""
        ordered = sorted(scores)
        return cls(runs=len(ordered), top=tuple(ordered[rank(len(ordered), alpha) - 1 :]))

    def place(self, alpha: Fraction) -> int:
        """Position of the line in ``top``; beyond its end for infinity, below 0 if the line lies beneath it."""
        return rank(self.runs + len(self.mistaken), alpha) - 1 - (self.runs - len(self.top))

    def line(self, alpha: Fraction) -> float:
        """The score above which a run is stopped; infinite while there are too few runs: then it is only watched."""
        place = self.place(alpha)
        return self.top[place] if place < len(self.top) else inf

    def stopped_by_mistake(self, run: str) -> GoodRuns:
        """The same with one more mistaken run, if that is news. The line stays or rises."""
        return self if run in self.mistaken else replace(self, mistaken=(*self.mistaken, run))


@dataclass(frozen=True, slots=True)
class Calibration:
    """Good runs of every agent, and the share of good runs that may be stopped."""

    alpha: Fraction
    agents: Mapping[str, GoodRuns]

    def lines(self) -> dict[str, float]:
        """The line of each agent."""
        return {agent: runs.line(self.alpha) for agent, runs in self.agents.items()}

    def remembering(self, earlier: Calibration) -> Calibration:
        """The same with the feedback of an earlier one: a run that was stopped is missing among those learnt from."""
        fed_back = {agent: runs.mistaken for agent, runs in earlier.agents.items()}
        agents = {agent: replace(runs, mistaken=fed_back.get(agent, ())) for agent, runs in self.agents.items()}
        return replace(self, agents=agents)

    def stopped_by_mistake(self, run: str, agent: str) -> Calibration:
        """The same after feedback about one run of an agent that is known here (else KeyError)."""
        return replace(self, agents={**self.agents, agent: self.agents[agent].stopped_by_mistake(run)})
