from __future__ import annotations

import pytest

from otel_loopwatch.detectors.grading import (
    LEAST,
    NEVER,
    NO_EXTRA,
    PATIENT_REPEATS,
    REPEATS,
    ROUNDS,
    Extra,
    level,
    more,
    needed,
    repeats,
    round_grade,
)
from otel_loopwatch.detectors.pace import Pace
from otel_loopwatch.model import Evidence, Level
from otel_loopwatch.outcomes import Grade
from otel_loopwatch.settings import Threshold

LIMITS = Threshold(3, 6)
TABLES = {"repeats": REPEATS, "patient repeats": PATIENT_REPEATS, "rounds": ROUNDS}


@pytest.mark.parametrize(
    ("count", "extra", "expected"),
    [
        (LIMITS.warning - 1, NO_EXTRA, None),
        (LIMITS.warning, NO_EXTRA, Level.WARNING),
        (LIMITS.critical - 1, NO_EXTRA, Level.WARNING),
        (LIMITS.critical, NO_EXTRA, Level.CRITICAL),
        (LIMITS.warning + 1, Extra(2, 2), None),
        (LIMITS.warning + 2, Extra(2, 2), Level.WARNING),
        (LIMITS.critical + 2, Extra(2, 2), Level.CRITICAL),
        (1000 * LIMITS.critical, Extra(2, None), Level.WARNING),
        (1000 * LIMITS.critical, NEVER, None),
        (1, Extra(-9, -9), None),
        (LEAST, Extra(-9, -9), Level.CRITICAL),
    ],
)
def test_a_count_reaches_a_level(count: int, extra: Extra, expected: Level | None) -> None:
    """A warning from one number on, critical from another, and nothing at the first time, whatever the limits."""
    assert level(count, LIMITS, extra) is expected


@pytest.mark.parametrize(
    ("extra", "expected"),
    [(NO_EXTRA, (3, 6)), (Extra(1, 4), (4, 10)), (Extra(1, None), (4, None)), (Extra(-5, -5), (LEAST, LEAST))],
)
def test_what_is_needed_can_be_told(extra: Extra, expected: tuple[int, int | None]) -> None:
    """Threshold and extra together, never below two."""
    assert needed(LIMITS, extra) == expected


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        (Extra(1, 2), Extra(3, 4), Extra(4, 6)),
        (Extra(1, None), Extra(3, 4), Extra(4, None)),
        (Extra(1, 2), Extra(3, None), Extra(4, None)),
        (Extra(1, 2), NO_EXTRA, Extra(1, 2)),
    ],
)
def test_extras_add_up(one: Extra, other: Extra, both: Extra) -> None:
    """What is never critical stays so."""
    assert more(one, other) == both


@pytest.mark.parametrize(
    ("grades", "expected"),
    [
        ([Grade.ACK, Grade.INFORMATIVE], Grade.INFORMATIVE),
        ([Grade.ERROR, Grade.INFORMATIVE], Grade.ERROR),
        ([Grade.PENDING, Grade.ACK], Grade.PENDING),
        ([Grade.PENDING, Grade.EMPTY], Grade.PENDING),
        ([Grade.PENDING, Grade.SHORT], Grade.SHORT),
        ([Grade.EMPTY, Grade.ACK], Grade.EMPTY),
    ],
)
def test_a_round_is_as_strong_as_its_strongest_call(grades: list[Grade], expected: Grade) -> None:
    """But a wait between looks at something pending is a poll."""
    assert round_grade(grades) is expected


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_every_grade_has_its_extra(table: dict[Grade, Extra]) -> None:
    """And a warning never comes after the stop, whatever the thresholds."""
    assert set(table) == set(Grade)
    assert all(extra.critical is None or extra.critical >= extra.warning for extra in table.values())


@pytest.mark.parametrize("grade", [grade for grade in Grade if grade.evidence is not Evidence.STRONG])
def test_weak_evidence_is_no_reason_to_stop_who_waits(grade: Grade) -> None:
    """With pauses, nothing but a text that says something or a failure may ever be critical."""
    assert PATIENT_REPEATS[grade].critical is None


@pytest.mark.parametrize("grade", Grade)
def test_pauses_are_given_more_time(grade: Grade) -> None:
    """Whoever waits is warned later than who does not."""
    assert repeats(grade, Pace.PATIENT) == repeats(grade, Pace.BACKING_OFF) == PATIENT_REPEATS[grade]
    assert repeats(grade, Pace.BUSY) == REPEATS[grade]
    assert PATIENT_REPEATS[grade].warning > REPEATS[grade].warning
