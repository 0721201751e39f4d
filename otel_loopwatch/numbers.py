"""Numbers that differ between otherwise equal results: noise, or progress?

A percentage that only rises is progress, and so is a backlog that only falls. Numbers that go up and down, and ids, are
noise, however many of them there are.
"""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from otel_loopwatch.masking import MASK_LIMIT, mask
from otel_loopwatch.pieces import pieces

MOST = 64
"""Numbers looked at per result."""

FEWEST = 5
"""Results after which a trend would have shown."""

PIECES = 512
"""Pieces of results remembered, of all runs."""

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
        values = _numbers(text)
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


def _numbers(text: str) -> list[float]:
    """The first numbers in a text that are part of no clock or id.

    Most pieces of it were there before: 10 to 30 us per kB instead of 90 to 190.
    """
    if len(text) > MASK_LIMIT:
        return list(_found(text)[:MOST])
    values: list[float] = []
    for piece in pieces(text):
        values += _found_before(piece)
        if len(values) >= MOST:
            break
    return values[:MOST]


def _found(text: str) -> tuple[float, ...]:
    return tuple([_value(token) for token in _TOKEN.findall(mask(text))])


_found_before = lru_cache(maxsize=PIECES)(_found)


def _value(token: str) -> float:
    """The number; an id goes nowhere."""
    return float(token) if _NUMBER.fullmatch(token) else 0.0
