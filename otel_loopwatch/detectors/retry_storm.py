"""retry_storm: the same failure, again and again."""

from __future__ import annotations

from otel_loopwatch.detectors.base import Step, Verdict
from otel_loopwatch.detectors.grading import NEVER, NO_EXTRA, Extra, more, repeats
from otel_loopwatch.detectors.pace import Pace
from otel_loopwatch.model import Kind, Level
from otel_loopwatch.outcomes import Grade, misuse
from otel_loopwatch.records import Streak

OTHER_ARGUMENTS = Extra(2, 5)
"""Other arguments are an attempt at repair: they get two more tries."""
MANY_THINGS = 1
"""One more where each request is about something else: several pages may be forbidden, one after the other."""
NUMBERS_DIFFER = Extra(1, None)
"""A failure in which numbers change gets one more try."""
ANY_TOOL = Extra(3, None)
"""Trying other tools gets three more."""
SPECIFIC = 24
"""A shorter error is the same for different faults."""
OFTEN = 2
"""Returns of known errors from which on the row may become critical."""
COMES_BACK = Extra(1, 0)
"""Errors that come back among others get one more try."""
COMES_BACK_ONCE = Extra(1, None)
"""Fewer returns, or never the same request again: told, but never critical."""
STUBBORN = Extra(2, 7)
"""Retries with work in between get two more tries, and seven more before they are critical."""


def same_call(step: Step) -> Verdict | None:
    """The same call failed the same way several times in a row."""
    if not step.attempt.failed:
        return None
    count, extra = step.run.call_keys.rounds(1), NO_EXTRA
    if count == 1:
        count, extra = _but_for_numbers(step), NUMBERS_DIFFER
    if not step.may_reach(Kind.RETRY_STORM, count):
        return None
    graded = step.level(Kind.RETRY_STORM, count, more(repeats(step.attempt.grade, step.pace(count)), extra))
    return _verdict(step, graded, count, "failed {} times in a row with the same call and the same error")


def _but_for_numbers(step: Step) -> int:
    """How often in a row the same call failed in the same words; numbers are noise unless they have a trend."""
    streak = step.run.streaks.get(step.reading.tool)
    if streak is None or not streak.loose or len(streak.requests) != 1 or streak.trend.progress:
        return 1
    return streak.count


def same_failure(step: Step) -> Verdict | None:
    """One tool failed the same way whatever it was asked."""
    streak = step.run.streaks.get(step.reading.tool)
    if streak is None or streak.loose or not step.attempt.failed:
        return None
    if step.attempt.grade is Grade.NOTHING or step.pace(streak.count) is not Pace.BUSY:
        return None
    graded = step.level(Kind.RETRY_STORM, streak.count, _patience(step, streak))
    why = "failed {} times in a row with the same error, whatever the arguments"
    return _verdict(step, graded, streak.count, why)


def _patience(step: Step, streak: Streak) -> Extra:
    """Failing look-ups of many things are a batch: only attempts at one thing become critical, or count with gaps."""
    grade, one_thing = step.attempt.grade, _one_thing(step, streak)
    if not one_thing and (streak.apart or len(step.reading.text) < SPECIFIC):
        return NEVER
    warning = (
        OTHER_ARGUMENTS.warning
        + (-1 if one_thing else MANY_THINGS)
        + (2 if grade is Grade.RETRYABLE else 0)
        + (1 if streak.apart else 0)
    )
    sure = one_thing and (streak.surely_reworded or not streak.reworded)
    return Extra(warning, OTHER_ARGUMENTS.critical if sure and grade is Grade.ERROR else None)


def stubborn(step: Step) -> Verdict | None:
    """The same call keeps failing, with other work in between."""
    if not step.attempt.failed:
        return None
    key = step.attempt.call
    count = step.run.failures.get(key, 0) if key is not None else 0
    if step.attempt.grade is not Grade.ERROR or count == step.run.call_keys.rounds(1):
        return None
    graded = step.level(Kind.RETRY_STORM, count, STUBBORN)
    return _verdict(step, graded, count, "failed {} times with the same error in spite of the work between")


def _one_thing(step: Step, streak: Streak) -> bool:
    """Whether the failures are about one thing: by the requests, or because the error names what all of them hold."""
    if streak.count < step.threshold(Kind.RETRY_STORM).warning:
        return False
    text = step.reading.text
    return streak.reworded or streak.names(text) or (not streak.requests and misuse(text))


def not_understood(step: Step) -> Verdict | None:
    """One thing is tried over and over, and the errors come back, in whatever order."""
    row = step.run.failing
    if row is None or row.last != step.attempt.number or not row.again or not row.one_thing:
        return None
    often = row.again >= OFTEN and row.asked_again
    graded = step.level(Kind.RETRY_STORM, row.count, COMES_BACK if often else COMES_BACK_ONCE)
    if graded is None or step.pace(row.count) is not Pace.BUSY:
        return None
    return _verdict(step, graded, row.count, "failed {} times in a row, with errors that had been there before")


def whatever_tool(step: Step) -> Verdict | None:
    """Several tools fail with one and the same error: what they share is broken."""
    run, attempt = step.run, step.attempt
    if not attempt.failed or attempt.grade is not Grade.ERROR or len(step.reading.text) < SPECIFIC:
        return None
    graded = step.level(Kind.RETRY_STORM, run.failures_alike, ANY_TOOL)
    if graded is None or step.pace(run.failures_alike) is not Pace.BUSY:
        return None
    if len({past.tools for past in run.last(run.failures_alike)}) == 1:
        return None
    why = "failed {} times in a row with one and the same error, whatever the tool"
    return _verdict(step, graded, run.failures_alike, why)


def _verdict(step: Step, graded: Level | None, count: int, why: str) -> Verdict | None:
    if graded is None:
        return None
    attempt = step.attempt
    return Verdict(
        kind=Kind.RETRY_STORM,
        level=graded,
        count=count,
        wasted=count - 1,
        evidence=attempt.grade.evidence,
        tools=attempt.tools,
        first_span_id=_first_span(step, count),
        why=why.format(count),
    )


def _first_span(step: Step, count: int) -> int:
    alike = [past for past in step.run.attempts if past.answer == step.attempt.answer][-count:]
    return alike[0].span_id if alike else step.attempt.span_id
