"""identical, ping_pong and cycle with noise: now and then a call that brings news, and then the same as before.

Only attempts that were made before are looked at, so what is new drops out. It must be the smaller part: good work has
fixed points, too, that it comes back to.
"""

from __future__ import annotations

from otel_loopwatch import verbs
from otel_loopwatch.detectors.base import Step, Verdict
from otel_loopwatch.detectors.cycle import kind_of
from otel_loopwatch.detectors.grading import REPEATS, ROUNDS, Extra, more, round_grade
from otel_loopwatch.detectors.pace import Pace
from otel_loopwatch.model import Kind
from otel_loopwatch.periods import LONGEST
from otel_loopwatch.records import DENSE, Attempt

NOISE = Extra(1, None)
"""What the calls in between cost."""


def going_on(step: Step) -> Verdict | None:
    """The same attempts go round, and what is in between brings no way out."""
    if not step.attempt.stale or all(map(verbs.presses, step.attempt.deeds)):
        return None
    stale = [past for past in step.run.attempts if past.stale]
    if len(stale) == step.attempt.number - stale[0].number + 1:
        return None
    period, repeated = _shortest(stale)
    if not period or repeated / (step.attempt.number - stale[-repeated].number + 1) < DENSE:
        return None
    return _verdict(step, stale[-repeated:], period)


def _shortest(stale: list[Attempt]) -> tuple[int, int]:
    """The shortest period at the end, and how many attempts follow it; the round before them was not yet a repeat."""
    for period in range(1, min(LONGEST, len(stale) // 2) + 1):
        follow = period
        while follow < len(stale) and stale[-follow - 1].call == stale[-follow - 1 + period].call:
            follow += 1
        if follow >= 2 * period:
            return period, follow
    return 0, 0


def _verdict(step: Step, members: list[Attempt], period: int) -> Verdict | None:
    count = len(members) // period + 1
    kind = Kind.IDENTICAL if period == 1 else kind_of(period)
    grade = round_grade([past.grade for past in members[-period:]])
    graded = step.level(kind, count, more((REPEATS if period == 1 else ROUNDS)[grade], NOISE))
    if graded is None or step.attempt.failed or step.pace(len(members)) is not Pace.BUSY:
        return None
    return Verdict(
        kind=kind,
        level=graded,
        count=count,
        period=period,
        wasted=sum(past.size for past in members),
        evidence=grade.evidence,
        tools=tuple(dict.fromkeys(tool for past in members[-period:] for tool in past.tools)),
        first_span_id=members[0].span_id,
        why=f"gave the same results {count} times over, with other calls in between",
    )
