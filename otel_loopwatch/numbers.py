"""Numbers that differ between otherwise equal results: noise, or progress?

A percentage that only rises is progress, and so is a backlog that only falls. Numbers that go up and down, and ids, are
noise, however many of them there are.
"""

from __future__ import annotations

import re

import msgspec

MOST = 64
"""Numbers looked at per result."""

FEWEST = 5
"""Results after which a trend would have shown."""

_TOKEN = re.compile(r"(?<![A-Za-z0-9_.])(?=[A-Za-z0-9_.]*\d)[A-Za-z0-9_.]+")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


class Trend(msgspec.Struct):
    """Where each number of a result has gone so far."""

    last: list[float] = msgspec.field(default_factory=list)
    seen: int = 0
    """Results taken in since those numbers are there."""
    up: list[bool] = msgspec.field(default_factory=list)
    down: list[bool] = msgspec.field(default_factory=list)

    def add(self, text: str) -> None:
        """Take in the next result; other numbers than before make a new beginning."""
        values = [_value(token) for token in _TOKEN.findall(text)[:MOST]]
        if len(values) != len(self.last):
            self.seen, self.up, self.down = 0, [False] * len(values), [False] * len(values)
            self.last = values
        self.seen += 1
        for place, (before, now) in enumerate(zip(self.last, values, strict=True)):
            self.up[place] |= now > before
            self.down[place] |= now < before
        self.last = values

    @property
    def progress(self) -> bool:
        """Whether some number has moved in one direction only."""
        return any(up != down for up, down in zip(self.up, self.down, strict=True))

    @property
    def noise(self) -> bool:
        """Whether none has, and that can be told by now."""
        return self.seen >= FEWEST and not self.progress


def _value(token: str) -> float:
    """The number; an id goes nowhere."""
    return float(token) if _NUMBER.fullmatch(token) else 0.0
