"""How long to wait before the next try."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

DOUBLINGS = 30
"""After so many every pause is at its longest, and an outage may last for any time."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """Pauses that double from try to try. ``jitter`` is between 0 and 1."""

    first_s: float = 1.0
    longest_s: float = 30.0
    longest_asked_s: float = 300.0
    """Whatever the downstream asks for."""
    jitter: Callable[[], float] = random.random

    def pause_s(self, attempt: int, asked_s: float | None = None) -> float:
        """Seconds to wait after the attempt of this number, from 1: between half and all of a time that doubles.

        Never less than was asked for, and no less for being asked: the specification wants both.
        """
        longest = min(self.first_s * 2.0 ** min(attempt - 1, DOUBLINGS), self.longest_s)
        return max(longest * (1 + self.jitter()) / 2, min(asked_s or 0.0, self.longest_asked_s))
