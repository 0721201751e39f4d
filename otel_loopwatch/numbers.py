"""Numbers that differ between otherwise equal results: noise, or progress?

A percentage that only rises is progress, and so is a backlog that only falls. Numbers that go up and down, and ids, are
noise, however many of them there are.
"""

from __future__ import annotations

import re

import msgspec

MOST = 64
"""Numbers looked at per result."""

_TOKEN = re.compile(r"[0-9A-Fa-f.]*\d[0-9A-Fa-f.]*")


class Trend(msgspec.Struct):
    """Where each number of a result has gone so far."""

    last: list[float] = msgspec.field(default_factory=list)
    up: list[bool] = msgspec.field(default_factory=list)
    down: list[bool] = msgspec.field(default_factory=list)

    def add(self, text: str) -> None:
        """Take in the next result; other numbers than before make a new beginning."""
        values = [_value(token) for token in _TOKEN.findall(text)[:MOST]]
        if len(values) != len(self.last):
            self.last, self.up, self.down = values, [False] * len(values), [False] * len(values)
            return
        for place, (before, now) in enumerate(zip(self.last, values, strict=True)):
            self.up[place] |= now > before
            self.down[place] |= now < before
        self.last = values

    @property
    def progress(self) -> bool:
        """Whether some number has moved in one direction only."""
        return any(up != down for up, down in zip(self.up, self.down, strict=True))


def _value(token: str) -> float:
    """The number; an id goes nowhere."""
    try:
        return float(token)
    except ValueError:
        return 0.0
