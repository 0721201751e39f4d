"""The range of time that is shown, and the steps in which Grafana would ask for it: they follow a panel's width."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
STEPS: tuple[tuple[float, float], ...] = (
    (0, 0.001),
    (0.01, 0.01),
    (0.015, 0.02),
    (0.035, 0.05),
    (0.075, 0.1),
    (0.15, 0.2),
    (0.35, 0.5),
    (0.75, 1),
    (1.5, 2),
    (3.5, 5),
    (7.5, 10),
    (12.5, 15),
    (17.5, 20),
    (25, 30),
    (45, 60),
    (90, 120),
    (210, 300),
    (450, 600),
    (750, 900),
    (1050, 1200),
    (1500, 1800),
    (2700, 3600),
    (5400, 7200),
    (9000, 10800),
    (16200, 21600),
    (32400, 43200),
    (86400, 86400),
)
"""From how many seconds between two points on, the step that is taken."""


@dataclass(frozen=True, slots=True)
class Window:
    """From when to when, in seconds since the epoch."""

    start: float
    end: float

    @property
    def length(self) -> float:
        """In seconds."""
        return self.end - self.start

    def step(self, points: float, least: float) -> float:
        """Seconds between two points where at most so many fit: a round number, and not below ``least``."""
        wished = max(self.length / points, least)
        return max(STEPS[bisect_right(STEPS, (wished, float("inf"))) - 1][1], least)

    def grid(self, step: float) -> tuple[float, ...]:
        """The moments that are asked for: multiples of the step."""
        first, last = int(self.start // step), int(self.end // step)
        return tuple(number * step for number in range(first, last + 1))


def seconds(duration: str) -> float:
    """How long ``30s`` or ``6h`` is; ValueError names what is neither."""
    found = re.fullmatch(r"(\d+)(ms|[smhdw])", duration)
    if not found:
        raise ValueError(f"duration {duration!r} is no number with one of {', '.join(UNITS)}")
    return int(found[1]) * UNITS[found[2]]


def window_of(start: str, end: str, now: float) -> Window:
    """The range of ``now-6h`` and ``now``."""
    return Window(_moment(start, now), _moment(end, now))


def _moment(text: str, now: float) -> float:
    return now - seconds(text.removeprefix("now-")) if text.startswith("now-") else now
