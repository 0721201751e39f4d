"""From a count to a level: the weaker the evidence, the later the warning, and the more must speak for a stop."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from otel_loopwatch.detectors.pace import Pace
from otel_loopwatch.model import Level
from otel_loopwatch.outcomes import Grade
from otel_loopwatch.settings import Threshold


class Extra(NamedTuple):
    """Repeats beyond the threshold that a grade needs; ``critical`` None: never."""

    warning: int
    critical: int | None


NO_EXTRA = Extra(0, 0)
"""The thresholds as they are."""
NEVER = Extra(1_000_000, None)
"""No number of repeats is enough."""

REPEATS = {
    Grade.NOTHING: Extra(5, None),
    Grade.CLOCK: Extra(5, None),
    Grade.PENDING: Extra(7, None),
    Grade.ACK: Extra(2, None),
    Grade.EMPTY: Extra(1, None),
    Grade.SHORT: Extra(1, None),
    Grade.TERSE: Extra(0, 3),
    Grade.UNDERWAY: Extra(2, 10),
    Grade.RETRYABLE: Extra(2, 11),
    Grade.INFORMATIVE: Extra(0, 0),
    Grade.ERROR: Extra(0, 0),
}
"""One call again and again, without a pause."""

PATIENT_REPEATS = {
    Grade.NOTHING: Extra(37, None),
    Grade.CLOCK: Extra(37, None),
    Grade.PENDING: Extra(37, None),
    Grade.ACK: Extra(9, None),
    Grade.EMPTY: Extra(9, None),
    Grade.SHORT: Extra(9, None),
    Grade.TERSE: Extra(9, None),
    Grade.UNDERWAY: Extra(37, None),
    Grade.RETRYABLE: Extra(7, None),
    Grade.INFORMATIVE: Extra(4, None),
    Grade.ERROR: Extra(2, 9),
}
"""The same with long or growing gaps: a short answer may be a poll in any language."""

ROUNDS = {
    Grade.NOTHING: Extra(9, None),
    Grade.CLOCK: Extra(9, None),
    Grade.PENDING: Extra(9, None),
    Grade.ACK: Extra(1, None),
    Grade.EMPTY: Extra(1, None),
    Grade.SHORT: Extra(0, 0),
    Grade.TERSE: Extra(0, 0),
    Grade.UNDERWAY: Extra(2, 6),
    Grade.RETRYABLE: Extra(2, 6),
    Grade.INFORMATIVE: Extra(0, 0),
    Grade.ERROR: Extra(0, 0),
}
"""Rounds of a cycle, by the strongest grade in it."""


def round_grade(grades: Collection[Grade]) -> Grade:
    """The strongest grade of a round; waiting between looks at something pending is a poll, whatever the wait says."""
    strongest = max(grades)
    return Grade.PENDING if Grade.PENDING in grades and strongest <= Grade.EMPTY else strongest


LEAST = 2
"""Once is no loop, whatever the limits."""


def needed(threshold: Threshold, extra: Extra) -> tuple[int, int | None]:
    """Repeats (or rounds) from which there is a warning, and a critical signal if ever."""
    critical = None if extra.critical is None else max(LEAST, threshold.critical + extra.critical)
    return max(LEAST, threshold.warning + extra.warning), critical


def level(count: int, threshold: Threshold, extra: Extra) -> Level | None:
    """The level that ``count`` repeats (or rounds) reach."""
    warning, critical = needed(threshold, extra)
    if critical is not None and count >= critical:
        return Level.CRITICAL
    return Level.WARNING if count >= warning else None


def more(extra: Extra, by: Extra) -> Extra:
    """Both together; what is never critical stays so."""
    never = extra.critical is None or by.critical is None
    return Extra(extra.warning + by.warning, None if never else (extra.critical or 0) + (by.critical or 0))


IDS_DIFFER = Extra(1, None)
"""More for results that are equal but for ids: what looks like an id may be what the call was for."""


def repeats(grade: Grade, pace: Pace) -> Extra:
    """What repeats of that grade need at that pace."""
    return (REPEATS if pace is Pace.BUSY else PATIENT_REPEATS)[grade]
