"""From which value on which colour holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

BASE = "green"


@dataclass(frozen=True, slots=True)
class Step:
    """A colour, and the value from which on it holds: None for the lowest."""

    value: float | None
    colour: str


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Steps, the lowest first."""

    steps: Sequence[Step]
    percentage: bool = False

    def colour(self, value: float | None, low: float = 0.0, high: float = 100.0) -> str:
        """The name of the colour of a value; ``low`` and ``high`` are what percentages are of."""
        found = self.steps[0].colour if self.steps else BASE
        for step in self.steps:
            if step.value is None or (value is not None and value >= self.at(step.value, low, high)):
                found = step.colour
        return found

    def at(self, value: float, low: float, high: float) -> float:
        """Where a step lies."""
        return low + (high - low) * value / 100 if self.percentage else value

    @property
    def above(self) -> list[tuple[float, str]]:
        """The steps that have a value."""
        return [(step.value, step.colour) for step in self.steps if step.value is not None]


def thresholds_of(read: dict[str, Any] | None) -> Thresholds:
    """Thresholds from their JSON; without any, Grafana's: green, and red from 80 on."""
    if not read:
        return Thresholds((Step(None, BASE), Step(80.0, "red")))
    steps = tuple(Step(step.get("value"), step["color"]) for step in read.get("steps", ()))
    return Thresholds(steps, read.get("mode") == "percentage")
