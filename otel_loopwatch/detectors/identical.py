"""identical: the same call with the same result, back to back (and, within one response, side by side)."""

from __future__ import annotations

from otel_loopwatch import verbs
from otel_loopwatch.canonical import has_prose
from otel_loopwatch.detectors.base import Step, Verdict
from otel_loopwatch.detectors.grading import IDS_DIFFER, Extra, more, repeats
from otel_loopwatch.detectors.pace import Pace
from otel_loopwatch.model import Evidence, Kind
from otel_loopwatch.outcomes import Grade

WRITTEN = Extra(0, None)
"""One and the same write, acknowledged each time: the first had done it."""
RESPELLED = Extra(1, 4)
"""An empty or short answer to a request in ever new spelling: who waits for something asks in the same words."""
WITHOUT_PAUSE = Extra(7, 25)
"""A question whether it is done yet, with less than a second between: nothing is waited for at that pace."""
TIME_ASKED = Extra(5, 15)
"""The time of day, and nothing else: it is no work, and it cannot be hurried."""
NUMBERS_VARY = Extra(5, None)
"""Results that differ in numbers which go nowhere: measured values are like that, too."""
PRESSED = Extra(4, None)
"""A key that is pressed again does it again."""
SIBLINGS = Extra(5, 7)
"""Equal siblings of one response that are no accident any more."""
BLIND = Extra(5, None)
"""Repeats where no result was captured: a hint, never a reason to stop."""


def repeated(step: Step) -> Verdict | None:
    """Equal attempts in a row; failures are `retry_storm`'s, words that differ in spelling only are `drift`."""
    run, attempt = step.run, step.attempt
    if run.call_keys.quiet or attempt.failed:
        return None
    count = run.call_keys.rounds(1)
    if not step.may_reach(Kind.IDENTICAL, count):
        return None
    same = run.last(count)
    spelling = len(attempt.members) == 1 and len({past.exact for past in same}) > 1
    needed = _needed(step, count, spelling)
    graded = step.level(Kind.IDENTICAL, count, more(needed, IDS_DIFFER) if attempt.loose else needed)
    if graded is None:
        return None
    return Verdict(
        kind=Kind.DRIFT if spelling else Kind.IDENTICAL,
        level=graded,
        count=count,
        wasted=sum([past.size for past in same[1:]]),
        evidence=attempt.grade.evidence,
        tools=attempt.tools,
        first_span_id=same[0].span_id,
        why=f"gave the same result to the same call {count} times in a row",
    )


def _needed(step: Step, count: int, spelling: bool) -> Extra:
    """What repeats need: weak answers prove more where something else speaks for a loop."""
    grade, pace = step.attempt.grade, step.pace(count)
    if pace is not Pace.BUSY:
        return repeats(grade, pace)
    if spelling and grade in (Grade.EMPTY, Grade.SHORT) and not has_prose(step.reading.arguments):
        return RESPELLED
    if grade is Grade.PENDING and step.hot(count):
        return WITHOUT_PAUSE
    if grade is Grade.CLOCK:
        return TIME_ASKED
    if grade is Grade.ACK and all(map(verbs.presses, step.attempt.deeds)):
        return PRESSED
    return WRITTEN if _written(step, pace) else repeats(grade, pace)


def _written(step: Step, pace: Pace) -> bool:
    told = step.attempt.grade is Grade.ACK and bool(step.reading.arguments)
    return told and pace is Pace.BUSY and all(map(verbs.writes, step.attempt.deeds))


def but_for_numbers(step: Step) -> Verdict | None:
    """The same call with results in which numbers go up and down: noise, unless one of them only rises or falls."""
    streak = step.run.streaks.get(step.reading.tool)
    if streak is None or not streak.loose or len(streak.requests) != 1 or step.attempt.failed:
        return None
    graded = step.level(Kind.IDENTICAL, streak.count, NUMBERS_VARY)
    if graded is None or not streak.trend.noise or step.pace(streak.count) is not Pace.BUSY:
        return None
    return Verdict(
        kind=Kind.IDENTICAL,
        level=graded,
        count=streak.count,
        wasted=streak.count - 1,
        evidence=Evidence.WEAK,
        tools=step.attempt.tools,
        first_span_id=streak.first_span,
        why=f"was called {streak.count} times with the same arguments, and only numbers without a trend changed",
    )


def siblings(step: Step) -> Verdict | None:
    """The same call many times within one model response."""
    if step.call.batch is None:
        return None
    member = max(step.attempt.members, key=lambda other: other.times)
    graded = step.level(Kind.IDENTICAL, member.times, SIBLINGS)
    if graded is None:
        return None
    return Verdict(
        kind=Kind.IDENTICAL,
        level=graded,
        count=member.times,
        wasted=member.times - 1,
        evidence=member.grade.evidence,
        tools=(member.tool,),
        first_span_id=step.attempt.span_id,
        why=f"was called {member.times} times with the same arguments within one model response",
    )


def blind(step: Step) -> Verdict | None:
    """Equal arguments in a row where results are not known."""
    if step.run.request_keys.quiet or step.attempt.grade is not Grade.NOTHING:
        return None
    count = step.run.request_keys.rounds(1)
    graded = step.level(Kind.IDENTICAL, count, BLIND)
    if graded is None:
        return None
    first = step.run.last(count)[0]
    return Verdict(
        kind=Kind.IDENTICAL,
        level=graded,
        count=count,
        wasted=count - 1,
        evidence=step.attempt.grade.evidence,
        tools=step.attempt.tools,
        first_span_id=first.span_id,
        why=f"was called with the same arguments {count} times in a row (results were not captured)",
    )
