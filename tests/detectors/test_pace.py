from __future__ import annotations

import pytest

from otel_loopwatch.detectors.pace import GROWTH, HOT_NS, LEAST_PAUSE_NS, Pace, hot, pace_of
from otel_loopwatch.records import Attempt

PATIENT_S = 45.0
SECOND_NS = 1_000_000_000
PAUSE_S = LEAST_PAUSE_NS / SECOND_NS
HOT_S = HOT_NS / SECOND_NS


def attempts(*gaps: float) -> list[Attempt]:
    """Attempts with those seconds between their starts."""
    starts = [sum(gaps[:number]) for number in range(len(gaps) + 1)]
    return [
        Attempt(number=n, members=[], start_ns=int(start * SECOND_NS), span_id=n, batch=None)
        for n, start in enumerate(starts)
    ]


@pytest.mark.parametrize(
    ("gaps", "pace"),
    [
        ((), Pace.BUSY),
        ((5, 5, 5), Pace.BUSY),
        ((PATIENT_S,), Pace.PATIENT),
        ((PATIENT_S, 600, PATIENT_S), Pace.PATIENT),
        ((PATIENT_S, 600, PATIENT_S - 1), Pace.BUSY),
        ((1, GROWTH, GROWTH**2), Pace.BACKING_OFF),
        ((1, 2, 4, 8), Pace.BACKING_OFF),
        ((1, 2, 4, 4), Pace.BUSY),
        ((2,), Pace.BUSY),
        ((PAUSE_S / 8, PAUSE_S / 4, PAUSE_S / 2), Pace.BUSY),
        ((PAUSE_S / 4, PAUSE_S / 2, PAUSE_S), Pace.BACKING_OFF),
        ((8, 4, 2), Pace.BUSY),
        ((0, 0, 0), Pace.BUSY),
        ((0, 0, 1), Pace.BACKING_OFF),
    ],
)
def test_gaps_have_a_pace(gaps: tuple[float, ...], pace: Pace) -> None:
    """Long gaps are patient, growing ones back off, all others are busy."""
    assert pace_of(attempts(*gaps), PATIENT_S) is pace


@pytest.mark.parametrize(
    ("gaps", "expected"),
    [
        ((), False),
        ((HOT_S / 2,), True),
        ((HOT_S,), False),
        ((HOT_S * 1.5, HOT_S * 0.25), True),
        ((HOT_S * 1.5, HOT_S * 0.75), False),
        ((0, 0, 0), True),
    ],
)
def test_a_pause_counts_on_average(gaps: tuple[float, ...], expected: bool) -> None:
    """One attempt alone is not hot, and a short pause among long ones does not make it so."""
    assert hot(attempts(*gaps)) is expected
