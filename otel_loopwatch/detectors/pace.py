"""Patient or busy: the gaps between attempts.

Somebody who waits a minute, or twice as long each time, before asking again is not in a busy loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from math import inf

from otel_loopwatch.records import Attempt

GROWTH = 1.5
"""Each gap at least this many times the one before is a back-off."""
HOT_NS = 1_000_000_000
"""Mean gap below which there was no pause at all."""
LEAST_PAUSE_NS = 1_000_000_000
"""A back-off has come to at least this; the gaps of fast calls grow and shrink by chance."""


class Pace(Enum):
    """How attempts follow each other."""

    BUSY = "busy"
    PATIENT = "patient"
    """Every gap is long."""
    BACKING_OFF = "backing_off"
    """Every gap is much longer than the one before."""


def pace_of(attempts: Sequence[Attempt], patient_gap_s: float) -> Pace:
    """The pace of attempts in order; fewer than two gaps are never a back-off."""
    if _all_long(attempts, patient_gap_s * 1e9):
        return Pace.PATIENT
    return Pace.BACKING_OFF if _growing(attempts) else Pace.BUSY


def _all_long(attempts: Sequence[Attempt], least_ns: float) -> bool:
    """From the newest gap back: in a busy loop that one settles it, 0.3 us instead of 5."""
    for place in range(len(attempts) - 1, 0, -1):
        if attempts[place].start_ns - attempts[place - 1].start_ns < least_ns:
            return False
    return len(attempts) > 1


def _growing(attempts: Sequence[Attempt]) -> bool:
    if len(attempts) < 3 or attempts[-1].start_ns - attempts[-2].start_ns < LEAST_PAUSE_NS:
        return False
    later = inf
    for place in range(len(attempts) - 1, 0, -1):
        gap = attempts[place].start_ns - attempts[place - 1].start_ns
        if later < GROWTH * gap:
            return False
        later = gap
    return True


def hot(attempts: Sequence[Attempt]) -> bool:
    """Whether attempts in order follow each other without any pause."""
    gaps = len(attempts) - 1
    return gaps > 0 and attempts[-1].start_ns - attempts[0].start_ns < HOT_NS * gaps
