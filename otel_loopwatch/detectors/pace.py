"""Patient or busy: the gaps between attempts.

Somebody who waits a minute, or twice as long each time, before asking again is not in a busy loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from itertools import pairwise

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
    starts = [attempt.start_ns for attempt in attempts]
    gaps = [later - earlier for earlier, later in pairwise(starts)]
    if gaps and min(gaps) >= patient_gap_s * 1e9:
        return Pace.PATIENT
    growing = len(gaps) > 1 and gaps[-1] >= LEAST_PAUSE_NS and all(b >= GROWTH * a for a, b in pairwise(gaps))
    return Pace.BACKING_OFF if growing else Pace.BUSY


def hot(attempts: Sequence[Attempt]) -> bool:
    """Whether attempts in order follow each other without any pause."""
    gaps = len(attempts) - 1
    return gaps > 0 and attempts[-1].start_ns - attempts[0].start_ns < HOT_NS * gaps
